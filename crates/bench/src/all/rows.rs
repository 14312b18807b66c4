//! The rows: what is computed, on which operands, and who else computes it.

use super::facts::MatrixFacts;
use super::values::ValueKind;

/// A row of the table.
pub struct TableRow {
    pub name: &'static str,
    pub ours: OwnMethod,
    pub operands: &'static [GivenOperand],
    pub peers: &'static [PeerOperation],
    /// Whether a matrix or tensor is of the shape that the row is about.
    pub suits: fn(&MatrixFacts) -> bool,
}

/// How we compute it.
pub enum OwnMethod {
    /// A statement, the format of its result, and where that is written. `{i}` in it is a variable for each mode.
    Statement(&'static str, &'static str, OutputMemory),
    /// Packing a list of entries.
    Pack,
    /// Taking over SciPy's arrays: values in place, index arrays copied and checked.
    Adopt,
    /// Reading a file.
    Read,
}

/// Where results are written, on all sides alike where a library lets us choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputMemory {
    /// Each in memory of its own.
    New,
    /// Into that of the result before.
    Kept,
    /// So as well, with the matrix prepared for [`RUNS`] runs, as MKL's is.
    Prepared,
}

/// How often MKL is told that a product will be called, and we are.
pub const RUNS: usize = 1000;

