"""A panic is an exception of the package, like any other: no `PanicException`, and nothing is printed."""

import pytest

import openwork as ow
from openwork import _core


@pytest.mark.parametrize("place", ["entry", "work", "thread"])
def test_a_panic_is_an_internal_error(place, capfd):
    with pytest.raises(Exception) as caught:
        _core.fail(place)
    assert type(caught.value) is ow.InternalError
    assert caught.value.code == "E9999"
    assert f"asked to, in the {place}" in caught.value.message
    assert "gate.rs" in caught.value.message, "the message says where"
    assert "report" in caught.value.help
    text = str(caught.value)
    assert caught.value.message in text and caught.value.help in text
    assert capfd.readouterr() == ("", "")


def test_the_package_goes_on_after_a_panic():
    a = ow.asarray([[0.0, 2.0], [3.0, 0.0]], "csr")
    for place in ["thread", "work"]:
        with pytest.raises(ow.InternalError):
            _core.fail(place)
        assert (a @ a).todense().tolist() == [[6.0, 0.0], [0.0, 6.0]]
