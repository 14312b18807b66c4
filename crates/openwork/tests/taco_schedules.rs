//! The schedules for processors in TACO's documentation and tests: each runs, and computes what the statement means.

use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Schedule, Session, Source, Tensor};
use openwork_storage::generate::Generator;
use openwork_storage::unpack;

/// A statement, how its tensors are stored, and commands as TACO writes them.
struct Case {
    name: &'static str,
    statement: &'static str,
    tensors: &'static [(&'static str, &'static str, &'static [usize])],
    result: &'static str,
    schedule: &'static str,
}

const CASES: &[Case] = &[
    Case {
        name: "SpMV",
        statement: "y(i) = A(i,j) * x(j)",
        tensors: &[("A", "csr", &[90, 70]), ("x", "dense", &[70])],
        result: "dense",
        schedule: "split(i,i0,i1,16), reorder(i0,i1,j), parallelize(i0,CPUThread,NoRaces)",
    },
    Case {
        name: "SpMV by positions",
        statement: "y(i) = A(i,j) * x(j)",
        tensors: &[("A", "csr", &[90, 70]), ("x", "dense", &[70])],
        result: "dense",
        schedule: "fuse(i,j,f), pos(f,fpos,A(i,j)), split(fpos,chunk,fpos2,16), reorder(chunk,fpos2), \
                   parallelize(chunk,CPUThread,Atomics)",
    },
    Case {
        name: "SpMM",
        statement: "C(i,k) = A(i,j) * B(j,k)",
        tensors: &[("A", "csr", &[90, 70]), ("B", "dense", &[70, 33])],
        result: "dense",
        schedule: "split(i,i0,i1,16), pos(j,jpos,A(i,j)), split(jpos,jpos0,jpos1,8), reorder(i0,i1,jpos0,k,jpos1), \
                   parallelize(i0,CPUThread,NoRaces), parallelize(k,CPUVector,IgnoreRaces)",
    },
    Case {
        name: "SDDMM",
        statement: "A(i,k) = B(i,k) * C(i,j) * D(j,k)",
        tensors: &[("B", "csr", &[90, 70]), ("C", "dense", &[90, 33]), ("D", "dense", &[33, 70])],
        result: "csr",
        schedule: "split(i,i0,i1,16), pos(k,kpos,B(i,k)), split(kpos,kpos0,kpos1,8), reorder(i0,i1,kpos0,j,kpos1), \
                   parallelize(i0,CPUThread,NoRaces), parallelize(kpos1,CPUVector,ParallelReduction)",
    },
    Case {
        name: "MTTKRP",
        statement: "A(i,j) = B(i,k,l) * C(k,j) * D(l,j)",
        tensors: &[("B", "csf", &[30, 20, 10]), ("C", "dense", &[20, 9]), ("D", "dense", &[10, 9])],
        result: "dense",
        schedule: "reorder(i,k,l,j), precompute(B(i,k,l)*D(l,j), j, w), parallelize(i,CPUThread,NoRaces)",
    },
    Case {
        name: "MTTKRP in chunks",
        statement: "A(i,j) = B(i,k,l) * C(k,j) * D(l,j)",
        tensors: &[("B", "dss", &[30, 20, 10]), ("C", "dense", &[20, 9]), ("D", "dense", &[10, 9])],
        result: "dense",
        schedule: "split(i,i1,i2,16), reorder(i1,i2,k,l,j), parallelize(i1,CPUThread,NoRaces)",
    },
    Case {
        name: "SpGEMM",
        statement: "A(i,j) = B(i,k) * C(k,j)",
        tensors: &[("B", "csr", &[90, 70]), ("C", "csr", &[70, 80])],
        result: "csr",
        schedule: "reorder(i,k,j), precompute(B(i,k)*C(k,j), j, j, w), assemble(A,Insert,true), \
                   parallelize(i,CPUThread,IgnoreRaces)",
    },
    Case {
        name: "TTV",
        statement: "A(i,j) = B(i,j,k) * c(k)",
        tensors: &[("B", "csf", &[30, 20, 10]), ("c", "dense", &[10])],
        result: "dense",
        schedule: "fuse(i,j,f), pos(f,fpos,B(i,j,k)), split(fpos,chunk,fpos2,16), reorder(chunk,fpos2,k), \
                   parallelize(chunk,CPUThread,NoRaces)",
    },
    Case {
        name: "TTM",
        statement: "A(i,j,l) = B(i,j,k) * C(k,l)",
        tensors: &[("B", "csf", &[30, 20, 10]), ("C", "dense", &[10, 9])],
        result: "dense",
        schedule: "fuse(i,j,f), pos(f,fpos,B(i,j,k)), split(fpos,chunk,fpos2,16), pos(k,kpos,B(i,j,k)), \
                   split(kpos,kpos1,kpos2,8), reorder(chunk,fpos2,kpos1,l,kpos2), parallelize(chunk,CPUThread,NoRaces), \
                   parallelize(kpos2,CPUVector,ParallelReduction)",
    },
];

