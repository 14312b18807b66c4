//! The statements that are timed, whose counts are committed as well (`tests/counts.txt`).

/// Kernel name, statement, formats.
pub type NamedWorkload = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Every kernel of the first milestone.
pub const KERNELS: &[NamedWorkload] = &[
    ("SpMV csr", "y(i) = A(i,j) * x(j)", &[("A", "csr")]),
    ("SpMV csc", "y(i) = A(i,j) * x(j)", &[("A", "csc")]),
    ("SpMV coo", "y(i) = A(i,j) * x(j)", &[("A", "coo")]),
    ("SpMV dcsr", "y(i) = A(i,j) * x(j)", &[("A", "dcsr")]),
    ("SpMM csr", "C(i,k) = A(i,j) * B(j,k)", &[("A", "csr")]),
    ("csr + csr", "A(i,j) = B(i,j) + C(i,j)", &[("B", "csr"), ("C", "csr")]),
    (
        "csf + csf + csf",
        "A(i,j,k) = B(i,j,k) + C(i,j,k) + D(i,j,k)",
        &[("B", "csf"), ("C", "csf"), ("D", "csf")],
    ),
    ("csf * csf", "A(i,j,k) = B(i,j,k) * C(i,j,k)", &[("B", "csf"), ("C", "csf")]),
    ("MTTKRP csf", "Y(i,r) = X(i,j,k) * B(j,r) * C(k,r)", &[("X", "csf")]),
    ("TTV csf", "Y(i,j) = X(i,j,k) * x(k)", &[("X", "csf")]),
    ("TTM csf", "Y(i,j,r) = X(i,j,k) * B(k,r)", &[("X", "csf"), ("Y", "ssd")]),
    ("SDDMM csr", "Y(i,j) = S(i,j) * A(i,k) * B(j,k)", &[("S", "csr")]),
];

/// A product, and statements that do more with it.
pub struct ProductGroup {
    /// What the group is called.
    pub name: &'static str,
    /// The product alone.
    pub product: &'static str,
    /// What the statements are called, the statements, and what they consist of besides the product.
    pub epilogues: &'static [Epilogue],
    /// The operands that are not dense: which input each is, and its format.
    pub operands: &'static [(&'static str, &'static str)],
}
/// What a statement is called, the statement, and what it consists of besides the product.
pub type Epilogue = (&'static str, &'static str, &'static [&'static str]);

const BIAS: &str = "s = b(i)";
const COLUMNS: &str = "s = c(k)";
const MATRIX: &str = "s = C(i,k)";
const OLD: &str = "s = Y(i,k)";
const SPARSE: &str = "s = D(i,k)";

const SPMM: &[Epilogue] = &[
    ("accumulate", "Y(i,k) += W(i,j) * X(j,k)", &[OLD]),
    ("bias of rows", "Y(i,k) = W(i,j) * X(j,k) + b(i)", &[BIAS]),
    ("bias of columns", "Y(i,k) = W(i,j) * X(j,k) + c(k)", &[COLUMNS]),
    ("plus dense", "Y(i,k) = W(i,j) * X(j,k) + C(i,k)", &[MATRIX]),
    ("residual", "Y(i,k) = C(i,k) - W(i,j) * X(j,k)", &[MATRIX]),
    ("alpha, beta", "Y(i,k) = 2.0 * sum(j, W(i,j) * X(j,k)) + 3.0 * C(i,k)", &[MATRIX]),
    ("plus csr", "Y(i,k) = W(i,j) * X(j,k) + D(i,k)", &[SPARSE]),
    ("relu", "Y(i,k) = max(0.0, sum(j, W(i,j) * X(j,k)) + b(i))", &[BIAS]),
    ("scale after", "Y(i,k) = sum(j, W(i,j) * X(j,k)) * b(i)", &[BIAS]),
    ("divide after", "Y(i,k) = sum(j, W(i,j) * X(j,k)) / b(i)", &[BIAS]),
    ("two products", "Y(i,k) = W(i,j) * X(j,k) + W(i,j) * V(j,k)", &["Y(i,k) = W(i,j) * V(j,k)"]),
    ("difference", "Y(i,k) = W(i,j) * X(j,k) - W(i,j) * V(j,k)", &["Y(i,k) = W(i,j) * V(j,k)"]),
    (
        "three products",
        "Y(i,k) = W(i,j) * X(j,k) + W(i,j) * V(j,k) + W(i,j) * U(j,k)",
        &["Y(i,k) = W(i,j) * V(j,k)", "Y(i,k) = W(i,j) * U(j,k)"],
    ),
];
const SPMV: &[Epilogue] = &[
    ("accumulate", "y(i) += W(i,j) * x(j)", &["s = y(i)"]),
    ("bias", "y(i) = W(i,j) * x(j) + b(i)", &[BIAS]),
    ("residual", "y(i) = b(i) - W(i,j) * x(j)", &[BIAS]),
    ("relu", "y(i) = max(0.0, sum(j, W(i,j) * x(j)) + b(i))", &[BIAS]),
    ("scale after", "y(i) = sum(j, W(i,j) * x(j)) / b(i)", &[BIAS]),
];
const MTTKRP: &[Epilogue] = &[
    ("accumulate", "A(i,r) += T(i,j,k) * F(j,r) * G(k,r)", &["s = A(i,r)"]),
    ("plus dense", "A(i,r) = T(i,j,k) * F(j,r) * G(k,r) + E(i,r)", &["s = E(i,r)"]),
    ("relu", "A(i,r) = max(0.0, sum(j, k, T(i,j,k) * F(j,r) * G(k,r)))", &[]),
    ("scale after", "A(i,r) = sum(j, k, T(i,j,k) * F(j,r) * G(k,r)) / b(i)", &[BIAS]),
];
const TTM: &[Epilogue] = &[
    ("accumulate", "Z(i,j,r) += T(i,j,k) * G(k,r)", &["s = Z(i,j,r)"]),
    ("bias", "Z(i,j,r) = T(i,j,k) * G(k,r) + b(i)", &[BIAS]),
    ("relu", "Z(i,j,r) = max(0.0, sum(k, T(i,j,k) * G(k,r)) + b(i))", &[BIAS]),
    ("scale after", "Z(i,j,r) = sum(k, T(i,j,k) * G(k,r)) / b(i)", &[BIAS]),
];
const SDDMM: &[Epilogue] = &[
    ("accumulate", "Y(i,j) += S(i,j) * P(i,k) * Q(j,k)", &["Y(i,j) = S(i,j) + D(i,j)"]),
    ("plus csr", "Y(i,j) = S(i,j) * P(i,k) * Q(j,k) + D(i,j)", &["Y(i,j) = S(i,j) + D(i,j)"]),
    ("relu", "Y(i,j) = max(0.0, sum(k, S(i,j) * P(i,k) * Q(j,k)))", &[]),
    ("scale after", "Y(i,j) = sum(k, S(i,j) * P(i,k) * Q(j,k)) / b(i)", &[BIAS]),
];