/// An operand: its name in the statement, and how it is made of a matrix or tensor.
pub struct GivenOperand(pub &'static str, pub OperandRecipe);

/// How an operand is made.
pub enum OperandRecipe {
    /// The matrix in a format.
    Matrix(&'static str),
    /// The matrix with its columns moved round by so many, in CSR.
    Shifted(usize),
    /// A right factor of the matrix in a format: itself, or its transpose where it is not square.
    Right(&'static str),
    /// The entries in random order, one in ten of them in two parts.
    Loose,
    /// The tensor of order three in CSF.
    Tensor,
    /// A dense tensor.
    Dense(&'static [ModeExtent]),
    /// An array of any order with its last coordinates moved on, with values of a kind, in a format: `{f}` is csr or csf.
    Array { moved: usize, values: ValueKind, format: &'static str },
    /// A part of the coordinates of a mode.
    Vector { of: usize, values: ValueKind, part: f64, format: &'static str },
    /// A file of the matrix.
    File,
}

/// The size of a mode.
#[derive(Clone, Copy)]
pub enum ModeExtent {
    /// That of the matrix or tensor.
    Mode(usize),
    Of(usize),
}
use ModeExtent::{Mode, Of};

/// An operation of a library, as `peer/worker.py` names it; `{b}` is the size of blocks.
pub struct PeerOperation {
    pub op: &'static str,
    pub threads: &'static [usize],
}

pub const fn one(op: &'static str) -> PeerOperation {
    PeerOperation { op, threads: &[1] }
}
pub const fn two(op: &'static str) -> PeerOperation {
    PeerOperation { op, threads: &[1, 2] }
}

// Indices have 32 bits on all sides.
const CSR: &str = "csr ; pos = i32 ; crd = i32";
/// What is not stored is infinitely far.
const DISTANCES: &str = "csr ; fill = inf ; pos = i32 ; crd = i32";
const CSC: &str = "csc ; pos = i32 ; crd = i32";
const COO: &str = "coo ; pos = i32 ; crd = i32";
const ANY_ORDER: &str = "(i,j) -> (i,j) : dense, compressed(unordered) ; pos = i32 ; crd = i32";
const BCSR: &str = "bcsr({b},{b}) ; pos = i32 ; crd = i32";

const SPMV: &str = "y(i) = A(i,j) * x(j)";
const SPMM: &str = "C(i,k) = A(i,j) * B(j,k)";
const SDDMM: &str = "C(i,j) = A(i,j) * B(i,k) * D(j,k)";
const COPY: &str = "B(i,j) = A(i,j)";
const VECTOR: GivenOperand = GivenOperand("x", OperandRecipe::Dense(&[Mode(1)]));
const PREPARED: OwnMethod = OwnMethod::Statement(SPMV, "dense", OutputMemory::Prepared);

/// Every way in which the libraries compute SpMV with a matrix that is in CSR, or in the format of the row.
macro_rules! spmv {
    ($($own:expr),*) => {
        &[
            one("scipy.spmv:csr"), two("mkl.spmv:csr"), two("graphblas.spmv:csr"), two("numba.spmv:csr"),
            two("c.spmv:csr"), two("eigen.spmv:csr"), $($own),*
        ]
    };
}
const SPMM_PEERS: &[PeerOperation] = &[
    one("scipy.spmm"),
    two("mkl.spmm"),
    two("graphblas.spmm"),
    two("numba.spmm"),
    two("c.spmm"),
    two("eigen.spmm"),
];
const SDDMM_PEERS: &[PeerOperation] =
    &[one("scipy.sddmm"), two("graphblas.sddmm"), two("numba.sddmm"), two("c.sddmm")];
const ADD_PEERS: &[PeerOperation] =
    &[one("scipy.add"), two("mkl.add"), two("graphblas.add"), one("c.add"), one("eigen.add")];
const READ_PEERS: &[PeerOperation] = &[two("scipy.mmread"), one("c.mmread")];

const fn spmm(
    name: &'static str,
    operands: &'static [GivenOperand],
    suits: fn(&MatrixFacts) -> bool,
) -> TableRow {
    let ours = OwnMethod::Statement(SPMM, "dense", OutputMemory::Prepared);
    TableRow { name, ours, operands, peers: SPMM_PEERS, suits }
}
const fn sddmm(
    name: &'static str,
    operands: &'static [GivenOperand],
    suits: fn(&MatrixFacts) -> bool,
) -> TableRow {
    let ours = OwnMethod::Statement(SDDMM, CSR, OutputMemory::New);
    TableRow { name, ours, operands, peers: SDDMM_PEERS, suits }
}
const fn spmv(
    name: &'static str,
    format: &'static [GivenOperand],
    peers: &'static [PeerOperation],
    suits: fn(&MatrixFacts) -> bool,
) -> TableRow {
    TableRow { name, ours: PREPARED, operands: format, peers, suits }
}
const fn converts(
    name: &'static str,
    from: &'static [GivenOperand],
    to: &'static str,
    peers: &'static [PeerOperation],
    suits: fn(&MatrixFacts) -> bool,
) -> TableRow {
    TableRow { name, ours: OwnMethod::Statement(COPY, to, OutputMemory::New), operands: from, peers, suits }
}

/// Dense operands and results of at most so many numbers.
pub const DENSE: usize = 1 << 24;
fn narrow(f: &MatrixFacts, columns: usize) -> bool {
    f.is_matrix() && (f.dims[0] + f.dims[1]) * columns <= DENSE
}

/// Every row.
pub const ROWS: &[TableRow] = &[
    spmv(
        "SpMV csr",
        &[GivenOperand("A", OperandRecipe::Matrix(CSR)), VECTOR],
        spmv!(),
        MatrixFacts::is_matrix,
    ),
    spmv(
        "SpMV csc",
        &[GivenOperand("A", OperandRecipe::Matrix(CSC)), VECTOR],
        &[one("scipy.spmv:csc"), two("mkl.spmv:csc"), two("graphblas.spmv:csc"), one("c.spmv:csc")],
        MatrixFacts::is_matrix,
    ),
    spmv(
        "SpMV coo",
        &[GivenOperand("A", OperandRecipe::Matrix(COO)), VECTOR],
        &[one("scipy.spmv:coo"), two("mkl.spmv:coo"), one("c.spmv:coo")],
        MatrixFacts::is_matrix,
    ),
    spmv(
        "SpMV ell",
        &[GivenOperand("A", OperandRecipe::Matrix("ell ; pos = i32 ; crd = i32")), VECTOR],
        spmv!(two("c.spmv:ell")),
        |f| f.fits_ell,
    ),
    spmv(
        "SpMV sell(8)",
        &[GivenOperand("A", OperandRecipe::Matrix("sell(8) ; pos = i32 ; crd = i32")), VECTOR],
        spmv!(two("c.spmv:sell8")),
        |f| f.fits_sell,
    ),
    spmv(
        "SpMV bcsr",
        &[GivenOperand("A", OperandRecipe::Matrix(BCSR)), VECTOR],
        spmv!(one("scipy.spmv:bsr{b}"), two("mkl.spmv:bsr{b}"), two("c.spmv:bsr{b}")),
        |f| f.block.is_some(),
    ),
    spmm(
        "SpMM 8",
        &[
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
            GivenOperand("B", OperandRecipe::Dense(&[Mode(1), Of(8)])),
        ],
        |f| narrow(f, 8),
    ),
    spmm(
        "SpMM 32",
        &[
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
            GivenOperand("B", OperandRecipe::Dense(&[Mode(1), Of(32)])),
        ],
        |f| narrow(f, 32),
    ),
    spmm(
        "SpMM 128",
        &[
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
            GivenOperand("B", OperandRecipe::Dense(&[Mode(1), Of(128)])),
        ],
        |f| narrow(f, 128),
    ),
    TableRow {
        name: "SpMM 32 from the left",
        ours: OwnMethod::Statement("C(i,k) = B(i,j) * A(j,k)", "dense", OutputMemory::Kept),
        operands: &[
            GivenOperand("B", OperandRecipe::Dense(&[Of(32), Mode(0)])),
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
        ],
        peers: &[one("scipy.left"), two("mkl.left"), two("graphblas.left")],
        suits: |f| narrow(f, 32),
    },
    TableRow {
        name: "SpGEMM sorted",
        ours: OwnMethod::Statement(SPMM, CSR, OutputMemory::New),
        operands: &[
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
            GivenOperand("B", OperandRecipe::Right(CSR)),
        ],
        peers: &[
            one("scipy.matmul_sorted"),
            two("mkl.matmul_sorted"),
            two("graphblas.matmul_sorted"),
            one("c.matmul_sorted"),
            one("eigen.matmul_sorted"),
        ],
        suits: MatrixFacts::is_product,
    },
    TableRow {
        name: "SpGEMM any order",
        ours: OwnMethod::Statement(SPMM, ANY_ORDER, OutputMemory::New),
        operands: &[
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
            GivenOperand("B", OperandRecipe::Right(CSR)),
        ],
        peers: &[one("scipy.matmul"), two("mkl.matmul"), two("graphblas.matmul"), one("c.matmul")],
        suits: MatrixFacts::is_product,
    },
    TableRow {
        name: "min-plus product",
        ours: OwnMethod::Statement("C(i,k) = min_plus(j, A(i,j), B(j,k))", DISTANCES, OutputMemory::New),
        operands: &[
            GivenOperand("A", OperandRecipe::Matrix(DISTANCES)),
            GivenOperand("B", OperandRecipe::Right(DISTANCES)),
        ],
        peers: &[two("graphblas.min_plus")],
        suits: MatrixFacts::is_product,
    },
    TableRow {
        name: "min-plus SpMV",
        ours: OwnMethod::Statement(
            "y(i) = min_plus(j, A(i,j), x(j))",
            "dense ; fill = inf",
            OutputMemory::Kept,
        ),
        operands: &[GivenOperand("A", OperandRecipe::Matrix(DISTANCES)), VECTOR],
        peers: &[two("graphblas.min_plus_vector")],
        suits: MatrixFacts::is_matrix,
    },
    TableRow {
        name: "SpAdd 2",
        ours: OwnMethod::Statement("S(i,j) = A(i,j) + B(i,j)", CSR, OutputMemory::New),
        operands: &[
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
            GivenOperand("B", OperandRecipe::Shifted(3)),
        ],
        peers: ADD_PEERS,
        suits: MatrixFacts::is_matrix,
    },
    TableRow {
        name: "SpAdd 7",
        ours: OwnMethod::Statement(
            "S(i,j) = A(i,j) + B(i,j) + C(i,j) + D(i,j) + E(i,j) + F(i,j) + G(i,j)",
            CSR,
            OutputMemory::New,
        ),
        operands: &[
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
            GivenOperand("B", OperandRecipe::Shifted(3)),
            GivenOperand("C", OperandRecipe::Shifted(6)),
            GivenOperand("D", OperandRecipe::Shifted(9)),
            GivenOperand("E", OperandRecipe::Shifted(12)),
            GivenOperand("F", OperandRecipe::Shifted(15)),
            GivenOperand("G", OperandRecipe::Shifted(18)),
        ],
        peers: ADD_PEERS,
        suits: MatrixFacts::is_matrix,
    },
    sddmm(
        "SDDMM 32",
        &[
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
            GivenOperand("B", OperandRecipe::Dense(&[Mode(0), Of(32)])),
            GivenOperand("D", OperandRecipe::Dense(&[Mode(1), Of(32)])),
        ],
        |f| narrow(f, 32),
    ),
    sddmm(
        "SDDMM 128",
        &[
            GivenOperand("A", OperandRecipe::Matrix(CSR)),
            GivenOperand("B", OperandRecipe::Dense(&[Mode(0), Of(128)])),
            GivenOperand("D", OperandRecipe::Dense(&[Mode(1), Of(128)])),
        ],
        |f| narrow(f, 128),
    ),
    TableRow {
        name: "MTTKRP 32",
        ours: OwnMethod::Statement("Y(i,r) = X(i,j,k) * B(j,r) * C(k,r)", "dense", OutputMemory::Kept),
        operands: &[
            GivenOperand("X", OperandRecipe::Tensor),
            GivenOperand("B", OperandRecipe::Dense(&[Mode(1), Of(32)])),
            GivenOperand("C", OperandRecipe::Dense(&[Mode(2), Of(32)])),
        ],
        peers: &[two("numba.mttkrp"), two("c.mttkrp")],
        suits: MatrixFacts::is_tensor,
    },
    TableRow {
        name: "TTV",
        ours: OwnMethod::Statement("Y(i,j) = X(i,j,k) * x(k)", "dense", OutputMemory::Kept),
        operands: &[
            GivenOperand("X", OperandRecipe::Tensor),
            GivenOperand("x", OperandRecipe::Dense(&[Mode(2)])),
        ],
        peers: &[two("numba.ttv"), two("c.ttv")],
        // Of larger results, clearing them is all that there is to see.
        suits: |f| f.is_tensor() && f.dims[0] * f.dims[1] <= 8 * f.nnz,
    },
    TableRow {
        name: "TTM 32 into ssd",
        ours: OwnMethod::Statement(
            "Y(i,j,r) = X(i,j,k) * B(k,r)",
            "ssd ; pos = i32 ; crd = i32",
            OutputMemory::New,
        ),
        operands: &[
            GivenOperand("X", OperandRecipe::Tensor),
            GivenOperand("B", OperandRecipe::Dense(&[Mode(2), Of(32)])),
        ],
        peers: &[two("c.ttm")],
        suits: MatrixFacts::is_tensor,
    },
    converts(
        "CSR -> CSC",
        &[GivenOperand("A", OperandRecipe::Matrix(CSR))],
        CSC,
        &[
            one("scipy.convert:csr:csc"),
            two("mkl.convert:csr:csc"),
            two("graphblas.convert:csr:csc"),
            one("c.convert:csr:csc"),
            one("eigen.convert:csr:csc"),
        ],
        MatrixFacts::is_matrix,
    ),
    converts(
        "CSC -> CSR",
        &[GivenOperand("A", OperandRecipe::Matrix(CSC))],
        CSR,
        &[one("scipy.convert:csc:csr"), two("mkl.convert:csc:csr"), one("c.convert:csc:csr")],
        MatrixFacts::is_matrix,
    ),
    converts(
        "CSR -> COO",
        &[GivenOperand("A", OperandRecipe::Matrix(CSR))],
        COO,
        &[one("scipy.convert:csr:coo"), two("mkl.convert:csr:coo"), one("c.convert:csr:coo")],
        MatrixFacts::is_matrix,
    ),
    converts(
        "CSR -> BCSR",
        &[GivenOperand("A", OperandRecipe::Matrix(CSR))],
        BCSR,
        &[one("scipy.convert:csr:bsr{b}"), two("mkl.convert:csr:bsr{b}"), one("c.convert:csr:bsr{b}")],
        |f| f.block.is_some(),
    ),
    converts(
        "COO -> CSR sorted",
        &[GivenOperand("A", OperandRecipe::Matrix(COO))],
        CSR,
        &[one("scipy.convert:coo:csr"), two("mkl.convert:coo:csr"), one("c.convert:coo:csr")],
        MatrixFacts::is_matrix,
    ),
    TableRow {
        name: "from_coo unsorted",
        ours: OwnMethod::Pack,
        operands: &[GivenOperand("L", OperandRecipe::Loose)],
        peers: &[one("scipy.from_coo"), two("graphblas.from_coo"), one("c.from_coo"), one("eigen.from_coo")],
        suits: MatrixFacts::is_matrix,
    },
    TableRow {
        name: "asarray(csr)",
        ours: OwnMethod::Adopt,
        operands: &[GivenOperand("A", OperandRecipe::Matrix(CSR))],
        peers: &[one("scipy.copy"), one("c.copy")],
        suits: MatrixFacts::is_matrix,
    },
    TableRow {
        name: "read .mtx general",
        ours: OwnMethod::Read,
        operands: &[GivenOperand("M", OperandRecipe::File)],
        peers: READ_PEERS,
        suits: |f| f.symmetric_file == Some(false),
    },
    TableRow {
        name: "read .mtx symmetric",
        ours: OwnMethod::Read,
        operands: &[GivenOperand("M", OperandRecipe::File)],
        peers: READ_PEERS,
        suits: |f| f.symmetric_file == Some(true),
    },
];
