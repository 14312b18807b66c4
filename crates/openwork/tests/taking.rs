//! Operands that are given away: results in their memory, with the bits that they have without.

use openwork::{Coo, DType, Decl, Format, FormatExt, Operand, Scalar, Session, Tensor, TensorExt};
use openwork_storage::pack;

fn dense(shape: &[usize], first: f64) -> Tensor {
    let n: usize = shape.iter().product();
    Tensor::from_vec(shape, (0..n).map(|k| first + (k % 7) as f64).collect()).unwrap()
}

/// A tensor with some elements that are stored.
fn sparse(shape: &[usize], format: &str, fill: &str) -> Tensor {
    let all: usize = shape.iter().product();
    let coords = |mut at: usize| -> Vec<usize> {
        let mut out: Vec<usize> = shape
            .iter()
            .rev()
            .map(|n| {
                let c = at % n;
                at /= n;
                c
            })
            .collect();
        out.reverse();
        out
    };
    let entries: Vec<(Vec<usize>, Scalar)> =
        (0..all).step_by(3).map(|at| (coords(at), Scalar::F64(-0.5 + at as f64))).collect();
    let coo = Coo::from_entries(shape, DType::F64, &entries).unwrap();
    let format = Format::parse(format, shape.len()).unwrap().with_fill(fill.to_string());
    let fill = format.fill_value(DType::F64).unwrap();
    pack(&coo, &format, fill).unwrap()
}

/// The name of the variant that runs where the first operand is given away; the result is what it is without.
fn run_in_place(text: &str, given: &[(&str, &Tensor)], format: Option<&str>) -> &'static str {
    let mut decls = openwork::declare_operands(given);
    if let Some(format) = format {
        let name = text.split('(').next().unwrap().trim();
        let format = Format::parse(format, given[0].1.shape().len()).unwrap();
        decls.tensors.entry(name.into()).or_insert(Decl { format: Some(format), ..Decl::default() });
    }
    let mut names = Vec::new();
    for chunks in [1, 3] {
        let kernel = Session::global().compile(text, &decls).unwrap().with_chunks(chunks);
        let expected = kernel.run(given).unwrap();
        let (name, first) = given[0];
        let first = Tensor::from_vec(first.shape(), first.vals().as_slice::<f64>().unwrap().to_vec())
            .unwrap()
            .to_format(first.format())
            .unwrap();
        let at = first.vals().as_ptr();
        let all = given[1..].iter().map(|&(name, t)| (name, Operand::Borrow(t)));
        let done = kernel.run_taking(all.chain([(name, Operand::Take(first))])).unwrap();
        let bits =
            |t: &Tensor| t.vals().as_slice::<f64>().unwrap().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&done.tensor), bits(&expected.tensor), "{text}, {chunks} chunks");
        assert_eq!(done.tensor, expected.tensor, "{text}");
        assert_eq!(done.ran.name == "in place", done.tensor.vals().as_ptr() == at, "{text}");
        names.push(done.ran.name);
    }
    assert_eq!(names[0], names[1], "{text}");
    names[0]
}

#[test]
fn results_take_the_memory_of_operands() {
    let (x, b) = (dense(&[50], 1.0), dense(&[50], -3.0));
    let (t, inf) = (sparse(&[50], "sv", "0"), sparse(&[50], "sv", "inf"));
    let (d, e) = (dense(&[20, 50], 2.0), dense(&[20, 50], 0.5));
    let (a, c, tall) =
        (sparse(&[20, 50], "csr", "0"), sparse(&[20, 50], "csc", "0"), sparse(&[50, 20], "csr", "0"));
    for (text, given) in [
        ("x(i) += t(i)", vec![("x", &x), ("t", &t)]),
        ("x(i) min= t(i)", vec![("x", &x), ("t", &t)]),
        ("x(i) min= t(i)", vec![("x", &x), ("t", &inf)]),
        ("x(i) = 2 * x(i) + b(i)", vec![("x", &x), ("b", &b)]),
        ("x(i) = b(i) - 3 * x(i)", vec![("x", &x), ("b", &b)]),
        ("y(i) = b(i) / x(i)", vec![("x", &x), ("b", &b)]),
        ("y(i) = sqrt(abs(x(i)))", vec![("x", &x)]),
        ("x(j) += d(i,j) * 2", vec![("x", &x), ("d", &d)]),
        ("x(j) += A(i,j)", vec![("x", &x), ("A", &a)]),
        ("x(i) += A(i,j) * b(j)", vec![("x", &dense(&[20], 1.0)), ("A", &a), ("b", &b)]),
        ("x(j) += A(i,j) * s(i)", vec![("x", &x), ("A", &a), ("s", &dense(&[20], 1.0))]),
        ("x(i) = x(i) * sum(j, A(i,j) * b(j))", vec![("x", &dense(&[20], 1.0)), ("A", &a), ("b", &b)]),
        ("d(i,j) += A(i,j)", vec![("d", &d), ("A", &a)]),
        ("d(i,j) += A(i,j)", vec![("d", &d), ("A", &c)]),
        ("d(i,j) += A(i,j) * x(j)", vec![("d", &d), ("A", &a), ("x", &x)]),
        ("d(i,j) = max(d(i,j), e(i,j) + A(i,j))", vec![("d", &d), ("e", &e), ("A", &a)]),
        ("d(i,j) += A(i,k) * B(k,j)", vec![("d", &dense(&[20, 20], 1.0)), ("A", &a), ("B", &tall)]),
        (
            "d(i,j) += A(i,k) * e(k,j)",
            vec![("d", &dense(&[20, 50], 1.0)), ("A", &sparse(&[20, 20], "csr", "0")), ("e", &e)],
        ),
        ("d(i,j) *= x(j)", vec![("d", &d), ("x", &x)]),
        ("y(i,j) = where(d(i,j) > 3, d(i,j), e(i,j))", vec![("d", &d), ("e", &e)]),
    ] {
        println!("{text}: {}", run_in_place(text, &given, None));
    }
}
