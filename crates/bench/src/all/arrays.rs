//! The rows of `bench arrays`: functions of arrays beside what the array-programming paper compares with.

use super::facts::MatrixFacts;
use super::rows::{
    DENSE, GivenOperand, ModeExtent, OperandRecipe, OutputMemory, OwnMethod, PeerOperation, TableRow, one,
    two,
};
use super::values::ValueKind;

/// The array itself, with values of a kind.
const fn itself(values: ValueKind) -> OperandRecipe {
    OperandRecipe::Array { moved: 0, values, format: "{f}" }
}
/// The array with its last coordinates moved on by so many.
const fn make_shifted(moved: usize, values: ValueKind) -> OperandRecipe {
    OperandRecipe::Array { moved, values, format: "{f}" }
}

const fn ufunc(
    name: &'static str,
    text: &'static str,
    operands: &'static [GivenOperand],
    peers: &'static [PeerOperation],
) -> TableRow {
    TableRow {
        name,
        ours: OwnMethod::Statement(text, "{f}", OutputMemory::New),
        operands,
        peers,
        suits: MatrixFacts::is_array,
    }
}
const THREE: &[GivenOperand] = &[
    GivenOperand("A", itself(ValueKind::Truth)),
    GivenOperand("B", make_shifted(1, ValueKind::Truth)),
    GivenOperand("C", make_shifted(2, ValueKind::Truth)),
];

const EDGES: &[PeerOperation] = &[one("numpy.edges"), one("pydata.edges")];
const TREE: &[GivenOperand] = &[GivenOperand("A", itself(ValueKind::Own))];
const MINIMAX: &[PeerOperation] = &[one("pydata.minimax")];

const fn edges(name: &'static str, operands: &'static [GivenOperand], result: &'static str) -> TableRow {
    TableRow {
        name,
        ours: OwnMethod::Statement(
            "E(i,j) = (H(i,j) & R(i,j)) ^ (L(i,j) & R(i,j))",
            result,
            OutputMemory::New,
        ),
        operands,
        peers: EDGES,
        suits: MatrixFacts::is_image,
    }
}
const fn make_upper(part: f64, format: &'static str) -> OperandRecipe {
    OperandRecipe::Array { moved: 0, values: ValueKind::Above(part), format }
}
const fn region(format: &'static str) -> OperandRecipe {
    OperandRecipe::Array { moved: 0, values: ValueKind::Region, format }
}

const fn minimax(name: &'static str, text: &'static str, suits: fn(&MatrixFacts) -> bool) -> TableRow {
    TableRow {
        name,
        ours: OwnMethod::Statement(text, "dense", OutputMemory::New),
        operands: TREE,
        peers: MINIMAX,
        suits,
    }
}

const fn product(
    name: &'static str,
    text: &'static str,
    operands: &'static [GivenOperand],
    result: &'static str,
    peers: &'static [PeerOperation],
) -> TableRow {
    TableRow {
        name,
        ours: OwnMethod::Statement(text, result, OutputMemory::New),
        operands,
        peers,
        suits: MatrixFacts::is_square_product,
    }
}
const fn vector(
    name: &'static str,
    text: &'static str,
    operands: &'static [GivenOperand],
    result: &'static str,
    peers: &'static [PeerOperation],
) -> TableRow {
    TableRow {
        name,
        ours: OwnMethod::Statement(text, result, OutputMemory::Kept),
        operands,
        peers,
        suits: MatrixFacts::is_matrix,
    }
}
/// A function of single values, or of values and their places: what is stored stays where it is.
const fn map(
    name: &'static str,
    text: &'static str,
    operands: &'static [GivenOperand],
    peers: &'static [PeerOperation],
) -> TableRow {
    TableRow {
        name,
        ours: OwnMethod::Statement(text, CSR, OutputMemory::New),
        operands,
        peers,
        suits: MatrixFacts::is_matrix,
    }
}
const CSR: &str = "csr ; pos = i32 ; crd = i32";
const MATRIX: &[GivenOperand] = &[GivenOperand("A", OperandRecipe::Matrix(CSR))];

const PAIR: &[GivenOperand] =
    &[GivenOperand("A", OperandRecipe::Matrix(CSR)), GivenOperand("B", OperandRecipe::Shifted(3))];

/// The sum of parts of two matrices (figures 27 and 28 of the paper); SciPy copies each part before.
const fn parts(name: &'static str, text: &'static str, peers: &'static [PeerOperation]) -> TableRow {
    TableRow {
        suits: |f| f.is_matrix() && f.dims[0] >= 600 && f.dims[1] >= 600,
        ..map(name, text, PAIR, peers)
    }
}

const BOOLS: &str = "csr ; pos = i32 ; crd = i32";
const DISTANCES: &str = "csr ; fill = inf ; pos = i32 ; crd = i32";

