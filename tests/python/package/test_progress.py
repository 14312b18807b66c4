"""How far reading and writing is: functions that are told, and lines that are drawn and go away."""

import io

import numpy as np
import pytest

import openwork as ow
from cases import check
from openwork import _progress

X = np.zeros((300, 40))
X[::3, ::2] = 1.5
A = ow.asarray(X, "csr")


@pytest.fixture
def hasty(monkeypatch):
    """Looks without rest, and lines without patience."""
    monkeypatch.setattr(_progress, "_TURN", 1e-4)
    monkeypatch.setattr(_progress, "_PATIENCE", 0)


@pytest.mark.parametrize("name", ["a.mtx", "a.tns.gz", "a.npz", "a.bsp.npz", "a.rb", "a.npy"])
def test_functions_are_told_how_it_ends(name, tmp_path, hasty):
    told = []
    array = ow.asarray(X) if name.endswith(".npy") else A
    ow.save(tmp_path / name, array, progress=lambda done, all: told.append((done, all)))
    written = list(told)
    told.clear()
    check(ow.load(tmp_path / name, progress=lambda *seen: told.append(seen)), X)
    for seen in (written, told):
        assert seen and seen == sorted(seen) and all(0 <= done <= all for done, all in seen)
        assert seen[-1][0] == seen[-1][1] > 0


def test_open_files_are_watched_as_well(tmp_path):
    told, file = [], io.BytesIO()
    ow.save(file, A, kind="mtx", progress=lambda *seen: told.append(seen))
    file.seek(0)
    check(ow.load(file, progress=lambda *seen: told.append(seen)), X)
    assert len(told) >= 2


def test_lines_go_away(tmp_path, hasty, capfd):
    path = tmp_path / "a.mtx"
    line = _progress._Line("reading a.mtx")
    line(1, 2)
    assert capfd.readouterr().err == "\rreading a.mtx [" + "=" * 15 + " " * 15 + "]  50 %"
    line.gone()
    ow.save(path, A, progress=True)
    check(ow.load(path, progress=True), X)
    drawn = capfd.readouterr().err
    assert drawn.count("\r") <= drawn.count("%") + 3 and drawn.endswith("\x1b[K")


def test_what_is_fast_draws_nothing(tmp_path, capfd):
    ow.save(tmp_path / "a.mtx", A, progress=True)
    ow.load(tmp_path / "a.mtx", progress=True)
    assert capfd.readouterr().err == ""


def test_mistakes(tmp_path):
    path = tmp_path / "a.mtx"

    def broken(done, all):
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        ow.save(path, A, progress=broken)
    check(ow.load(path), X)
    with pytest.raises(TypeError, match="True or a function"):
        ow.load(path, progress=3)
    told = []
    with pytest.raises(ow.FileError):
        ow.load(tmp_path / "none.mtx", progress=lambda *seen: told.append(seen))
    assert told == []