const SPARSE_PRODUCTS: &[Epilogue] = &[
    ("sum", "C(i,k) = W(i,j) * Z(j,k) + Z(i,j) * W(j,k)", &["C(i,k) = Z(i,j) * W(j,k)"]),
    ("difference", "C(i,k) = W(i,j) * Z(j,k) - Z(i,j) * W(j,k)", &["C(i,k) = Z(i,j) * W(j,k)"]),
];

const PRODUCT: &str = "Y(i,k) = W(i,j) * X(j,k)";
const TERNARY: &str = "A(i,r) = T(i,j,k) * F(j,r) * G(k,r)";
const FIBRES: &str = "Z(i,j,r) = T(i,j,k) * G(k,r)";

/// Products with what is added to them, or done with them.
pub const GROUPS: &[ProductGroup] = &[
    ProductGroup { name: "SpMM csr", product: PRODUCT, epilogues: SPMM, operands: &[("W", "layer csr")] },
    ProductGroup { name: "SpMM thin csr", product: PRODUCT, epilogues: SPMM, operands: &[("W", "thin csr")] },
    ProductGroup { name: "SpMM csc", product: PRODUCT, epilogues: SPMM, operands: &[("W", "layer csc")] },
    ProductGroup { name: "SpMM coo", product: PRODUCT, epilogues: SPMM, operands: &[("W", "layer coo")] },
    ProductGroup { name: "SpMM dcsr", product: PRODUCT, epilogues: SPMM, operands: &[("W", "layer dcsr")] },
    ProductGroup {
        name: "SpMM bcsr",
        product: PRODUCT,
        epilogues: SPMM,
        operands: &[("W", "layer bcsr(4,4)")],
    },
    ProductGroup { name: "GEMM", product: PRODUCT, epilogues: SPMM, operands: &[("W", "layer dense")] },
    ProductGroup {
        name: "SpMV csr",
        product: "y(i) = W(i,j) * x(j)",
        epilogues: SPMV,
        operands: &[("W", "thin csr")],
    },
    ProductGroup {
        name: "SpMV coo",
        product: "y(i) = W(i,j) * x(j)",
        epilogues: SPMV,
        operands: &[("W", "thin coo")],
    },
    ProductGroup {
        name: "SpMV csc",
        product: "y(i) = W(i,j) * x(j)",
        epilogues: SPMV,
        operands: &[("W", "thin csc")],
    },
    ProductGroup {
        name: "SpGEMM csr",
        product: "C(i,k) = W(i,j) * Z(j,k)",
        epilogues: SPARSE_PRODUCTS,
        operands: &[("W", "thin csr"), ("Z", "thin csr"), ("C", "csr")],
    },
    ProductGroup {
        name: "MTTKRP csf",
        product: TERNARY,
        epilogues: MTTKRP,
        operands: &[("T", "cube csf"), ("Z", "dense"), ("A", "dense")],
    },
    ProductGroup {
        name: "TTM csf",
        product: FIBRES,
        epilogues: TTM,
        operands: &[("T", "cube csf"), ("Z", "dense"), ("A", "dense")],
    },
    ProductGroup {
        name: "SDDMM csr",
        product: "Y(i,j) = S(i,j) * P(i,k) * Q(j,k)",
        epilogues: SDDMM,
        operands: &[("S", "thin csr"), ("D", "other csr"), ("Y", "csr")],
    },
];