/// A function of what is dense.
const fn dense(
    name: &'static str,
    text: &'static str,
    operands: &'static [GivenOperand],
    peers: &'static [PeerOperation],
) -> TableRow {
    let suits = |f: &MatrixFacts| f.is_matrix() && f.dims[0] * f.dims[1] <= DENSE;
    TableRow { name, ours: OwnMethod::Statement(text, "dense", OutputMemory::New), operands, peers, suits }
}
const WRITTEN_OUT: &[GivenOperand] =
    &[GivenOperand("D", OperandRecipe::Dense(&[ModeExtent::Mode(0), ModeExtent::Mode(1)]))];

/// Every row.
pub const ROWS: &[TableRow] = &[
    dense("dense: exp", "C(i,j) = exp(D(i,j))", WRITTEN_OUT, &[one("numpy.exp")]),
    dense("dense: tanh", "C(i,j) = tanh(D(i,j))", WRITTEN_OUT, &[one("numpy.tanh")]),
    dense("dense: sigmoid", "C(i,j) = 1 / (1 + exp(-D(i,j)))", WRITTEN_OUT, &[one("numpy.sigmoid")]),
    dense("dense: sums of exp", "s(i) = sum(j, exp(D(i,j)))", WRITTEN_OUT, &[one("numpy.sums_of_exp")]),
    vector(
        "tanh of A @ x",
        "y(i) = tanh(sum(j, A(i,j) * x(j)))",
        &[
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
            GivenOperand("x", OperandRecipe::Dense(&[ModeExtent::Mode(1)])),
        ],
        "dense",
        &[one("numpy.tanh_of_product")],
    ),
    map("map: A * 2", "C(i,j) = A(i,j) * 2", MATRIX, &[one("scipy.doubled")]),
    map("map: abs(A)", "C(i,j) = abs(A(i,j))", MATRIX, &[one("scipy.absolute")]),
    map("map: A ** 2", "C(i,j) = A(i,j) ** 2", MATRIX, &[one("scipy.squared")]),
    map("map: sqrt(abs(A))", "C(i,j) = sqrt(abs(A(i,j)))", MATRIX, &[one("scipy.root")]),
    map("map: A * A", "C(i,j) = A(i,j) * A(i,j)", MATRIX, &[one("scipy.itself")]),
    TableRow {
        suits: |f| f.is_matrix() && f.dims[0] * f.dims[1] <= DENSE,
        ..map(
            "map: A * dense",
            "C(i,j) = A(i,j) * B(i,j)",
            &[
                GivenOperand("A", OperandRecipe::Matrix(CSR)),
                GivenOperand("B", OperandRecipe::Dense(&[ModeExtent::Mode(0), ModeExtent::Mode(1)])),
            ],
            &[one("scipy.multiply")],
        )
    },
    map(
        "map: D @ A",
        "C(i,j) = d(i) * A(i,j)",
        &[
            GivenOperand("d", OperandRecipe::Dense(&[ModeExtent::Mode(0)])),
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
        ],
        &[one("scipy.diagonal"), one("scipy.by_rows")],
    ),
    ufunc(
        "logical_xor",
        "C({i}) = A({i}) ^ B({i})",
        &[GivenOperand("A", itself(ValueKind::Truth)), GivenOperand("B", make_shifted(1, ValueKind::Truth))],
        &[one("pydata.logical_xor"), one("scipy.logical_xor")],
    ),
    ufunc(
        "ldexp",
        "C({i}) = ldexp(A({i}), B({i}))",
        &[GivenOperand("A", itself(ValueKind::Own)), GivenOperand("B", make_shifted(1, ValueKind::Two))],
        &[one("pydata.ldexp")],
    ),
    ufunc(
        "right_shift",
        "C({i}) = A({i}) >> B({i})",
        &[GivenOperand("A", itself(ValueKind::Whole)), GivenOperand("B", make_shifted(1, ValueKind::Two))],
        &[one("pydata.right_shift")],
    ),
    TableRow {
        name: "power",
        ours: OwnMethod::Statement("C({i}) = A({i}) ** B({i})", "{f} ; fill = 1", OutputMemory::New),
        operands: &[
            GivenOperand("A", itself(ValueKind::Own)),
            GivenOperand("B", make_shifted(1, ValueKind::TwoAsFloat)),
        ],
        peers: &[one("pydata.power")],
        suits: MatrixFacts::is_array,
    },
    ufunc(
        "and of xor",
        "D({i}) = (A({i}) ^ B({i})) & C({i})",
        THREE,
        &[one("pydata.and_xor"), one("scipy.and_xor")],
    ),
    ufunc("or of xor", "D({i}) = (A({i}) ^ B({i})) | C({i})", THREE, &[one("pydata.or_xor")]),
    ufunc(
        "xor of xor",
        "D({i}) = (A({i}) ^ B({i})) ^ C({i})",
        THREE,
        &[one("pydata.xor_xor"), one("scipy.xor_xor")],
    ),
    vector(
        "masked lor_land mxv",
        "y(i) = lor_land(j, A(i,j), x(j)) where !m(i)",
        &[
            GivenOperand("A", OperandRecipe::Array { moved: 0, values: ValueKind::Truth, format: BOOLS }),
            GivenOperand(
                "x",
                OperandRecipe::Vector { of: 1, values: ValueKind::Truth, part: 0.25, format: "bytemap" },
            ),
            GivenOperand(
                "m",
                OperandRecipe::Vector { of: 0, values: ValueKind::Truth, part: 0.75, format: "dense" },
            ),
        ],
        "dense",
        &[two("graphblas.masked:LOR_LAND:BOOL")],
    ),
    vector(
        "masked min-plus mxv",
        "y(i) = min_plus(j, A(i,j), x(j)) where !m(i)",
        &[
            GivenOperand("A", OperandRecipe::Array { moved: 0, values: ValueKind::Size, format: DISTANCES }),
            GivenOperand(
                "x",
                OperandRecipe::Vector {
                    of: 1,
                    values: ValueKind::Size,
                    part: 0.25,
                    format: "bytemap ; fill = inf",
                },
            ),
            GivenOperand(
                "m",
                OperandRecipe::Vector { of: 0, values: ValueKind::Truth, part: 0.75, format: "dense" },
            ),
        ],
        "dense ; fill = inf",
        &[two("graphblas.masked:MIN_PLUS:FP64")],
    ),
    product(
        "lor_land mxm",
        "C(i,k) = lor_land(j, A(i,j), B(j,k))",
        &[
            GivenOperand("A", OperandRecipe::Array { moved: 0, values: ValueKind::Truth, format: BOOLS }),
            GivenOperand("B", OperandRecipe::Array { moved: 0, values: ValueKind::Truth, format: BOOLS }),
        ],
        BOOLS,
        &[two("graphblas.product:LOR_LAND:BOOL")],
    ),
    product(
        "min-plus mxm",
        "C(i,k) = min_plus(j, A(i,j), B(j,k))",
        &[
            GivenOperand("A", OperandRecipe::Array { moved: 0, values: ValueKind::Size, format: DISTANCES }),
            GivenOperand("B", OperandRecipe::Array { moved: 0, values: ValueKind::Size, format: DISTANCES }),
        ],
        DISTANCES,
        &[two("graphblas.product:MIN_PLUS:FP64")],
    ),
    edges(
        "MRI edges csr",
        &[
            GivenOperand("L", make_upper(0.75, "csr")),
            GivenOperand("H", make_upper(0.80, "csr")),
            GivenOperand("R", region("csr")),
        ],
        "csr",
    ),
    edges(
        "MRI edges bitmap",
        &[
            GivenOperand("L", make_upper(0.75, "bitmap")),
            GivenOperand("H", make_upper(0.80, "bitmap")),
            GivenOperand("R", region("bitmap")),
        ],
        "bitmap",
    ),
    edges(
        "MRI edges dense",
        &[
            GivenOperand("L", make_upper(0.75, "dense")),
            GivenOperand("H", make_upper(0.80, "dense")),
            GivenOperand("R", region("dense")),
        ],
        "dense",
    ),
    edges(
        "MRI edges rle",
        &[
            GivenOperand("L", make_upper(0.75, "rle")),
            GivenOperand("H", make_upper(0.80, "rle")),
            GivenOperand("R", region("rle")),
        ],
        "rle",
    ),
    parts(
        "window 500 x 500",
        "C(i,j) = A(i(100:600),j(100:600)) + B(i(100:600),j(100:600))",
        &[one("scipy.corner")],
    ),
    parts("window without edges", "C(i,j) = A(i(1:-1),j(1:-1)) + B(i(1:-1),j(1:-1))", &[one("scipy.inner")]),
    parts("stride 2", "C(i,j) = A(i(::2),j(::2)) + B(i(::2),j(::2))", &[one("scipy.strided:2")]),
    parts("stride 4", "C(i,j) = A(i(::4),j(::4)) + B(i(::4),j(::4))", &[one("scipy.strided:4")]),
    parts("stride 8", "C(i,j) = A(i(::8),j(::8)) + B(i(::8),j(::8))", &[one("scipy.strided:8")]),
    minimax("minimax 3", "o = max(i, min(j, max(k, A(i,j,k))))", |f| f.is_tree(3)),
    minimax("minimax 5", "o = max(i, min(j, max(k, min(l, max(m, A(i,j,k,l,m))))))", |f| f.is_tree(5)),
    minimax(
        "minimax 7",
        "o = max(i, min(j, max(k, min(l, max(m, min(n, max(p, A(i,j,k,l,m,n,p))))))))",
        |f| f.is_tree(7),
    ),
];
