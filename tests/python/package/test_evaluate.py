"""Statements, kernels, explanations, exceptions, threads and Ctrl-C."""

import copy
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import openwork as ow
from cases import FORMATS, arrays, check, values

A = sp.random_array((30, 20), density=0.2, format="csr", rng=0)


@given(st.data(), st.sampled_from(FORMATS[2]))
def test_sampled_products(data, format):
    s, x = data.draw(arrays(shape=(3, 4), dtypes=["int64"]))
    b, c = (data.draw(values(shape, "int64")) for shape in ((3, 2), (4, 2)))
    got = ow.evaluate("Y(i,j) = S(i,j) * B(i,k) * C(j,k)", format, S=s, B=b, C=c)
    check(got, x * (b @ c.T))
    assert got.format == ow.convert([[0]], format).format


def test_operands_are_taken_as_they_are():
    x = np.arange(20.0)
    for operand in (A, A.tocsc(), A.tocoo(), A.toarray(), A.toarray().tolist(), ow.asarray(A)):
        check(ow.evaluate("y(i) = A(i,j) * x(j)", A=operand, x=x), A @ x, exact=False)
    check(ow.evaluate("y(i) = a * x(i)", a=2.0, x=x), 2 * x)
    check(ow.evaluate("y(i) = format(i) * x(i)", operands={"format": x}, x=x), x * x)
    check(ow.evaluate("Y(i,j) = x(j)", dims={"i": 2}, x=x), np.stack([x, x]))


def test_results_have_the_format_and_dtype_asked_for():
    for format in ("ds", "csr", "ss", "(i,j) -> (j,i) : dense, compressed"):
        got = ow.evaluate(
            "C(i,j) = A(i,j) + B(i,j)", format, dtype="complex64" if format == "ss" else None, A=A, B=A
        )
        check(got, (A + A).toarray().astype(got.dtype), exact=format != "ss")
    assert ow.evaluate("C(i,j) = A(i,j) * 2", A=A).format == "csr"
    got = ow.evaluate("C(i,j) = A(i,j) + B(i,j)", "csr; fill = inf", A=ow.asarray(A, fill_value=np.inf), B=A)
    assert got.fill_value == np.inf


REFUSED = [
    ("y(i) = A(i,j", ow.ParseError, "E0102"),
    ("y(i) = A(i,j) @ x(j)", ow.ParseError, "E0101"),
    ("y(i) = A(i,j) * z(j)", ow.ParseError, "E0201"),
    ("y(i) = A(i)", ow.ShapeError, "E0202"),
    ("y(i) = A(i,j) * x(i)", ow.ShapeError, "E0203"),
    ("y(i) = A(i,j) & x(j)", ow.DTypeError, "E0204"),
    ("y(i,k) = A(i,j) * x(j)", ow.ShapeError, "E0206"),
    ("y(i) = A(i,j+1) * x(j)", ow.ShapeError, "E0217"),
    ("y(i,i) = A(i,j) * x(j)", ow.OpenworkError, "E0206"),
    ("y(i) = max(0, A(i,j) * x(j))", ow.ParseError, "E0214"),
    ("y(i) = erf(A(i,j)) * x(j)", ow.UnsupportedError, "E0103"),
    ("y(i) = erf(A(i,j), 2) * x(j)", ow.UnsupportedError, "E0103"),
    ("y(i) = AA(i, 2)", ow.ParseError, "E0201"),
]


@pytest.mark.parametrize(("text", "kind", "code"), REFUSED)
def test_messages_speak_of_no_command_line(text, kind, code):
    with pytest.raises(kind) as caught:
        ow.evaluate(text, A=A, x=np.ones(20))
    words = f"{caught.value}".replace("-->", "").replace("---", "").split()
    assert not any(word.strip("`(,;:").startswith("-") and word.strip("`(,;:").strip("-").isalpha() for word in words), words
    assert not any(word in str(caught.value) for word in ("CLI", "openwork run", "--threads", "command line"))


