//! Command lines as people of TACO's tool write them.

use crate::common::Place;

const SPMV: &str = "y(i)=A(i,j)*x(j)";

#[test]
fn a_statement_without_a_command_is_shown_as_c() {
    let place = Place::new();
    let compute = place.good(&[SPMV, "-f=A:ds"]);
    assert!(compute.contains("int kernel(int64_t i_dim, int64_t j_dim, const int64_t *A2_pos"), "{compute}");
    let sum = ["C(i,j)=A(i,j)+B(i,j)", "-f=A:ds", "-f=B:ds", "-f=C:ds", "-prefix=sum_"];
    let shown = |flags: &[&str]| place.good(&[&sum[..], flags].concat());
    let (values, structure) = (shown(&["-print-compute"]), shown(&["-print-assembly"]));
    assert!(values.contains("int sum_compute(") && !values.contains("int sum_assemble("), "{values}");
    assert!(
        structure.contains("int sum_assemble(") && !structure.contains("int sum_compute("),
        "{structure}"
    );
    assert!(shown(&["-c"]).contains("int sum("));
    let all = shown(&["-print-kernels", "-print-nocolor"]);
    assert!(["int sum(", "int sum_assemble(", "int sum_compute("].iter().all(|f| all.contains(f)), "{all}");
    assert!(place.good(&[SPMV, "-f=A:ds", "-print-concrete"]).starts_with("forall i"));
    assert!(place.good(&[SPMV, "-f=A:ds", "-print-iteration-graph"]).starts_with("i over the dimension"));
    assert!(place.good(&[SPMV, "-f=A:ds", "-print-lattice=j"]).contains("lattice j"));
}

#[test]
fn files_are_written_and_operands_read() {
    let place = Place::new();
    let wrote = place.good(&[SPMV, "-f=A:ds", "-write-source=s.c", "-write-compute=c.c", "-prefix=spmv"]);
    assert_eq!(wrote, "wrote s.c\nwrote c.c\n");
    assert!(place.get("s.c").contains("int spmv(") && place.get("c.c").contains("int spmv("));
    let sum = ["C(i,j)=A(i,j)+B(i,j)", "-f=A:ds", "-f=B:ds", "-f=C:ds"];
    place.good(&[&sum[..], &["-write-assembly=a.c", "-prefix=sum_"]].concat());
    let assembly = place.get("a.c");
    assert!(assembly.contains("int sum_assemble(") && !assembly.contains("int sum_compute("), "{assembly}");
    let ran = place.good(&[SPMV, "-f=A:ds", "-i=A:a.mtx", "-i=x:x.mtx", "-o=y:y.tns", "-time=2", "-verify"]);
    assert!(ran.contains("the checking interpreter computes the same"), "{ran}");
    assert_eq!(place.get("y.tns"), "1 7\n2 6\n3 24\n");
}

