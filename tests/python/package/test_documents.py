"""Every example runs: docstrings, the README, the scripts for SciPy users, the tutorial."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import openwork as ow

ROOT = Path(__file__).resolve().parents[3]
MODULES = [
    "openwork",
    *(f"openwork.{m.name}" for m in pkgutil.iter_modules(ow.__path__) if m.name != "_core"),
]
SCRIPTS = [*sorted((Path(__file__).parent / "scripts").glob("*.py")), ROOT / "python/examples/tutorial.py"]
README = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    tried = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried.failed == 0


def test_public_functions_have_examples():
    for name in ow.__all__:
        thing = getattr(ow, name)
        assert thing.__doc__, name
        if not isinstance(thing, type) and name not in ("save", "set_num_threads"):
            assert ">>>" in thing.__doc__, name


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_scripts(script):
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    if script.parent.name == "scripts":
        assert script.read_text().count("# the changed line") == 1


def test_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert README, "the README has examples"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    parser, names = doctest.DocTestParser(), {}
    for block in README:
        runner.run(parser.get_doctest(block, names, "README", "README.md", 0), clear_globs=False)
    assert runner.summarize().failed == 0