SPMV = "y(i) = A(i,j) * x(j)"
UNREAD = [
    (lambda: ow.evaluate(SPMV, A=A, x=np.ones(20), B=A), "no operand `B`"),
    (lambda: ow.evaluate(SPMV, A=A, x=np.ones(20), X=A), "did you mean `x`?"),
    (lambda: ow.evaluate(SPMV, A=A, x=np.ones(20), operands={"y": np.ones(30)}), "computes `y`, and does not read it"),
    (lambda: ow.explain(SPMV, A=A, x=np.ones(20), B=A), "no operand `B`"),
    (lambda: ow.kernel(SPMV, {"B": "csr"}), "no operand `B`"),
    (lambda: ow.kernel(SPMV, {"A": "csr"}, {"a": "float32"}), "did you mean `A`?"),
    (lambda: ow.kernel(SPMV, {"A": "csr"})(A=A, x=np.ones(20), B=A), "no operand `B`"),
    (lambda: ow.kernel(SPMV, {"A": "csr"}).prepare(B=A), "no operand `B`"),
    (lambda: ow.kernel(SPMV, {"A": "csr"}).timed(A=A, x=np.ones(20), B=A), "no operand `B`"),
    # What is fixed when a kernel is made.
    (lambda: ow.kernel(SPMV, {"A": "csr"}).timed(A=A, x=np.ones(20), variant=2), "`variant` is for the function `openwork.kernel`"),
    (lambda: ow.kernel(SPMV, {"A": "csr"})(A=A, x=np.ones(20), schedule="unroll(i,2)"), "for the function `openwork.kernel`"),
]


@pytest.mark.parametrize(("call", "part"), UNREAD)
def test_operands_that_are_not_read_are_refused(call, part):
    with pytest.raises(ow.ParseError) as caught:
        call()
    assert caught.value.code == "E0201" and part in str(caught.value)


UNKNOWN = [
    (lambda: ow.evaluate("y(i) = mx(A(i,j), 0.0)", A=A), ow.UnsupportedError, "did you mean `max`?"),
    (lambda: ow.evaluate("y(i) = A(i,j) * xx(j)", A=A, x=np.ones(20)), ow.ParseError, "did you mean `x`?"),
    (lambda: ow.evaluate(SPMV, dims={"jj": 3}, A=A, x=np.ones(20)), ow.ParseError, "did you mean `j`?"),
    (lambda: ow.evaluate(SPMV, schedule="reodrer(i,j)", A=A, x=np.ones(20)), ow.ParseError, "did you mean `reorder`?"),
    (lambda: ow.evaluate(SPMV, "sprase", A=A, x=np.ones(20)), ow.FormatError, "unknown format `sprase`"),
    (lambda: ow.asarray(A, format="cssr"), ow.FormatError, "did you mean `csr`?"),
    (lambda: ow.asarray(A, format="(i,j) -> (i,j) : dense, compresed"), ow.FormatError, "did you mean `compressed`"),
    (lambda: ow.asarray(A, dtype="flaot64"), ow.DTypeError, "did you mean `float64`"),
    (lambda: ow.evaluate(SPMV, dtype="flaot64", A=A, x=np.ones(20)), ow.DTypeError, "did you mean `float64`"),
]


@pytest.mark.parametrize(("call", "kind", "part"), UNKNOWN)
def test_unknown_names_come_with_near_ones(call, kind, part):
    with pytest.raises(kind) as caught:
        call()
    assert part in str(caught.value)


@pytest.mark.parametrize(("text", "kind", "code"), REFUSED)
def test_exceptions_carry_the_diagnostic(text, kind, code):
    with pytest.raises(kind) as caught:
        ow.evaluate(text, A=A, x=np.ones(20))
    error = caught.value
    assert isinstance(error, ow.OpenworkError)
    assert error.code == code and error.message in str(error)
    assert "^" in str(error) and "statement:1:" in str(error), "the caret points at the place"


def test_sizes_are_pointed_at_by_kernels_for_any_size():
    text = "y(i) = A(i,j) * x(j)"
    check(ow.evaluate(text, A=A, x=np.ones(20)), A @ np.ones(20), exact=False)
    with pytest.raises(ow.ShapeError, match=r"\^ size 21"):
        ow.evaluate(text, A=A, x=np.ones(21))


def test_a_shadowed_variable_that_is_folded_away_still_has_a_size():
    # The inner i is another variable, and `| -1` leaves nothing that reads it: B says how many values it takes.
    got = ow.evaluate("y(i) = B(i) * min(i, B(i) | -1)", B=np.array([1, 2]))
    check(got, np.array([-1, -2]), exact=True)


