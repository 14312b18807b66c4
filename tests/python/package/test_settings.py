"""Settings from the environment: what says nothing is refused at the first use, and everything is read once."""

import numpy as np
import pytest

import openwork as ow
from process import script

UNKNOWN = [
    ("OPENWORK_THREADS", "foo"),
    ("OPENWORK_THREADS", "0"),
    ("OPENWORK_MEMORY_LIMIT", "foo"),
    ("OPENWORK_MEMORY_LIMIT", "-1"),
    ("OPENWORK_KERNEL_CACHE", "foo"),
    ("OPENWORK_BACKEND", "foo"),
    ("OPENWORK_MACHINE", "foo"),
    ("OPENWORK_VARIANT", "foo"),
    ("OPENWORK_VARIANT", "0"),
]


@pytest.mark.parametrize(("name", "text"), UNKNOWN)
def test_what_says_nothing_is_refused_at_the_first_use(name, text):
    body = """
    import openwork as ow, numpy as np
    for use in (lambda: ow.asarray([1.0]), lambda: ow.kernel("y(i) = x(i)"), lambda: ow.set_num_threads(1),
                lambda: ow.evaluate("y(i) = x(i)", x=np.ones(3)), lambda: ow.load("nothing.mtx"), ow.get_num_threads):
        try:
            use()
        except ow.OperandError as e:
            print(e.code, e)
    """
    out = script("", body, 60, **{name: text})
    assert out.count("E0820 ") == 6 and out.count(f"`{text}`") == 6 and name in out, out


def test_settings_are_read_once():
    body = """
    import os, openwork as ow
    os.environ["OPENWORK_THREADS"] = "3"
    assert ow.get_num_threads() == 3
    os.environ["OPENWORK_THREADS"] = os.environ["OPENWORK_BACKEND"] = "foo"
    assert ow.get_num_threads() == 3 and ow.kernel("y(i) = x(i)")
    """
    script("", body, 60)


def test_a_backend_that_is_not_there_is_no_other_one():
    body = """
    import openwork as ow, numpy as np
    try:
        ow.evaluate("y(i) = 2 * x(i)", x=np.ones(3))
    except ow.UnsupportedError as e:
        print(e.code)
    """
    assert script("", body, 60, OPENWORK_BACKEND="c", OPENWORK_CC="/nowhere") == "E0501\n"


def test_threads_are_a_number_from_1_on():
    for n in (0, -1):
        with pytest.raises(ow.OperandError, match="E0820"):
            ow.set_num_threads(n)
    assert ow.evaluate("y = x(i)", x=np.ones(3)).item() == 3


@pytest.mark.parametrize("number", ["1", "2", "9"])
def test_a_variant_that_is_asked_for_leaves_patterns_alone(number):
    # The structure and the values apart have variants of their own, which have no numbers.
    body = """
    import openwork as ow, numpy as np
    A, d = ow.asarray(np.eye(5) * 2.0, format="csr"), np.arange(1.0, 6.0)
    pattern = ow.kernel("C(i,j) = A(i,j) / d(i)", {"A": "csr"}, format="csr").pattern(A=A, d=d)
    assert np.array_equal(pattern(A=A, d=d).todense(), np.diag(2 / d))
    """
    script("", body, 60, OPENWORK_VARIANT=number)
