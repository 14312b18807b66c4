//! Sums of index variables: what they cost, which sizes their kernels are for, and that parts of the result are the same.

use crate::relations::count;
use openwork::{Buffer, Format, FormatExt, Tensor, TensorExt, compile_for, presets};

fn numbers(n: usize) -> Tensor {
    Tensor::from_vec(&[n], (0..n).map(|k| 1.0 / (1 + (k * 7) % 19) as f64).collect()).unwrap()
}

#[test]
fn a_stencil_costs_what_it_costs_in_windows() {
    let x = numbers(1000);
    let list = x.to_format(&presets::sparse_vector()).unwrap();
    for x in [&x, &list] {
        let sums = count("R(i) = x(i) - 2 * x(i+1) + x(i+2)", &[("x", x)], "dense", 1);
        let windows = count("R(i) = x(i(0:-2)) - 2 * x(i(1:-1)) + x(i(2:))", &[("x", x)], "dense", 1);
        assert_eq!((sums.0.rounds, sums.0.loads), (windows.0.rounds, windows.0.loads));
        assert_eq!(sums.1, windows.1);
    }
    let (counts, _) = count("R(i) = x(i+d) * w(d)", &[("x", &x), ("w", &numbers(15))], "dense", 1);
    // Nothing but the product, the weights included.
    assert!(counts.loads <= 986 * 30 + 1000, "{} loads", counts.loads);
}

#[test]
fn stencils_take_other_sizes_and_several_variables_do_not() {
    let given = |x| [("x", x)];
    let (small, large) = (numbers(10), numbers(30));
    let stencil = compile_for("R(i) = x(i) - x(i+1)", &given(&small)).unwrap();
    assert_eq!(stencil.run(&given(&large)).unwrap().tensor.shape(), [29]);
    let w = numbers(3);
    let taps = compile_for("R(i) = x(i+d) * w(d)", &[("x", &small), ("w", &w)]).unwrap();
    assert_eq!(taps.run(&[("x", &small), ("w", &w)]).unwrap().tensor.shape(), [8]);
    for (x, w) in [(&large, &w), (&small, &numbers(2)), (&numbers(5), &w), (&small, &numbers(4))] {
        let refused = taps.run(&[("x", x), ("w", w)]).unwrap_err();
        assert_eq!(refused.code().0, "E0203", "{refused}");
    }
    // Also where the kernel reads a copy in another format, and where nothing but the condition knows the size.
    let hash = |n| numbers(n).to_format(&Format::parse("hash", 1).unwrap()).unwrap();
    let taps = compile_for("R(i) = x(i+d) * w(d)", &[("x", &hash(10)), ("w", &w)]).unwrap();
    let positions = Tensor::dense(&[2], Buffer::from(vec![4i64, 1])).unwrap();
    let gather = compile_for("R(i) = padded(x(p(i)))", &[("x", &hash(3)), ("p", &positions)]).unwrap();
    for n in [2, 5, 12] {
        assert_eq!(taps.run(&[("x", &hash(n)), ("w", &w)]).unwrap_err().code().0, "E0203");
        assert_eq!(gather.run(&[("x", &hash(n)), ("p", &positions)]).unwrap_err().code().0, "E0203");
    }
    let padded = compile_for("R(i) = b(i) + padded(x(i+1))", &[("b", &small), ("x", &small)]).unwrap();
    let refused = padded.run(&[("b", &small), ("x", &large)]).unwrap_err();
    assert_eq!(refused.code().0, "E0203", "{refused}");
}

#[test]
fn chunks_make_the_same_convolution() {
    let (x, w) = (numbers(1000), numbers(15));
    let list = x.to_format(&presets::sparse_vector()).unwrap();
    for statement in
        ["R(i) = x(i+d) * w(d)", "R(i) = padded(x(i+d-7)) * w(d)", "R(i) = x(i) * padded(x(i-3), 2)"]
    {
        for x in [&x, &list] {
            let all = [("x", x), ("w", &w)];
            let given = if statement.contains("w(") { &all[..] } else { &all[..1] };
            let kernel = |n| compile_for(statement, given).unwrap().with_chunks(n);
            let one = kernel(1).run(given).unwrap().tensor;
            for n in [3, 8, 64] {
                assert_eq!(kernel(n).run(given).unwrap().tensor, one, "{statement} in {n} chunks");
            }
        }
    }
}