def test_schedules_rewrite_the_plan():
    text = "C(i,k) = A(i,j) * B(j,k)"
    flipped = A.T.tocsr()
    for kind in ("bitmap", "hash", "dense"):
        commands = f"precompute(A(i,j) * B(j,k), k, w, {kind})"
        made = ow.evaluate(text, "csr", schedule=commands, A=A, B=flipped)
        check(made, (A @ flipped).toarray(), exact=False)


def test_other_refusals():
    with pytest.raises(ow.UnsupportedError) as caught:
        ow.evaluate("y(i) = A(i,j) + B(i,j)", A=A, B=A, schedule="pos(j, jpos, A(i,j))")
    assert caught.value.code == "E0814"
    with pytest.raises(ow.ParseError, match="E0811"):
        ow.evaluate("y(i) = x(i)", x=[1.0], schedule="hurry(i)")
    with pytest.raises(ow.OperandError, match="no array"):
        ow.evaluate("y(i) = x(i)", x={})
    with pytest.raises(ow.OperandError, match='the format of the result is the second argument, `evaluate.expr, "csr"'):
        ow.evaluate("y(i) = x(i)", x=[1.0], format="dense")
    with pytest.raises(ow.DTypeError):
        ow.evaluate("y(i) = x(i)", dtype="int32", x=[1.5])
    with pytest.raises(ow.DTypeError):
        ow.asarray([1], fill_value=0.5)
    with pytest.raises(ow.FormatError):
        ow.evaluate("y(i) = x(i)", "csr", x=[1.5])
    with pytest.raises(ow.OpenworkError):
        ow.set_num_threads(0)
    ow.set_num_threads(2)


def test_kernels_are_compiled_once():
    k = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"})
    assert k._statement.kernels == 1
    for n in (3, 5, 7):
        x = np.arange(float(n))
        check(k(A=np.eye(n), x=x), x)
        check(k(A=sp.eye_array(n, format="coo"), x=x), x)
    assert k._statement.kernels <= 2
    assert "for" in k.explanation.loops and k.explanation.format == "dense"


def test_kernels_refuse_what_they_were_not_compiled_for():
    k = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}, {"x": "float32"})
    with pytest.raises(ow.OperandError, match="the kernel expects float32"):
        k(A=np.eye(2), x=np.ones(2))
    with pytest.raises(ow.OperandError, match="was not given"):
        k(A=np.eye(2))
    with pytest.raises(ow.ParseError, match="no operand"):
        k(A=np.eye(2), x=np.ones(2, "f4"), z=1)
    with pytest.raises(ow.ParseError, match="no operand"):
        ow.kernel("y(i) = x(i)", {"z": "dense"})


def test_memory_of_results_is_used_again():
    k = ow.kernel("C(i,j) = A(i,j) + B(i,j)", {"A": "csr", "B": "csr"}).prepare(A=A)
    out = k(B=A)
    check(out, 2 * A.toarray())
    kept = out.to_scipy()
    again = k(B=3 * A, out=out)
    assert again is out
    check(out, 4 * A.toarray(), exact=False)
    np.testing.assert_array_equal(kept.toarray(), 2 * A.toarray()), "what others read is left alone"


def test_explanations():
    e = ow.explain("C(i,j) = A(i,j) * B(j,i)", "csr", A=A, B=A.T.tocsr())
    assert (
        e.reasons and "forall" in e.cin and "produce" in e.lattices and " over " in e.graph and "kernel" in e.loops and "{" in e.code
    )
    assert e.plan.strip() in repr(e)


@pytest.mark.parametrize("part", ["2:13:2", ":-8", "-6:", "8:", "2:14:2"])
def test_what_varies_may_be_read_through_windows(part):
    x, b = np.arange(14.0), sp.random_array((6, 6), density=0.5, format="csr", rng=0)
    kernel = ow.kernel(f"y(i) = B(i,k) * x(k({part}))", {"B": "csr"}).prepare(B=b, runs=100)
    check(kernel(x=x), b @ x[slice(*(int(n) if n else None for n in part.split(":")))], exact=False)


