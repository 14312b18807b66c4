//! The statements of the corpus, and the formats that each one is stored in.

use super::data::Weight;

/// A statement in several formats.
pub struct Family {
    pub name: &'static str,
    pub statement: &'static str,
    pub weight: Weight,
    /// The kinds of data that suit it, by name; every kind of its order where there is none.
    pub data: &'static [&'static str],
    /// Formats of the operands in order of appearance, and of the result behind `->`; `?` leaves it to the planner. The kinds
    /// of data that suit these formats only may follow behind `@`.
    pub stored: &'static [&'static str],
}

const fn family(
    name: &'static str,
    weight: Weight,
    statement: &'static str,
    stored: &'static [&'static str],
) -> Family {
    Family { name, statement, weight, data: &[], stored }
}

/// Results with an element for every row and column.
const DENSE: &[&str] = &["thick", "small"];

use Weight::{Cube, Linear, Product};

pub const FAMILIES: &[Family] = &[
    family(
        "spmv",
        Linear,
        "y(i) = A(i,j) * x(j)",
        &[
            "csr dense -> dense",
            "csc dense -> dense",
            "coo dense -> dense",
            "dcsr dense -> dense",
            "ell dense -> dense @ band",
            "dia dense -> dense @ band",
            "csr sv -> dense",
            "csc sv -> dense",
            "coo sv -> dense",
            "dcsr hash -> dense",
            "csr sv -> sv",
            "csc sv -> sv",
            "csr bitmap -> ?",
        ],
    ),
    family(
        "spmv of the transpose",
        Linear,
        "y(j) = A(i,j) * x(i)",
        &["csr dense -> dense", "csc dense -> dense", "coo sv -> dense", "csr sv -> sv", "dcsr dense -> ?"],
    ),
    family(
        "spmv with bias",
        Linear,
        "y(i) = A(i,j) * x(j) + b(i)",
        &["csr dense dense -> dense", "csc dense dense -> dense", "coo dense sv -> dense", "csr sv sv -> sv"],
    ),
    family(
        "spmv of a sum",
        Linear,
        "y(i) = (A(i,j) + B(i,j)) * x(j)",
        &[
            "csr csr dense -> dense",
            "csr csc dense -> dense",
            "coo csr dense -> dense",
            "dcsr csc sv -> dense",
        ],
    ),
    family(
        "spmm",
        Product,
        "C(i,r) = A(i,j) * X(j,r)",
        &[
            "csr dense -> dense",
            "csc dense -> dense",
            "coo dense -> dense",
            "dcsr dense -> dense",
            "csr dense -> csr",
        ],
    ),
    family(
        "spmm of the transpose",
        Product,
        "C(j,r) = A(i,j) * X(i,r)",
        &["csr dense -> dense", "csc dense -> dense", "coo dense -> dense"],
    ),
    family(
        "spmm from the right",
        Product,
        "C(r,j) = X(r,i) * A(i,j)",
        &["dense csr -> dense", "dense csc -> dense"],
    ),
    family(
        "spgemm",
        Product,
        "C(i,k) = A(i,j) * B(j,k)",
        &[
            "csr csr -> csr",
            "csr csc -> csr",
            "csc csr -> csr",
            "csc csc -> csc",
            "csc csc -> csr",
            "coo coo -> coo",
            "dcsr dcsr -> dcsr",
            "csr hash -> csr",
            "csr csr -> csc",
            "csr coo -> ?",
        ],
    ),
    Family {
        name: "spgemm, dense result",
        statement: "C(i,k) = A(i,j) * B(j,k)",
        weight: Product,
        data: DENSE,
        stored: &["csr csr -> dense", "csr csc -> dense", "csc csr -> dense", "coo csc -> dense"],
    },
    family(
        "times transposed",
        Product,
        "C(i,k) = A(i,j) * B(k,j)",
        &["csr csr -> csr", "csc csc -> csc", "coo coo -> csr", "csr csc -> csr"],
    ),
    family(
        "transposed times",
        Product,
        "C(j,k) = A(i,j) * B(i,k)",
        &["csr csr -> csr", "csc csr -> csr", "csc csc -> csr"],
    ),
    family(
        "masked product",
        Product,
        "C(i,k) = M(i,k) * A(i,j) * B(j,k)",
        &[
            "csr csr csr -> csr",
            "csr csr csc -> csr",
            "csr csc csr -> csr",
            "csc csc csc -> csc",
            "coo coo coo -> coo",
            "dcsr csr csr -> dcsr",
            "hash csr csr -> csr",
        ],
    ),
    family(
        "masked times transposed",
        Product,
        "C(i,k) = M(i,k) * A(i,j) * B(k,j)",
        &["csr csr csr -> csr", "csc csc csc -> csc", "csr csr csc -> csr", "coo csr csr -> csr"],
    ),
    family(
        "triangles",
        Product,
        "s = A(i,j) * A(j,k) * A(i,k)",
        &["csr -> dense", "csc -> dense", "coo -> dense", "dcsr -> dense"],
    ),
    family(
        "triangles of three",
        Product,
        "s = A(i,j) * B(j,k) * C(i,k)",
        &["csr csr csr -> dense", "csr csc csr -> dense", "csc csc csc -> dense"],
    ),
    family(
        "sum",
        Linear,
        "C(i,j) = A(i,j) + B(i,j)",
        &[
            "csr csr -> csr",
            "csr csc -> csr",
            "coo coo -> coo",
            "csr coo -> csr",
            "csc csc -> csr",
            "dcsr csr -> csr",
            "hash csr -> csr",
            "dia dia -> csr @ band",
            "csr csr -> dense @ thick",
        ],
    ),
    family(
        "sum of three",
        Linear,
        "D(i,j) = A(i,j) + B(i,j) + C(i,j)",
        &["csr csr csr -> csr", "csr csc csr -> csr", "coo coo csr -> coo", "csc csc csr -> csr"],
    ),
    family(
        "sum with the transpose",
        Linear,
        "C(i,j) = A(i,j) + A(j,i)",
        &["csr -> csr", "csc -> csr", "coo -> coo", "dcsr -> dcsr"],
    ),
    family(
        "elements",
        Linear,
        "C(i,j) = A(i,j) * B(i,j)",
        &[
            "csr csr -> csr",
            "csr csc -> csr",
            "coo csr -> csr",
            "csr hash -> csr",
            "csr dense -> csr @ thick",
            "csc dense -> csr @ thick",
            "dcsr coo -> ?",
        ],
    ),
    family(
        "elements of three",
        Linear,
        "D(i,j) = A(i,j) * B(i,j) * C(i,j)",
        &["csr csr csr -> csr", "csr csc coo -> csr"],
    ),
    family(
        "elements and a sum",
        Linear,
        "D(i,j) = A(i,j) * B(i,j) + C(i,j)",
        &["csr csr csr -> csr", "csc csr csr -> csr", "coo coo coo -> coo"],
    ),
    family(
        "inner product",
        Linear,
        "s = A(i,j) * B(i,j)",
        &["csr csr -> dense", "csr csc -> dense", "coo hash -> dense"],
    ),
    family(
        "chain",
        Product,
        "D(i,l) = A(i,j) * B(j,k) * C(k,l)",
        &["csr csr csr -> csr", "csc csc csc -> csc", "csr csc csr -> csr"],
    ),
    family(
        "chain on a vector",
        Product,
        "y(i) = A(i,j) * B(j,k) * x(k)",
        &["csr csr dense -> dense", "csc csc dense -> dense", "csr csr sv -> sv", "coo csc sv -> dense"],
    ),
    family(
        "normal equations",
        Product,
        "y(j) = A(i,j) * A(i,k) * x(k)",
        &["csr dense -> dense", "csc dense -> dense", "coo dense -> dense"],
    ),
    family(
        "chain on columns",
        Product,
        "D(i,r) = A(i,j) * B(j,k) * X(k,r)",
        &["csr csr dense -> dense", "csc csr dense -> dense"],
    ),
    family(
        "bilinear",
        Linear,
        "s = x(i) * A(i,j) * y(j)",
        &["dense csr dense -> dense", "dense csc dense -> dense", "sv csr sv -> dense", "sv csc sv -> dense"],
    ),
    family(
        "sddmm",
        Product,
        "C(i,j) = S(i,j) * U(i,r) * V(j,r)",
        &[
            "csr dense dense -> csr",
            "csc dense dense -> csr",
            "coo dense dense -> coo",
            "dcsr dense dense -> csr",
        ],
    ),
    family(
        "sddmm, columns in order",
        Product,
        "C(i,j) = S(i,j) * U(i,r) * V(r,j)",
        &["csr dense dense -> csr", "csr dense dense:1,0 -> csr"],
    ),
    family(
        "sddmm and spmm",
        Product,
        "C(i,q) = S(i,j) * U(i,r) * V(j,r) * X(j,q)",
        &["csr dense dense dense -> dense", "csc dense dense dense -> dense"],
    ),
    family(
        "mttkrp",
        Cube,
        "M(i,r) = T(i,j,k) * B(j,r) * C(k,r)",
        &[
            "csf dense dense -> dense",
            "sss:2,1,0 dense dense -> dense",
            "sss:1,0,2 dense dense -> dense",
            "coo dense dense -> dense",
            "csf csr csr -> csr",
            "csf csc csc -> dense",
        ],
    ),
    family(
        "mttkrp of the middle",
        Cube,
        "M(j,r) = T(i,j,k) * A(i,r) * C(k,r)",
        &["csf dense dense -> dense", "coo dense dense -> dense"],
    ),
    family(
        "ttv",
        Cube,
        "Y(i,j) = T(i,j,k) * x(k)",
        &[
            "csf dense -> csr",
            "csf dense -> dense",
            "sss:2,1,0 dense -> csr",
            "coo dense -> coo",
            "csf sv -> csr",
        ],
    ),
    family(
        "ttv of the first",
        Cube,
        "Y(j,k) = T(i,j,k) * x(i)",
        &["csf dense -> csr", "csf sv -> csr", "coo dense -> dcsr"],
    ),
    family(
        "ttm",
        Cube,
        "Y(i,j,r) = T(i,j,k) * B(k,r)",
        &["csf dense -> ssd", "sss:2,0,1 dense -> ssd", "csf csr -> csf"],
    ),
    family(
        "inner product of tensors",
        Cube,
        "s = T(i,j,k) * U(i,j,k)",
        &["csf csf -> dense", "csf sss:2,1,0 -> dense", "coo csf -> dense"],
    ),
    family(
        "sum of tensors",
        Cube,
        "V(i,j,k) = T(i,j,k) + U(i,j,k)",
        &["csf csf -> csf", "csf sss:1,0,2 -> csf", "coo coo -> coo"],
    ),
    family("slices", Cube, "Y(i,j) = T(i,j,k)", &["csf -> csr", "sss:2,1,0 -> csr", "coo -> dense"]),
    family("row maximum", Linear, "m(i) = max(j, A(i,j))", &["csr -> dense", "csc -> dense", "coo -> dense"]),
    family(
        "row sum",
        Linear,
        "y(i) = A(i,j)",
        &["csr -> dense", "csc -> dense", "coo -> sv", "dcsr -> dense"],
    ),
    family("column sum", Linear, "y(j) = A(i,j)", &["csr -> dense", "coo -> dense"]),
    family("whole sum", Linear, "s = A(i,j)", &["csr -> dense", "coo -> dense", "hash -> dense"]),
    family(
        "copy",
        Linear,
        "B(i,j) = A(i,j)",
        &[
            "csr -> csc",
            "coo -> csr",
            "csc -> coo",
            "csr -> dcsr",
            "csr -> hash",
            "csr -> ell @ band",
            "csr -> dia @ band",
            "csc -> dense @ thick",
        ],
    ),
    family("transpose", Linear, "B(j,i) = A(i,j)", &["csr -> csr", "coo -> csr", "csr -> coo"]),
    family(
        "copy of a tensor",
        Cube,
        "U(i,j,k) = T(i,j,k)",
        &["csf -> sss:2,1,0", "coo -> csf", "sss:1,2,0 -> coo"],
    ),
    family(
        "rows scaled",
        Linear,
        "C(i,j) = A(i,j) * x(i)",
        &["csr dense -> csr", "csc dense -> csc", "coo dense -> coo", "csr sv -> csr", "csc sv -> csr"],
    ),
    family(
        "columns scaled",
        Linear,
        "C(i,j) = A(i,j) * x(j)",
        &["csr dense -> csr", "csr sv -> csr", "csc sv -> csr"],
    ),
    family(
        "rows and columns scaled",
        Linear,
        "C(i,j) = x(i) * A(i,j) * y(j)",
        &["dense csr dense -> csr", "sv csr sv -> csr", "dense coo sv -> dcsr"],
    ),
    Family {
        name: "outer product",
        statement: "C(i,j) = x(i) * y(j)",
        weight: Product,
        data: &["uniform", "band"],
        stored: &["sv sv -> csr", "sv sv -> csc", "sv sv -> coo"],
    },
    family(
        "vectors",
        Linear,
        "s = x(i) * y(i)",
        &["sv sv -> dense", "sv dense -> dense", "hash sv -> dense", "bitmap sv -> dense"],
    ),
    family("sum of vectors", Linear, "z(i) = x(i) + y(i)", &["sv sv -> sv", "sv bitmap -> sv"]),
];