#[test]
fn a_file_that_was_written_and_edited_is_read_back() {
    let place = Place::new();
    let files = ["-i=A:a.mtx", "-i=x:x.mtx", "-o=y:y.tns", "-read-source=s.c", "-prefix=spmv"];
    let read = |more: &[&str]| place.run(&[&[SPMV, "-f=A:ds"], &files[..], more].concat());
    place.good(&[SPMV, "-f=A:ds", "-write-source=s.c", "-prefix=spmv"]);
    let ran = read(&["-verify", "-time=2"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    for part in ["`spmv` of s.c is called", "the checking interpreter computes the same", "of 2 runs", "(c)"]
    {
        assert!(ran.out.contains(part), "{part}: {ran:?}");
    }
    assert_eq!(place.get("y.tns"), "1 7\n2 6\n3 24\n");
    place.put("s.c", &place.get("s.c").replace("] = t;", "] = 10 * t;"));
    assert_eq!(read(&[]).status, 0);
    assert_eq!(place.get("y.tns"), "1 70\n2 60\n3 240\n");
    let ran = read(&["-verify"]);
    assert!(ran.status == 1 && ran.err.contains("E0819") && ran.err.contains("70 here at [0]"), "{ran:?}");
}

#[test]
fn a_file_is_read_back_for_operands_of_sizes_that_it_was_not_written_for() {
    let place = Place::new();
    for (statement, result) in [(SPMV, "-f=y:d"), ("y(i,j)=A(i,j)*x(j)", "-f=y:ds")] {
        let flags = [statement, "-f=A:ds", result, "-prefix=made"];
        place.good(&[&flags[..], &["-write-source=made.c"]].concat());
        for sizes in [&[][..], &["-d=A:100,50"]] {
            let ran = place
                .good(&[&flags[..], &["-g=A:s", "-g=x:d", "-read-source=made.c", "-verify"], sizes].concat());
            assert!(ran.contains("the checking interpreter computes the same"), "{ran}");
        }
    }
}

#[test]
fn operands_are_generated_in_the_sizes_and_types_of_taco() {
    let place = Place::new();
    let shape = |args: &[&str]| {
        let v = place.json(&[args, &["--json"]].concat());
        let operand = v["operands"][0].clone();
        (operand["shape"].to_string(), operand["dtype"].as_str().unwrap().to_string())
    };
    assert_eq!(shape(&[SPMV, "-f=A:ds", "-g=A:s", "-g=x:d"]), ("[42,42]".into(), "f64".into()));
    assert_eq!(shape(&[SPMV, "-f=A:ds", "-g=A:l", "-g=x:d", "-d=A:100,50"]).0, "[100,50]");
    for (taco, ours) in
        [("char", "i8"), ("short", "i16"), ("longlong", "i64"), ("ulonglong", "u64"), ("double", "f64")]
    {
        let (a, x) = (format!("-t=A:{taco}"), format!("-t=x:{taco}"));
        assert_eq!(shape(&[SPMV, "-f=A:ds", "-g=A:s", "-g=x:d", &a, &x]).1, ours);
    }
    for letter in ["d", "u", "r", "s", "h", "l", "v", "f", "b"] {
        let a = format!("-g=A:{letter}");
        let out = place.good(&[
            SPMV,
            "-f=A:ds",
            &a,
            "-g=x:d",
            "-s=split(i,i0,i1,16),reorder(i0,i1,j),parallelize(i0,CPUThread,NoRaces)",
            "-verify",
        ]);
        assert!(out.contains("42"), "{out}");
    }
}

#[test]
fn other_flags_say_what_to_use_instead() {
    let place = Place::new();
    for (flag, instead) in [
        ("-cuda", "-nthreads"),
        ("-schedule=dynamic", "parallelize(i)"),
        ("-O=out", "-o=y:y.tns"),
        ("-write-time=t.csv", "--json"),
        ("-read-source", "name a file"),
        ("-write-source", "name a file"),
        ("-o=y.tns", "name the tensor"),
    ] {
        let ran = place.run(&[SPMV, "-f=A:ds", flag]);
        assert_eq!((ran.status, ran.out.as_str()), (3, ""), "{ran:?}");
        assert!(ran.err.contains("error[E0817]") && ran.err.contains(instead), "{ran:?}");
    }
    let ran = place.run(&["y_i = A_ij * x_j"]);
    assert!(ran.status == 1 && ran.err.contains("write y(i)"), "{ran:?}");
    let ran = place.run(&[SPMV, "-d=A:3"]);
    assert!(ran.status == 1 && ran.err.contains("`A` has 2 modes, and 1 sizes"), "{ran:?}");
    let ran = place.run(&[SPMV, "-d=A:3,4", "-d=x:5"]);
    assert!(ran.status == 1 && ran.err.contains("`j` has 4 values, and 5 in `x`"), "{ran:?}");
    assert!(
        place.good(&["-help"]).contains("Usage") && place.good(&["-help=scheduling"]).contains("precompute")
    );
}