def test_explanations_are_copied_and_pickled():
    e = ow.explain("y(i) = A(i,j) * x(j)", A=A, x=np.ones(A.shape[1]))
    for other in (pickle.loads(pickle.dumps(e)), copy.copy(e), copy.deepcopy(e)):
        assert str(other) == str(e) and other.code == e.code and other.reasons == e.reasons
    assert "lattices" in dir(e) and not hasattr(e, "stages")


@pytest.mark.skipif(os.name != "posix", reason="a script stands for the compiler")
@pytest.mark.parametrize("compiler", ["none", "slow"])
def test_no_compiler_is_asked_unless_it_compiles(compiler, tmp_path):
    asked = tmp_path / "asked"
    if compiler == "slow":
        for name in ("cc", "gcc", "clang"):
            (tmp_path / name).write_text(f"#!/bin/sh\necho >> {asked}\nexec /bin/sleep 60\n")
            (tmp_path / name).chmod(0o755)
    code = """
        import pickle, openwork as ow
        kernel = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"})
        again = pickle.loads(pickle.dumps(kernel.prepare(A=[[0.0, 2.0], [3.0, 0.0]])))
        assert again(x=[1.0, 1.0]).todense().tolist() == [2.0, 3.0]
        e = ow.explain("y(i) = 2 * x(i)", x=[1.0, 2.0])
        assert "kernel" in str(e.loops) and "for (" in kernel.explanation.code and "{" in e.code
    """
    env = {**os.environ, "PATH": str(tmp_path), "OPENWORK_CC": ""}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=env, capture_output=True, text=True, timeout=50
    )
    assert done.returncode == 0, done.stderr
    assert not asked.exists()


def test_several_threads():
    a = ow.asarray(A)

    def work(n):
        x = np.full(20, float(n))
        for _ in range(20):
            check(a @ x, A @ x, exact=False)
            check(a + a, 2 * A.toarray())
            check(ow.evaluate(f"y(i) = {n} * A(i,j)", A=a), n * A.sum(axis=1), exact=False)
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_the_interpreter_is_released():
    n = 250
    x = ow.asarray(np.ones((n, n)))
    ow.einsum("ij,jk->ik", x, x)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(1e-4)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    for _ in range(5):
        ow.einsum("ij,jk->ik", x, x)
    end = time.perf_counter()
    done.set()
    thread.join()
    assert end - start < 0.02 or sum(start < t < end for t in ticks) > 2


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_control_c():
    code = """
        import signal, threading, time, os, openwork as ow, numpy as np
        x = ow.asarray(np.ones((6000, 6000)))
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.perf_counter()
        try:
            ow.einsum("ij,jk->ik", x, x)
        except KeyboardInterrupt:
            print("interrupted", time.perf_counter() - start)
            os._exit(7)
    """
    env = {**os.environ, "OPENWORK_BACKEND": "interp"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 7 and "interrupted" in done.stdout, done.stderr
    assert float(done.stdout.split()[1]) < 5


def test_signal_handlers_are_left_alone():
    assert signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_DFL, signal.SIG_IGN)


def test_times_tell_conversions_from_the_kernel():
    product = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"})
    a, x = ow.asarray(A), ow.asarray(np.ones(A.shape[1]))
    y, times = product.timed(A=a, x=x)
    check(y, A @ np.ones(A.shape[1]), exact=False)
    assert times.conversions == 0 < times.kernel < times.total
    y, times = product.timed(A=a.asformat("csc"), x=x)
    check(y, A @ np.ones(A.shape[1]), exact=False)
    assert times.conversions > 0 and times.conversions + times.kernel <= times.total
    both = ow.kernel("C(i,j) = A(i,j) + B(i,j)", {"A": "csr", "B": "csc"}, format="csr")
    c, times = both.timed(A=a, B=ow.asarray(A, format="csc"))
    check(c, 2 * A.toarray())
    assert times.conversions > 0 and times.conversions + times.kernel <= times.total


def test_nothing_is_converted_that_is_read_in_place():
    # A format in full has levels that formats by name have not.
    full = "(i,j) -> (i%4,j%4,i/4,j/4,i,j) : dense, compressed, dense, dense, block, block"
    for layout in ("csr", "dia", "bcsr", full):
        product = ow.kernel("y(i) = A(i,j) * x(j)", {"A": layout})
        a = ow.asarray(A, format=layout)
        for x in (np.ones(A.shape[1]), ow.asarray(np.ones(A.shape[1]))):
            times = product.timed(A=a, x=x)[1]
            assert (times.conversions, times.variant) == (0, "1 kernel"), (layout, type(x))
    fixed = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}).prepare(A=A)
    assert fixed.timed(x=np.ones(A.shape[1]))[1].conversions == 0
    assert ow.kernel("y(i) = a * x(i)").timed(a=2.0, x=np.ones(3))[1].conversions == 0


