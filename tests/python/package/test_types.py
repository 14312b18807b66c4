"""What type checkers know: the package holds to its own annotations, and operators have the types that they return."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import openwork as ow

PACKAGE = Path(ow.__file__).parent

USE = """
import numpy as np
import openwork as ow
a = ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr")
reveal_type(a + a)
reveal_type(2 * a)
reveal_type(a / 2.5)
reveal_type(a < 1)
reveal_type(a == a)
reveal_type(-a)
reveal_type(a.T)
reveal_type(a.sum(axis=0))
reveal_type(a @ np.ones(2))
reveal_type(a.matvec(np.ones(2)))
reveal_type(a.todense())
reveal_type(a.copy())
reveal_type(a.conj())
reveal_type(a.shape)
reveal_type(ow.load("a.mtx"))
reveal_type(ow.kernel("y(i) = 2 * x(i)"))
a += 1
reveal_type(a)
"""
KNOWN = [
    "openwork._array.Array", "openwork._array.Array", "openwork._array.Array", "openwork._array.Array", "openwork._array.Array",
    "openwork._array.Array", "openwork._array.Array", "Any", "Any", "numpy.ndarray", "numpy.ndarray", "openwork._array.Array",
    "openwork._array.Array", "tuple[int, ...]", "openwork._array.Array", "openwork._evaluate.Kernel",
    "openwork._array.Array",
]  # fmt: skip
WRONG = [
    ("a.asformat()", "call-arg"),
    ("a.forrmat", "attr-defined"),
    ('ow.evaluate("y(i) = x(i)", dims=3)', "arg-type"),
    ("ow.set_num_threads('two')", "arg-type"),
]


def mypy(*arguments, folder):
    pytest.importorskip("mypy")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", folder / "cache", *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
    )
    return run.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.slow
def test_the_package_holds_to_its_annotations(folder):
    # In a folder of its own, mypy reads the files as they are: where packages are installed, it takes its own for shadows.
    copy = folder / "sources" / "openwork"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    found = mypy(copy, folder=folder)
    assert "Success" in found, found


def test_types_of_operators(folder):
    (folder / "use.py").write_text(USE)
    found = [line.partition('"')[2] for line in mypy("use.py", folder=folder).splitlines() if "Revealed type" in line]
    assert len(found) == len(KNOWN), found
    for got, want in zip(found, KNOWN):
        assert got.startswith(want), f"{got} is not {want}"


def test_mistakes_that_type_checkers_find(folder):
    lines = "\n".join(call for call, _ in WRONG)
    (folder / "wrong.py").write_text(f'import openwork as ow\na = ow.asarray([1.0])\n{lines}\n')
    found = [line for line in mypy("wrong.py", folder=folder).splitlines() if ": error:" in line]
    for line, (call, code) in zip(found, WRONG, strict=True):
        assert line.endswith(f"[{code}]"), f"{call}: {line}"


# What pyright says of the same lines: it shows the type of a name, not where it comes from.
PYRIGHT = [
    "Array", "Array", "Array", "Array", "Array", "Array", "Array", "Array | Any", "Any", "ndarray", "ndarray", "Array",
    "Array", "tuple[int, ...]", "Array", "Kernel", "Array",
]  # fmt: skip
RULES = ["reportCallIssue", "reportAttributeAccessIssue", "reportArgumentType", "reportArgumentType"]


def pyright(*paths, folder) -> list[dict]:
    """What pyright finds, as editors show it; the fork on PyPI brings its own JavaScript engine."""
    pytest.importorskip("basedpyright")
    (folder / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "standard"}))
    run = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, *paths],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
    )
    return json.loads(run.stdout)["generalDiagnostics"]


@pytest.mark.slow
def test_pyright_knows_what_operators_return(folder):
    (folder / "shown.py").write_text(USE)
    found = [d["message"] for d in pyright("shown.py", folder=folder) if d["severity"] == "information"]
    assert len(found) == len(PYRIGHT), found
    for got, want in zip(found, PYRIGHT):
        assert got.rpartition(' is "')[2].startswith(want), f"{got} is not {want}"


@pytest.mark.slow
def test_pyright_finds_the_same_mistakes(folder):
    lines = "\n".join(call for call, _ in WRONG)
    (folder / "mistakes.py").write_text(f"import openwork as ow\na = ow.asarray([1.0])\n{lines}\n")
    found = [d for d in pyright("mistakes.py", folder=folder) if d["severity"] == "error"]
    assert [d["rule"] for d in found] == RULES, found
    assert [d["range"]["start"]["line"] for d in found] == list(range(2, 2 + len(WRONG)))


@pytest.mark.slow
def test_pyright_finds_no_mistakes_in_the_package(folder):
    copy = folder / "read" / "openwork"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    found = [d for d in pyright(copy, folder=folder) if d["severity"] == "error"]
    assert not found, "\n".join(f"{d['file']}:{d['range']['start']['line'] + 1}: {d['message']}" for d in found)


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()
