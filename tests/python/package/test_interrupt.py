"""Ctrl-C: `KeyboardInterrupt` soon, the kernel ends, memory is free again, and the next call works."""

import os
import textwrap
import time

import process
import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")

# Far more than any of this takes, even on a busy machine; the products would take minutes.
SOON = 20.0

HEAD = """
import os, signal, threading, time
import numpy as np
import openwork as ow

def interrupted(work):
    \"\"\"Interrupts `work` after a while; how long that took, and how much the process computed afterwards.\"\"\"
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    try:
        work()
    except KeyboardInterrupt:
        pass
    else:
        raise SystemExit("nothing was interrupted")
    took, before = time.monotonic() - start, time.process_time()
    time.sleep(0.5)
    print(took - 0.3, time.process_time() - before)
"""


def script(body, **env):
    start = time.monotonic()
    printed = process.script(HEAD, body, 120, **env)
    assert time.monotonic() - start < 100
    lines = [[float(x) for x in line.split()] for line in printed.splitlines()]
    for late, busy in lines:
        assert late < SOON
        assert busy < 0.25, "something went on computing"
    return len(lines)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["clif", "c", "interp"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_kernels_stop_and_run_again(backend, threads):
    # A product of full matrices, one with a temporary before its loops, one whose result comes out of order, and one under a
    # mask in a list of statements.
    body = """
        n = 3000
        a = ow.asarray(np.ones((n, n)), "csr")
        small = ow.asarray(np.eye(3), "csr")
        interrupted(lambda: a @ a)
        interrupted(lambda: ow.evaluate("s = A(i,k) * A(k,j) * A(i,j)", A=a))
        interrupted(lambda: ow.evaluate("C(i,j) = A(k,i) * A(k,j)", "csc", A=a))
        masked = "C(i,k) = A(i,k) * A(i,j) * A(j,k); y(i) = C(i,j) * A(i,j); s = y(i) * y(i)"
        interrupted(lambda: ow.evaluate_all(masked, formats={"C": "csr"}, A=a))
        assert a.nnz == n * n and np.all(a.to_scipy().data == 1.0)
        assert np.array_equal((small @ small).todense(), np.eye(3))
        assert ow.evaluate("s = A(i,k) * A(k,j) * A(i,j)", A=small).item() == 3
        assert ow.evaluate_all(masked, formats={"C": "csr"}, A=small)["s"].item() == 3
    """
    assert script(body, OPENWORK_BACKEND=backend, OPENWORK_THREADS=threads) == 4


# Each takes seconds at least, in one kind of work.
KINDS = {
    "reduction": """
        a, x = matrix(1_000_000, 200_000, "csr"), rng.random(200_000)
        work = lambda: ow.evaluate("y(i) = max(j, A(i,j) + x(j))", A=a, x=x)
    """,
    "packing": """
        n, m = 400_000, 6_000_000
        at, v = rng.integers(0, n, (2, m)), rng.random(m)
        work = lambda: ow.from_coo(at, v, (n, n), format="hicoo(128)")
    """,
    "conversion": """
        a = matrix(6_000_000, 400_000, "csr")
        work = lambda: a.asformat("dok")
    """,
    "structure": """
        a = matrix(10_000_000, 400_000, "csr")
        work = lambda: [ow.info(a) for _ in range(3)]
    """,
    "values": """
        a = ow.asarray(np.full((4000, 4000), 4660046610375530309), "csr")
        work = lambda: np.gcd(a, 2880067194370816120)
    """,
    "products of coordinates": """
        a = matrix(16_000, 2_000, "csr")
        work = lambda: np.kron(a, a)
    """,
    "reading": """
        path = os.path.join(folder, "a.tns.gz")
        row = b"".join(b"# %d 1.5\\n" % (k + 1) for k in range(100_000))
        with gzip.open(path, "wb", compresslevel=1) as f:
            for n in range(300):
                f.write(row.replace(b"#", b"%d" % (n + 1)))
        work = lambda: ow.load(path, format="hicoo(8)")
    """,
    "writing": """
        a = matrix(6_000_000, 400_000, "csr")
        path = os.path.join(folder, "b.tns.gz")
        def work():
            try:
                ow.save(path, a)
            finally:
                assert os.listdir(folder) == [], "a file is there as a whole or not at all"
    """,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_work_stops(kind, tmp_path):
    # Python's handler, then one of the user's: making the data takes longer than both interruptions of the work.
    body = """
        import gzip
        rng = np.random.default_rng(0)
        folder = %r
        def matrix(m, n, format):
            return ow.from_coo(rng.integers(0, n, (2, m)), rng.random(m), (n, n), format=format)
        def raising(*_):
            raise KeyboardInterrupt
    """ % str(tmp_path)
    twice = """
        interrupted(work)
        signal.signal(signal.SIGINT, raising)
        interrupted(work)
    """
    assert script("".join(map(textwrap.dedent, (body, KINDS[kind], twice)))) == 2


def test_functions_of_single_values_stop_between_blocks():
    # As long as it would take does not matter: the signal comes with the first values.
    body = """
        from openwork._values import assigned, by_value
        seen = []
        def negative(x):
            seen.append(x.size)
            if x.size > 1:
                os.kill(os.getpid(), signal.SIGINT)
            return -x
        a = ow.asarray(np.ones((1000, 1000)), "csr")
        try:
            by_value(a, assigned(negative))
        except KeyboardInterrupt:
            pass
        else:
            raise SystemExit("nothing was interrupted")
        assert len(seen) == 2 and sum(seen) < a.nnz // 4, seen
        assert (-a).sum() == -1_000_000
    """
    assert script(body) == 0


def test_a_signal_that_came_before_the_call_is_not_lost():
    body = """
        n = 3000
        a = ow.asarray(np.ones((n, n)), "csr")
        for _ in range(3):
            try:
                os.kill(os.getpid(), signal.SIGINT); a @ a
            except KeyboardInterrupt:
                pass
            else:
                raise SystemExit("nothing was interrupted")
        small = ow.asarray(np.eye(3), "csr")
        assert np.array_equal((small @ small).todense(), np.eye(3))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.kill(os.getpid(), signal.SIGINT)
        assert (small @ small).nnz == 3
        signal.signal(signal.SIGINT, signal.default_int_handler)
        interrupted(lambda: a @ a)
    """
    assert script(body) == 1


def test_a_handler_that_does_not_raise_interrupts_nothing():
    body = """
        seen = []
        signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        a = ow.asarray(np.ones((1000, 1000)), "csr")
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        for _ in range(50):
            c = a @ a
            if seen:
                break
        assert seen and c.todense()[0, 0] == 1000.0
    """
    assert script(body) == 0


def test_other_threads_go_on():
    body = """
        a = ow.asarray(np.ones((3000, 3000)), "csr")
        b = ow.asarray(np.ones((900, 900)), "csr")
        results = []
        other = threading.Thread(target=lambda: results.append((b @ b).todense()[0, 0]))
        other.start()
        try:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            a @ a
        except KeyboardInterrupt:
            other.join()
        assert results == [900.0]
    """
    assert script(body) == 0


@pytest.mark.slow
def test_handlers_that_come_and_go_are_heard():
    # Who hears the signal is asked in every call: another handler may be installed between two, and taken away again.
    body = """
        n = 3000
        a = ow.asarray(np.ones((n, n)), "csr")
        interrupted(lambda: a @ a)
        heard = []
        def mine(number, frame):
            heard.append(number)
            raise KeyboardInterrupt
        before = signal.signal(signal.SIGINT, mine)
        interrupted(lambda: a @ a)
        assert heard == [signal.SIGINT]
        signal.signal(signal.SIGINT, before)
        interrupted(lambda: a @ a)
        assert heard == [signal.SIGINT]
    """
    assert script(body) == 3


@pytest.mark.slow
def test_a_copy_of_the_process_hears_the_signal_on_the_thread_it_was_made_by():
    # That is its main thread, although it was another one when it last computed something.
    body = """
        import sys
        n = 2000
        a = ow.asarray(np.ones((n, n)), "csr")
        small = ow.asarray(np.eye(3), "csr")
        small @ small
        ended = []
        def copy():
            small @ small
            child = os.fork()
            if child:
                ended.append(os.waitpid(child, 0)[1])
                return
            try:
                interrupted(lambda: a @ a)
                sys.stdout.flush()
                os._exit(0)
            finally:
                os._exit(1)
        thread = threading.Thread(target=copy)
        thread.start()
        thread.join()
        assert ended == [0], ended
    """
    # The product would take minutes there.
    assert script(body, OPENWORK_THREADS="1", OPENWORK_BACKEND="interp") == 1
