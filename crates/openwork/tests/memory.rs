//! Workspaces, results and parts of results count towards the memory limit, which is one for the process: one test.

use openwork::{Coo, DType, Decl, Format, FormatExt, Kernel, Scalar, Session, Tensor, TensorExt};
use openwork_storage::{memory, pack};

fn matrix(n: usize, per_row: usize, format: &str) -> Tensor {
    let at = |i: usize, k: usize| vec![i, (i * 31 + k * 1009) % n];
    let entries: Vec<(Vec<usize>, Scalar)> =
        (0..n).flat_map(|i| (0..per_row).map(move |k| (at(i, k), Scalar::F64(1.0)))).collect();
    let coo = Coo::from_entries(&[n, n], DType::F64, &entries).unwrap();
    pack(&coo, &Format::parse(format, 2).unwrap(), Scalar::F64(0.0)).unwrap()
}

fn kernel(text: &str, operands: &[(&str, &Tensor)], result: &str, threads: usize) -> Kernel {
    let mut decls = openwork::Decls::default();
    for (name, t) in operands {
        let decl = Decl {
            dtype: Some(t.dtype()),
            format: Some(t.format().clone()),
            shape: Some(t.shape().to_vec()),
            stored: Some(t.nnz()),
            elements: None,
        };
        decls.tensors.insert((*name).into(), decl);
    }
    let format = Some(Format::parse(result, 2).unwrap());
    decls.tensors.insert("C".into(), Decl { format, ..Decl::default() });
    Session::global().compile(text, &decls).unwrap().with_threads(threads)
}

/// The least limit, to some 5%, under which the kernel runs, above what is held before.
fn least_limit(kernel: &Kernel, operands: &[(&str, &Tensor)]) -> u64 {
    memory::set_limit(8 << 30);
    drop(kernel.run(operands).unwrap());
    // Memory that was kept is not part of the question.
    memory::set_limit(1);
    assert!(memory::allow(|| "all".into(), 2).is_err());
    let held = memory::held_bytes();
    let (mut low, mut high) = (1u64 << 10, 8u64 << 30);
    while high - low > low / 20 {
        let middle = low + (high - low) / 2;
        memory::set_limit(held + middle);
        match kernel.run(operands) {
            Ok(_) => high = middle,
            Err(e) => {
                assert_eq!(e.code().0, "E0605", "{e}");
                low = middle;
            }
        }
        // Memory kept from a run with a higher limit goes when something is asked for.
        let _ = memory::allow(|| "one".into(), 1);
        assert!(memory::held_bytes() <= held + middle, "the limit was {}", held + middle);
    }
    memory::set_limit(0);
    high
}

#[test]
fn results_and_workspaces_count() {
    let n = 20_000;
    // Operands that stored the same elements would lend the sum their index arrays.
    let (a, b) = (matrix(n, 10, "csr"), matrix(n, 11, "csr"));
    let operands = [("A", &a), ("B", &b)];
    for threads in [1, 4] {
        let product = kernel("C(i,k) = A(i,j) * B(j,k)", &operands, "csr", threads);
        memory::set_limit(0);
        let c = product.run(&operands).unwrap().tensor;
        let result = c.nnz() as u64 * 12 + 8 * n as u64;
        drop(c);
        let needed = least_limit(&product, &operands);
        assert!((result..4 * result).contains(&needed), "{threads} threads: {needed} for {result}");
        let sum = kernel("C(i,j) = A(i,j) + B(i,j)", &operands, "csr", threads);
        let needed = least_limit(&sum, &operands);
        assert!((a.nnz() as u64 * 12..a.nnz() as u64 * 60).contains(&needed), "{threads} threads: {needed}");
    }
    // Results that are kept add up until there is no room for another one, and dropping one makes room.
    let sum = kernel("C(i,j) = A(i,j) + B(i,j)", &operands, "csr", 1);
    memory::set_limit(memory::held_bytes() + (60 << 20));
    let mut kept = Vec::new();
    let refused = loop {
        match sum.run(&operands) {
            Ok(done) => kept.push(done.tensor),
            Err(e) => break e,
        }
        assert!(kept.len() < 1000);
    };
    assert!(kept.len() > 4, "{}", kept.len());
    assert!(refused.code().0 == "E0605" && refused.to_string().contains("the array `C"), "{refused}");
    kept.pop();
    kept.pop();
    drop(sum.run(&operands).unwrap());
    memory::set_limit(0);
    arrays_grow_few_times_near_the_limit();
    threads_need_no_more_than_one();
    chains_need_two_arrays();
    workspaces_stay_until_memory_is_needed();
    large_workspaces_pass_from_part_to_part();
    iterations_ask_for_no_memory();
    totals_of_few_sums_stay();
}