def test_times_name_what_was_converted():
    product = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"})
    a, x = ow.asarray(A), np.ones(A.shape[1])
    for given, named in (
        ({"A": a.asformat("csc"), "x": x}, ["`A` converted from csc to csr"]),
        ({"A": a, "x": list(x)}, ["`x` stored as dense, from a list"]),
        ({"A": A, "x": list(x)}, [f"`A` stored as csr, from a {type(A).__name__}", "`x` stored as dense, from a list"]),
    ):
        times = product.timed(**given)[1]
        assert times.conversions > 0 and times.variant == "; ".join(["1 kernel", *named])
    assert (times.threads, times.chunks) == (1, 1)
    many = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}).timed(A=sp.random_array((100_000, 100), density=0.2), x=np.ones(100))[1]
    assert many.chunks >= many.threads == ow.get_num_threads()


def test_a_variant_is_asked_for_by_its_number():
    csr = {"A": "csr"}
    x = np.ones(A.shape[1])
    plain, deciding = (ow.kernel(SPMV, csr, variant=n) for n in (1, 2))
    assert plain.timed(A=A, x=x)[1].variant.startswith("1 kernel")
    for kernel in (deciding, pickle.loads(pickle.dumps(deciding)), deciding.prepare(A=A).prepare(A=A, runs=1000)):
        y, times = kernel.timed(A=A, x=x)
        assert times.variant.startswith("2 deciding")
        check(y, A @ x, exact=False)
    check(ow.evaluate(SPMV, variant=2, A=A, x=x), A @ x, exact=False)
    for n in (0, 3, -1, 10**15):
        for make in (lambda: ow.kernel(SPMV, csr, variant=n), lambda: ow.evaluate(SPMV, variant=n, A=A, x=x)):
            with pytest.raises(ow.OperandError, match="E0808") as caught:
                make()
            assert f"there is no variant {n}" in str(caught.value)
    with pytest.raises(TypeError):
        ow.kernel(SPMV, csr, variant="2")


def test_a_kernel_takes_a_schedule_and_keeps_it_when_pickled():
    rows = "split(i,i0,i1,2), reorder(i0,i1,j), parallelize(i0,CPUThread,NoRaces)"
    step = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"}, schedule=rows)
    assert step.explanation.cin.startswith("forall[parallelize] i0 forall i1")
    matrix = np.arange(30.0).reshape(5, 6)
    for kernel in (step, pickle.loads(pickle.dumps(step))):
        np.testing.assert_allclose(kernel(A=matrix, x=np.ones(6)).todense(), matrix.sum(axis=1))
    with pytest.raises(ow.OpenworkError, match="did you mean `split`"):
        ow.kernel("y(i) = A(i,j) * x(j)", schedule="spilt(i,i0,i1,2)")


def with_a_long_row(n):
    row = sp.coo_array((np.ones(n), (np.full(n, 7), np.arange(n))), shape=(n, n))
    return sp.csr_array(sp.eye_array(n) + row)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "ell", "sell(8)", "bcsr(2,2)", "dia"])
def test_operands_prepared_for_many_runs_give_the_same(layout):
    S = with_a_long_row(300)
    product = ow.kernel("C(i,k) = A(i,j) * B(j,k)", {"A": layout}, dims={"k": 4})
    B = np.arange(1200.0).reshape(300, 4)
    for runs in (1, 500, 10**7):
        ready = product.prepare(A=S, runs=runs)
        np.testing.assert_array_equal(ready(B=B).todense(), S @ B)
        again = pickle.loads(pickle.dumps(ready))
        np.testing.assert_array_equal(again(B=B).todense(), S @ B)
        assert ready.explanation.format == product.explanation.format
    with pytest.raises(ow.ParseError, match="E0201"):
        product.prepare(D=S, runs=100)


def test_padding_goes_where_there_are_many_runs():
    S = with_a_long_row(2000)
    padded = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "ell"})
    assert "A: ell" in repr(padded.prepare(A=S))
    assert "A: ell" not in repr(padded.prepare(A=S, runs=10**6))


