use super::CBackend;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_backend::Backend;
use openwork_backend::conformance::{csr_spmv, sparse_add};
use openwork_loops::build::{constant, for_each, int, load, store, var};
use openwork_loops::{BufRole, Expr, LoopKernel, Stmt};

openwork_backend::conformance!(CBackend::new());

#[test]
fn a_listing_reads_like_hand_written_c() {
    let text = CBackend::new().listing(&csr_spmv(DType::I32, DType::F64)).expect("valid");
    let wanted = "\
int32_t spmv_i32_f64(openwork_call *call)
{
    const int64_t rows = call->params[0];
    const int32_t *restrict A2_pos = call->bufs[0].ptr;
    const int32_t *restrict A2_crd = call->bufs[1].ptr;
    const double *restrict A_vals = call->bufs[2].ptr;
    const double *restrict x_vals = call->bufs[3].ptr;
    double *restrict y_vals = call->bufs[4].ptr;

    for (int64_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int64_t p = (int64_t)A2_pos[i], p_end = (int64_t)A2_pos[i + 1]; p < p_end; p++) {
            const int64_t j = (int64_t)A2_crd[p];
            sum = sum + A_vals[p] * x_vals[j];
        }
        y_vals[i] = sum;
    }
    return 0;
}
";
    assert!(text.ends_with(wanted), "{text}");
}

#[test]
fn growing_buffers_are_not_restrict_and_know_their_capacity() {
    let text = CBackend::new().listing(&sparse_add()).expect("valid");
    for part in [
        "    double *c_vals = call->bufs[7].ptr;\n",
        "    int32_t *restrict c1_pos = call->bufs[8].ptr;\n",
        "    uint64_t c_vals_cap = call->bufs[7].cap;\n",
        "    while (pa < pa_end && pb < pb_end) {\n",
        "        } else if (ia == i) {\n",
    ] {
        assert!(text.contains(part), "{part:?} not in\n{text}");
    }
}

#[test]
fn integers_are_divided_by_functions_but_powers_of_two_shift() {
    let mut k = LoopKernel::new("divide");
    let (x, y) = (k.buf("x", DType::I32, BufRole::In), k.buf("y", DType::I32, BufRole::Out));
    let by = |prim, n| Expr::Call { prim, args: vec![load(x, int(0)), constant(Scalar::I32(n))] };
    for (n, val) in [by(Prim::Quot, 6), by(Prim::Quot, 8), by(Prim::Rem, 8)].into_iter().enumerate() {
        k.body.push(store(y, int(n as i64), val));
    }
    let text = CBackend::new().listing(&k).expect("valid");
    let wanted = "
static inline int32_t quot_i32(int32_t a, int32_t b)
{
    const int32_t sign = a < 0 ? -1 : 0;
    const uint32_t size = b < 0 ? -(uint32_t)b : (uint32_t)b;
    if (!size)
        return 0;
    const int32_t q = (int32_t)((uint32_t)(a ^ sign) / size) ^ sign;
    return b < 0 ? (int32_t)(0 - (uint32_t)q) : q;
}

static inline int32_t shr_i32(int32_t a, int32_t b)
{
    return a >> (b & 31);
}
";
    let lines = "    y[0] = quot_i32(x[0], 6);\n    y[1] = shr_i32(x[0], 3);\n    y[2] = x[0] & 7;\n";
    assert!(text.contains(wanted) && text.contains(lines), "{text}");
}

#[test]
fn names_of_c_are_avoided_and_notes_stay_comments() {
    let mut k = LoopKernel::new("double");
    let x = k.buf("f64x2", DType::F64, BufRole::In);
    let out = k.buf("out[0]", DType::F64, BufRole::Out);
    let i = k.index("asm");
    k.body = vec![
        Stmt::Note("first\nint x; \\".into()),
        for_each(
            i,
            int(0),
            int(2),
            vec![store(
                out,
                var(i),
                Expr::Call { prim: Prim::Mul, args: vec![load(x, var(i)), constant(Scalar::F64(-0.1))] },
            )],
        ),
    ];
    let b = CBackend::new();
    let text = b.listing(&k).expect("valid");
    for part in ["// first int x; \n", "out_0_[asm_] = v_f64x2[asm_] * -0.1;"] {
        assert!(text.contains(part), "{part:?} not in\n{text}");
    }
    if b.available().is_ok() {
        b.compile(&k).expect("C that compiles");
    }
}