/// Between runs little of a tight limit is kept; within a run every part has the workspace of the one before it.
fn large_workspaces_pass_from_part_to_part() {
    let (rows, columns) = (64, 1 << 20);
    let entries = |columns: usize| -> Vec<(Vec<usize>, Scalar)> {
        (0..rows).map(|i| (vec![i, (i * 7919) % columns], Scalar::F64(1.0))).collect()
    };
    let [a, b] = [rows, columns].map(|columns| {
        let coo = Coo::from_entries(&[rows, columns], DType::F64, &entries(columns)).unwrap();
        pack(&coo, &Format::parse("csr", 2).unwrap(), Scalar::F64(0.0)).unwrap()
    });
    let operands = [("A", &a), ("B", &b)];
    let product = kernel("C(i,k) = A(i,j) * B(j,k)", &operands, "csr", 1).with_chunks(16);
    let requests = |limit: u64| {
        memory::set_limit(1);
        assert!(memory::allow(|| "all".into(), 2).is_err());
        memory::set_limit(limit);
        memory::refuse_numbers(0..0);
        drop(product.run(&operands).unwrap());
        memory::request_count()
    };
    let workspace = 8 * columns as u64;
    assert_eq!(requests(memory::held_bytes() + 3 * workspace), requests(0));
}

/// Results that only the next statement of a chain reads have memory in turns.
fn chains_need_two_arrays() {
    let n = 200_000;
    let x = Tensor::from_vec(&[n], vec![1.0; n]).unwrap();
    let list: Vec<String> = (1..=20).map(|k| format!("y{k}(i) = 0.5 * y{}(i) + 1", k - 1)).collect();
    let decls = openwork::declare_operands(&[("y0", &x)]);
    let chain = Session::global().sequence(&list.join("; "), &decls, None).unwrap();
    memory::set_limit(memory::held_bytes() + 4 * 8 * n as u64);
    let made = chain.run(&[("y0", &x)]).unwrap();
    assert_eq!(made.get("y20").unwrap().vals().len(), n);
    memory::set_limit(0);
}

/// What a kernel that touches little of a large workspace leaves is there for its next run, and gone before an array is refused.
fn workspaces_stay_until_memory_is_needed() {
    let n = 100_000;
    let a = matrix(n, 3, "csr");
    let x = Coo::from_entries(&[n], DType::F64, &[(vec![5], Scalar::F64(1.0))]).unwrap();
    let x = pack(&x, &Format::parse("sv", 1).unwrap(), Scalar::F64(0.0)).unwrap();
    let mut decls = openwork::declare_operands(&[("A", &a), ("x", &x)]);
    let result = Decl { format: Some(Format::parse("sv", 1).unwrap()), ..Decl::default() };
    decls.tensors.insert("y".into(), result);
    for text in ["y(j) = A(i,j) * x(i)", "y(j) = max(i, structure(A(i,j)) * x(i))"] {
        let push = Session::global().compile(text, &decls).unwrap();
        let run = || {
            memory::refuse_numbers(0..0);
            push.recycle(push.run(&[("A", &a), ("x", &x)]).unwrap().tensor);
            memory::request_count()
        };
        let (first, second, third) = (run(), run(), run());
        assert!(first > second && second == third, "{text}: {first}, {second}, {third} requests");
        let held = memory::held_bytes();
        memory::set_limit(1);
        assert!(memory::allow(|| "all".into(), 2).is_err());
        memory::set_limit(0);
        assert!(memory::held_bytes() + 8 * n as u64 <= held, "{text}");
        assert!(run() > third);
    }
}

/// What pieces have beside the result does not refuse what one thread manages.
fn threads_need_no_more_than_one() {
    let a = matrix(5_000, 9, "csr");
    let operands = [("A", &a)];
    for format in ["csr", "dcsr", "coo"] {
        for text in
            ["C(i,k) = A(i,j) * A(j,k)", "C(i,j) = A(i,j) + 2 * A(j,i)", "C(i,j) = A(i,j) where A(i,j) > 0"]
        {
            let [alone, several] =
                [1, 4].map(|threads| least_limit(&kernel(text, &operands, format, threads), &operands));
            assert!(several <= alone + alone / 8, "{text} in {format}: {several} instead of {alone} bytes");
        }
    }
}

/// Near the limit arrays cannot double, and they do not ask for one row after the other.
fn arrays_grow_few_times_near_the_limit() {
    let a = matrix(20_000, 9, "csr");
    let square = kernel("C(i,k) = A(i,j) * A(j,k)", &[("A", &a)], "csr", 1);
    let need = square.run(&[("A", &a)]).unwrap().tensor.bytes() as u64;
    for (share, fits) in [(20, true), (12, true), (9, false), (5, false)] {
        memory::set_limit(1);
        assert!(memory::allow(|| "all".into(), 2).is_err());
        // Workspaces take a little.
        memory::set_limit(memory::held_bytes() + need * share / 10 + (1 << 20));
        memory::refuse_numbers(0..0);
        let made = square.run(&[("A", &a)]);
        assert_eq!(made.is_ok(), fits, "{share} tenths of what is needed");
        let asked = memory::request_count();
        assert!(asked < 200, "{asked} requests with {share} tenths");
    }
    memory::set_limit(0);
}