def test_operands_of_later_calls_are_stored_as_the_kernel_says():
    S = with_a_long_row(2000)
    ready = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "ell"}).prepare(A=S, runs=10**6)
    assert "A: ell" not in repr(ready)
    band = sp.diags_array(np.arange(1.0, 2001.0), format="csr")
    np.testing.assert_array_equal(ready(A=band, x=np.ones(2000)).todense(), np.arange(1.0, 2001.0))
    assert "A: ell" in repr(ready.prepare(A=band))
    again = pickle.loads(pickle.dumps(ready))
    assert repr(again) == repr(ready)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("expr", ["C(i,j) = 2 * A(i,j)", "C(i,k) = A(i,j) * A(j,k)", "C(i,j) = A(i,j) + A(i,j)"])
def test_stored_zeros_stay_whatever_the_runs_are(layout, expr):
    n = 3000
    S = sp.csr_array(sp.diags_array([np.ones(n - abs(k)) for k in (-2, -1, 0, 1, 2)], offsets=range(-2, 3)))
    S.data[::7] = 0
    product = ow.kernel(expr, {"A": layout}, format="csr")
    plain = product.prepare(A=S)()
    ready = product.prepare(A=S, runs=10**5)
    assert ready().nnz == plain.nnz
    np.testing.assert_array_equal(ready().todense(), plain.todense())


def test_runs_fix_the_values_of_now():
    product = ow.kernel("y(i) = A(i,j) * x(j)", {"A": "csr"})
    for runs, seen in ((None, 2.0), (1, 1.0), (10**6, 1.0)):
        S = sp.csr_array(np.eye(3))
        ready = product.prepare(A=S, runs=runs)
        S.data *= 2
        assert ready(x=np.ones(3)).todense().tolist() == [seen] * 3
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="runs"):
            product.prepare(A=np.eye(3), runs=wrong)
    with pytest.raises(TypeError):
        product.prepare(A=np.eye(3), runs=1.5)
    product.prepare(A=np.eye(3), runs=10**30)


#: Reductions of truth values, and the operands that they have.
TRUTHS = [
    "f(j) = any(i, G(i,j) & !q(i))", "f(j) = any(i, G(i,j) & p(i))", "f(i) = any(j, G(i,j) & !r(j))", "f(i) = all(j, G(i,j) | r(j))",
    "f(i) = any(j, H(i,j) & G(i,j))", "f(i) = any(j, G(i,j)) & q(i)", "f(j) = xor(i, G(i,j) & !q(i))",
    "F(i,k) = any(j, G(i,j) & !K(k,j))", "F(i,k) = any(j, G(i,j) & K(k,j) & r(j))", "F(i,j) = G(i,j) & any(k, K(k,j))",
]  # fmt: skip


@pytest.mark.parametrize("text", TRUTHS)
def test_reductions_of_truths_store_no_fill_in_any_format(text):
    rng = np.random.default_rng(len(text))
    shapes = {"G": (6, 8), "H": (6, 8), "K": (5, 8), "q": (6,), "p": (6,), "r": (8,)}
    given = {n: rng.random(s) < 0.4 for n, s in shapes.items() if re.search(rf"\b{n}\(", text)}
    wanted = None
    for _ in range(12):
        operands = {}
        for name, x in given.items():
            formats = ["csr", "csc", "dcsr", "coo", "dense", "dok", "ell"] if x.ndim == 2 else ["sv", "dense", "rle"]
            # Some store what is false.
            at = np.argwhere(x | (rng.random(x.shape) < 0.2))
            a = ow.from_coo(tuple(at.T), x[tuple(at.T)], x.shape)
            operands[name] = a.asformat(str(rng.choice(formats)))
        for format in ["csr", "csc", "dcsr", "coo", "dok", "bytemap", "bitmap"] if text[0] == "F" else ["sv", "coo", "dok", "rle", "bytemap"]:
            found = ow.evaluate(text, format, **operands)
            wanted = found.todense() if wanted is None else wanted
            np.testing.assert_array_equal(found.todense(), wanted)
            how = format, {n: a.format for n, a in operands.items()}
            assert found.nnz == np.count_nonzero(wanted != found.fill_value), how
