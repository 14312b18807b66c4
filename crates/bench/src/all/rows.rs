//! The rows: what is computed, on which operands, and who else computes it.

use super::facts::Facts;
use super::values::Values;

/// A row of the table.
pub struct Row {
    pub name: &'static str,
    pub ours: Ours,
    pub operands: &'static [Given],
    pub peers: &'static [Peer],
    /// Whether a matrix or tensor is of the shape that the row is about.
    pub suits: fn(&Facts) -> bool,
}

/// How we compute it.
pub enum Ours {
    /// A statement, the format of its result, and where that is written. `{i}` in it is a variable for each mode.
    Statement(&'static str, &'static str, Memory),
    /// Packing a list of entries.
    Pack,
    /// Taking over SciPy's arrays: values in place, index arrays copied and checked.
    Adopt,
    /// Reading a file.
    Read,
}

/// Where results are written, on all sides alike where a library lets us choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
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
pub struct Given(pub &'static str, pub Made);

/// How an operand is made.
pub enum Made {
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
    Dense(&'static [Side]),
    /// An array of any order with its last coordinates moved on, with values of a kind, in a format: `{f}` is csr or csf.
    Array { moved: usize, values: Values, format: &'static str },
    /// A part of the coordinates of a mode.
    Vector { of: usize, values: Values, part: f64, format: &'static str },
    /// A file of the matrix.
    File,
}

/// The size of a mode.
#[derive(Clone, Copy)]
pub enum Side {
    /// That of the matrix or tensor.
    Mode(usize),
    Of(usize),
}
use Side::{Mode, Of};

/// An operation of a library, as `peer/worker.py` names it; `{b}` is the size of blocks.
pub struct Peer {
    pub op: &'static str,
    pub threads: &'static [usize],
}

pub const fn one(op: &'static str) -> Peer {
    Peer { op, threads: &[1] }
}
pub const fn two(op: &'static str) -> Peer {
    Peer { op, threads: &[1, 2] }
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
const VECTOR: Given = Given("x", Made::Dense(&[Mode(1)]));
const PREPARED: Ours = Ours::Statement(SPMV, "dense", Memory::Prepared);

/// Every way in which the libraries compute SpMV with a matrix that is in CSR, or in the format of the row.
macro_rules! spmv {
    ($($own:expr),*) => {
        &[
            one("scipy.spmv:csr"), two("mkl.spmv:csr"), two("graphblas.spmv:csr"), two("numba.spmv:csr"),
            two("c.spmv:csr"), two("eigen.spmv:csr"), $($own),*
        ]
    };
}
const SPMM_PEERS: &[Peer] = &[
    one("scipy.spmm"),
    two("mkl.spmm"),
    two("graphblas.spmm"),
    two("numba.spmm"),
    two("c.spmm"),
    two("eigen.spmm"),
];
const SDDMM_PEERS: &[Peer] =
    &[one("scipy.sddmm"), two("graphblas.sddmm"), two("numba.sddmm"), two("c.sddmm")];
const ADD_PEERS: &[Peer] =
    &[one("scipy.add"), two("mkl.add"), two("graphblas.add"), one("c.add"), one("eigen.add")];
const READ_PEERS: &[Peer] = &[two("scipy.mmread"), one("c.mmread")];

const fn spmm(name: &'static str, operands: &'static [Given], suits: fn(&Facts) -> bool) -> Row {
    let ours = Ours::Statement(SPMM, "dense", Memory::Prepared);
    Row { name, ours, operands, peers: SPMM_PEERS, suits }
}
const fn sddmm(name: &'static str, operands: &'static [Given], suits: fn(&Facts) -> bool) -> Row {
    let ours = Ours::Statement(SDDMM, CSR, Memory::New);
    Row { name, ours, operands, peers: SDDMM_PEERS, suits }
}
const fn spmv(
    name: &'static str,
    format: &'static [Given],
    peers: &'static [Peer],
    suits: fn(&Facts) -> bool,
) -> Row {
    Row { name, ours: PREPARED, operands: format, peers, suits }
}
const fn converts(
    name: &'static str,
    from: &'static [Given],
    to: &'static str,
    peers: &'static [Peer],
    suits: fn(&Facts) -> bool,
) -> Row {
    Row { name, ours: Ours::Statement(COPY, to, Memory::New), operands: from, peers, suits }
}

/// Dense operands and results of at most so many numbers.
pub const DENSE: usize = 1 << 24;
fn narrow(f: &Facts, columns: usize) -> bool {
    f.is_matrix() && (f.dims[0] + f.dims[1]) * columns <= DENSE
}

/// Every row.
pub const ROWS: &[Row] = &[
    spmv("SpMV csr", &[Given("A", Made::Matrix(CSR)), VECTOR], spmv!(), Facts::is_matrix),
    spmv(
        "SpMV csc",
        &[Given("A", Made::Matrix(CSC)), VECTOR],
        &[one("scipy.spmv:csc"), two("mkl.spmv:csc"), two("graphblas.spmv:csc"), one("c.spmv:csc")],
        Facts::is_matrix,
    ),
    spmv(
        "SpMV coo",
        &[Given("A", Made::Matrix(COO)), VECTOR],
        &[one("scipy.spmv:coo"), two("mkl.spmv:coo"), one("c.spmv:coo")],
        Facts::is_matrix,
    ),
    spmv(
        "SpMV ell",
        &[Given("A", Made::Matrix("ell ; pos = i32 ; crd = i32")), VECTOR],
        spmv!(two("c.spmv:ell")),
        |f| f.fits_ell,
    ),
    spmv(
        "SpMV sell(8)",
        &[Given("A", Made::Matrix("sell(8) ; pos = i32 ; crd = i32")), VECTOR],
        spmv!(two("c.spmv:sell8")),
        |f| f.fits_sell,
    ),
    spmv(
        "SpMV bcsr",
        &[Given("A", Made::Matrix(BCSR)), VECTOR],
        spmv!(one("scipy.spmv:bsr{b}"), two("mkl.spmv:bsr{b}"), two("c.spmv:bsr{b}")),
        |f| f.block.is_some(),
    ),
    spmm("SpMM 8", &[Given("A", Made::Matrix(CSR)), Given("B", Made::Dense(&[Mode(1), Of(8)]))], |f| {
        narrow(f, 8)
    }),
    spmm("SpMM 32", &[Given("A", Made::Matrix(CSR)), Given("B", Made::Dense(&[Mode(1), Of(32)]))], |f| {
        narrow(f, 32)
    }),
    spmm("SpMM 128", &[Given("A", Made::Matrix(CSR)), Given("B", Made::Dense(&[Mode(1), Of(128)]))], |f| {
        narrow(f, 128)
    }),
    Row {
        name: "SpMM 32 from the left",
        ours: Ours::Statement("C(i,k) = B(i,j) * A(j,k)", "dense", Memory::Kept),
        operands: &[Given("B", Made::Dense(&[Of(32), Mode(0)])), Given("A", Made::Matrix(CSR))],
        peers: &[one("scipy.left"), two("mkl.left"), two("graphblas.left")],
        suits: |f| narrow(f, 32),
    },
    Row {
        name: "SpGEMM sorted",
        ours: Ours::Statement(SPMM, CSR, Memory::New),
        operands: &[Given("A", Made::Matrix(CSR)), Given("B", Made::Right(CSR))],
        peers: &[
            one("scipy.matmul_sorted"),
            two("mkl.matmul_sorted"),
            two("graphblas.matmul_sorted"),
            one("c.matmul_sorted"),
            one("eigen.matmul_sorted"),
        ],
        suits: Facts::is_product,
    },
    Row {
        name: "SpGEMM any order",
        ours: Ours::Statement(SPMM, ANY_ORDER, Memory::New),
        operands: &[Given("A", Made::Matrix(CSR)), Given("B", Made::Right(CSR))],
        peers: &[one("scipy.matmul"), two("mkl.matmul"), two("graphblas.matmul"), one("c.matmul")],
        suits: Facts::is_product,
    },
    Row {
        name: "min-plus product",
        ours: Ours::Statement("C(i,k) = min_plus(j, A(i,j), B(j,k))", DISTANCES, Memory::New),
        operands: &[Given("A", Made::Matrix(DISTANCES)), Given("B", Made::Right(DISTANCES))],
        peers: &[two("graphblas.min_plus")],
        suits: Facts::is_product,
    },
    Row {
        name: "min-plus SpMV",
        ours: Ours::Statement("y(i) = min_plus(j, A(i,j), x(j))", "dense ; fill = inf", Memory::Kept),
        operands: &[Given("A", Made::Matrix(DISTANCES)), VECTOR],
        peers: &[two("graphblas.min_plus_vector")],
        suits: Facts::is_matrix,
    },
    Row {
        name: "SpAdd 2",
        ours: Ours::Statement("S(i,j) = A(i,j) + B(i,j)", CSR, Memory::New),
        operands: &[Given("A", Made::Matrix(CSR)), Given("B", Made::Shifted(3))],
        peers: ADD_PEERS,
        suits: Facts::is_matrix,
    },
    Row {
        name: "SpAdd 7",
        ours: Ours::Statement(
            "S(i,j) = A(i,j) + B(i,j) + C(i,j) + D(i,j) + E(i,j) + F(i,j) + G(i,j)",
            CSR,
            Memory::New,
        ),
        operands: &[
            Given("A", Made::Matrix(CSR)),
            Given("B", Made::Shifted(3)),
            Given("C", Made::Shifted(6)),
            Given("D", Made::Shifted(9)),
            Given("E", Made::Shifted(12)),
            Given("F", Made::Shifted(15)),
            Given("G", Made::Shifted(18)),
        ],
        peers: ADD_PEERS,
        suits: Facts::is_matrix,
    },
    sddmm(
        "SDDMM 32",
        &[
            Given("A", Made::Matrix(CSR)),
            Given("B", Made::Dense(&[Mode(0), Of(32)])),
            Given("D", Made::Dense(&[Mode(1), Of(32)])),
        ],
        |f| narrow(f, 32),
    ),
    sddmm(
        "SDDMM 128",
        &[
            Given("A", Made::Matrix(CSR)),
            Given("B", Made::Dense(&[Mode(0), Of(128)])),
            Given("D", Made::Dense(&[Mode(1), Of(128)])),
        ],
        |f| narrow(f, 128),
    ),
    Row {
        name: "MTTKRP 32",
        ours: Ours::Statement("Y(i,r) = X(i,j,k) * B(j,r) * C(k,r)", "dense", Memory::Kept),
        operands: &[
            Given("X", Made::Tensor),
            Given("B", Made::Dense(&[Mode(1), Of(32)])),
            Given("C", Made::Dense(&[Mode(2), Of(32)])),
        ],
        peers: &[two("numba.mttkrp"), two("c.mttkrp")],
        suits: Facts::is_tensor,
    },
    Row {
        name: "TTV",
        ours: Ours::Statement("Y(i,j) = X(i,j,k) * x(k)", "dense", Memory::Kept),
        operands: &[Given("X", Made::Tensor), Given("x", Made::Dense(&[Mode(2)]))],
        peers: &[two("numba.ttv"), two("c.ttv")],
        // Of larger results, clearing them is all that there is to see.
        suits: |f| f.is_tensor() && f.dims[0] * f.dims[1] <= 8 * f.nnz,
    },
    Row {
        name: "TTM 32 into ssd",
        ours: Ours::Statement("Y(i,j,r) = X(i,j,k) * B(k,r)", "ssd ; pos = i32 ; crd = i32", Memory::New),
        operands: &[Given("X", Made::Tensor), Given("B", Made::Dense(&[Mode(2), Of(32)]))],
        peers: &[two("c.ttm")],
        suits: Facts::is_tensor,
    },
    converts(
        "CSR -> CSC",
        &[Given("A", Made::Matrix(CSR))],
        CSC,
        &[
            one("scipy.convert:csr:csc"),
            two("mkl.convert:csr:csc"),
            two("graphblas.convert:csr:csc"),
            one("c.convert:csr:csc"),
            one("eigen.convert:csr:csc"),
        ],
        Facts::is_matrix,
    ),
    converts(
        "CSC -> CSR",
        &[Given("A", Made::Matrix(CSC))],
        CSR,
        &[one("scipy.convert:csc:csr"), two("mkl.convert:csc:csr"), one("c.convert:csc:csr")],
        Facts::is_matrix,
    ),
    converts(
        "CSR -> COO",
        &[Given("A", Made::Matrix(CSR))],
        COO,
        &[one("scipy.convert:csr:coo"), two("mkl.convert:csr:coo"), one("c.convert:csr:coo")],
        Facts::is_matrix,
    ),
    converts(
        "CSR -> BCSR",
        &[Given("A", Made::Matrix(CSR))],
        BCSR,
        &[one("scipy.convert:csr:bsr{b}"), two("mkl.convert:csr:bsr{b}"), one("c.convert:csr:bsr{b}")],
        |f| f.block.is_some(),
    ),
    converts(
        "COO -> CSR sorted",
        &[Given("A", Made::Matrix(COO))],
        CSR,
        &[one("scipy.convert:coo:csr"), two("mkl.convert:coo:csr"), one("c.convert:coo:csr")],
        Facts::is_matrix,
    ),
    Row {
        name: "from_coo unsorted",
        ours: Ours::Pack,
        operands: &[Given("L", Made::Loose)],
        peers: &[one("scipy.from_coo"), two("graphblas.from_coo"), one("c.from_coo"), one("eigen.from_coo")],
        suits: Facts::is_matrix,
    },
    Row {
        name: "asarray(csr)",
        ours: Ours::Adopt,
        operands: &[Given("A", Made::Matrix(CSR))],
        peers: &[one("scipy.copy"), one("c.copy")],
        suits: Facts::is_matrix,
    },
    Row {
        name: "read .mtx general",
        ours: Ours::Read,
        operands: &[Given("M", Made::File)],
        peers: READ_PEERS,
        suits: |f| f.symmetric_file == Some(false),
    },
    Row {
        name: "read .mtx symmetric",
        ours: Ours::Read,
        operands: &[Given("M", Made::File)],
        peers: READ_PEERS,
        suits: |f| f.symmetric_file == Some(true),
    },
];