fn draw_tensor(format: &str, shape: &[usize]) -> Tensor {
    let text = if format == "dense" { "random:seed=1" } else { "sparse:density=0.1,seed=2" };
    let generator = Generator::parse(&Source::new("generator", text)).unwrap();
    let coo = generator.generate(shape, DType::F64).unwrap().into_coo().unwrap();
    let format = Format::parse(format, shape.len()).unwrap();
    openwork_storage::pack(&coo, &format, openwork::Scalar::F64(0.0)).unwrap()
}

fn declare_operands(case: &Case, operands: &[(&str, Tensor)]) -> Decls {
    let mut decls = Decls::default();
    for (name, tensor) in operands {
        let decl = Decl { dtype: Some(DType::F64), format: Some(tensor.format().clone()), ..Decl::default() };
        decls.tensors.insert((*name).into(), decl);
    }
    let (name, rest) = case.statement.split_once('(').unwrap();
    let rank = rest.split(')').next().unwrap().split(',').count();
    let format = Some(Format::parse(case.result, rank).unwrap());
    decls.tensors.insert(name.into(), Decl { format, ..Decl::default() });
    decls
}

#[test]
fn every_documented_schedule_runs_and_computes_the_same() {
    for kind in [BackendKind::Clif, BackendKind::Interp] {
        let session = Session::new(kind).unwrap().with_threads(3);
        for case in CASES {
            let operands: Vec<(&str, Tensor)> = case
                .tensors
                .iter()
                .map(|(name, format, shape)| (*name, draw_tensor(format, shape)))
                .collect();
            let decls = declare_operands(case, &operands);
            let given: Vec<(&str, &Tensor)> = operands.iter().map(|(n, t)| (*n, t)).collect();
            let schedule = Schedule::parse(case.schedule).unwrap();
            let kernel = session.compile_scheduled(case.statement, &decls, &schedule);
            let kernel = kernel.unwrap_or_else(|e| panic!("{}: {e}", case.name)).with_chunks(4);
            let made = kernel.run(&given).unwrap();
            assert!(made.spread.chunks > 1, "{}: {}", case.name, kernel.parallel());
            let wanted = session.compile(case.statement, &decls).unwrap().run(&given).unwrap().tensor;
            let (made, wanted) = (unpack(&made.tensor).unwrap(), unpack(&wanted).unwrap());
            assert_eq!(made.len(), wanted.len(), "{}", case.name);
            for e in 0..made.len() {
                let (a, b) = (made.vals().get(e).as_f64(), wanted.vals().get(e).as_f64());
                let same = made.coords_of(e) == wanted.coords_of(e);
                assert!(same && (a - b).abs() < 1e-9, "{}: {a} {b}", case.name);
            }
        }
    }
}

#[test]
fn a_schedule_says_what_became_of_each_command() {
    let case = CASES.iter().find(|c| c.name == "SpMM").unwrap();
    let operands: Vec<(&str, Tensor)> =
        case.tensors.iter().map(|(name, format, shape)| (*name, draw_tensor(format, shape))).collect();
    let schedule = Schedule::parse(case.schedule).unwrap();
    let stages = Session::global()
        .stages_scheduled(case.statement, &declare_operands(case, &operands), &schedule)
        .unwrap();
    let because = |command: &str| {
        let found = stages.plan.reasons.iter().find(|r| r.choice.starts_with(command));
        found.map(|r| r.because.clone()).unwrap_or_else(|| panic!("{command}"))
    };
    assert_eq!(because("pos("), "stored elements are walked by their positions");
    assert!(because("split(jpos").starts_with("threads share positions evenly"));
    assert_eq!(because("split(i,"), "the schedule asks for it");
    let case = &CASES[0];
    let operands: Vec<(&str, Tensor)> =
        case.tensors.iter().map(|(name, format, shape)| (*name, draw_tensor(format, shape))).collect();
    let racing =
        Schedule::parse("split(i,i0,i1,16), reorder(j,i0,i1), parallelize(j,CPUThread,NoRaces)").unwrap();
    let refused = Session::global().stages_scheduled("y(i) = B(i,j) * x(j)", &dense(&operands), &racing);
    assert_eq!(refused.unwrap_err().code().0, "E0813", "rows are added to by every column");
}

/// The same operands, the first one dense and called `B`.
fn dense(operands: &[(&str, Tensor)]) -> Decls {
    let mut decls = Decls::default();
    for name in ["B", operands[1].0] {
        decls.tensors.insert(name.into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
    }
    decls
}