/// Rounds of iterations that give the results of the one before away ask for no memory once they have been round twice.
fn iterations_ask_for_no_memory() {
    let n = 3_000;
    let a = symmetric_matrix(n);
    let ones = || Tensor::from_vec(&[n], vec![1.0; n]).unwrap();
    let scalar = |x: f64| Tensor::from_vec(&[], vec![x]).unwrap();
    let few = |at: usize| {
        let one = Coo::from_entries(&[n], DType::F64, &[(vec![at], Scalar::F64(1.0))]).unwrap();
        pack(&one, &Format::parse("sv", 1).unwrap(), Scalar::F64(0.0)).unwrap()
    };
    type Iteration<'t> = (&'t str, &'t str, &'t [&'t str], Vec<(&'t str, Tensor)>);
    let iterations: [Iteration; 4] = [
        (
            "power iteration",
            "y(i) = A(i,j) * x(j); s = y(i) * y(i); x(i) = y(i) / sqrt(s)",
            &["x"],
            vec![("x", ones())],
        ),
        (
            "conjugate gradients",
            "q(i) = A(i,j) * p(j); a = p(i) * q(i); x(i) = x(i) + rr / a * p(i); r(i) = r(i) - rr / a * q(i); \
             s = r(i) * r(i); p(i) = r(i) + s / rr * p(i); rr = 1 * s",
            &["x", "r", "p", "rr"],
            vec![("x", ones()), ("r", ones()), ("p", ones()), ("rr", scalar(n as f64))],
        ),
        ("page rank", "x(j) = 0.15 / 3000 + 0.85 * sum(i, A(i,j) * x(i) / 8)", &["x"], vec![("x", ones())]),
        (
            "breadth first",
            "f(j) = any(i, (A(i,j) != 0) & (f(i) != 0)) where d(j) == 0; d(j) += f(j)",
            &["f", "d"],
            vec![("f", few(5)), ("d", few(5).to_format(&openwork::presets::dense(1)).unwrap())],
        ),
    ];
    for (name, text, asked, first) in iterations {
        let mut given: Vec<(&str, &Tensor)> = vec![("A", &a)];
        given.extend(first.iter().map(|(name, t)| (*name, t)));
        let step = Session::global().sequence(text, &openwork::declare_operands(&given), Some(asked));
        let step = step.unwrap_or_else(|e| panic!("{name}: {e}")).with_threads(1);
        let mut state = first;
        let mut requests = Vec::new();
        for _ in 0..20 {
            memory::refuse_numbers(0..0);
            let taken = state.drain(..).map(|(name, t)| (name, openwork::Operand::Take(t)));
            let mut made =
                step.run_taking([("A", openwork::Operand::Borrow(&a))].into_iter().chain(taken)).unwrap();
            requests.push(memory::request_count());
            state = asked.iter().map(|&name| (name, made.take(name).unwrap())).collect();
        }
        // A frontier outgrows its room now and then, in each of its arrays.
        let grown = requests[2..].iter().filter(|n| **n > 0).count();
        let most = if name == "breadth first" { 6 } else { 0 };
        assert!(grown <= most && requests[2..].iter().all(|n| *n <= 2), "{name}: {requests:?}");
    }
}

/// What sums of single precision are totalled in stays from run to run, where few of many elements are added to.
fn totals_of_few_sums_stay() {
    let n = 300_000;
    let coo = Coo::from_entries(
        &[n, 9],
        DType::F32,
        &[(vec![7, 2], Scalar::F32(2.0)), (vec![n - 1, 3], Scalar::F32(3.0))],
    );
    let a = pack(&coo.unwrap(), &Format::parse("coo", 2).unwrap(), Scalar::F32(0.0)).unwrap();
    let x = Tensor::from_vec(&[9], vec![1f32; 9]).unwrap();
    let mut y = Tensor::from_vec(&[n], vec![-0f32; n]).unwrap();
    let step = openwork::compile_for("y(i) += A(i,j) * x(j)", &[("A", &a), ("x", &x), ("y", &y)]).unwrap();
    for round in 0..4 {
        memory::refuse_numbers(0..0);
        let taken = [("A", (&a).into()), ("x", (&x).into()), ("y", openwork::Operand::Take(y))];
        let made = step.run_taking(taken).unwrap();
        assert_eq!(made.ran.name, "in place");
        assert!(round == 0 || memory::request_count() == 0, "{} requests", memory::request_count());
        y = made.tensor;
    }
    let values = y.vals().as_slice::<f32>().unwrap();
    assert_eq!((values[7], values[n - 1]), (8.0, 12.0));
    assert!(values[8].is_sign_negative(), "what nothing is added to stays as it is");
}

/// The matrix of a grid, with a diagonal that makes it positive definite.
fn symmetric_matrix(n: usize) -> Tensor {
    let mut entries = Vec::new();
    for i in 0..n {
        entries.push((vec![i, i], Scalar::F64(4.5)));
        for far in [1, 50] {
            if i + far < n {
                entries.extend([vec![i, i + far], vec![i + far, i]].map(|at| (at, Scalar::F64(-1.0))));
            }
        }
    }
    let coo = Coo::from_entries(&[n, n], DType::F64, &entries).unwrap();
    pack(&coo, &Format::parse("csr", 2).unwrap(), Scalar::F64(0.0)).unwrap()
}
