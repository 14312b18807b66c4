"""Every example runs: docstrings, sessions of the README and the guide, the scripts for SciPy users, the tutorial."""

import doctest
import importlib
import pkgutil
import shutil
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


def sessions(text: str) -> str:
    """The text with empty lines for all that stands in no block of Python."""
    out, inside = [], False
    for line in text.splitlines():
        inside = line == "```python" or inside and line != "```"
        out.append(line if inside and line != "```python" else "")
    return "\n".join(out) + "\n"


DOCUMENTS = {
    path: text
    for path in [ROOT / "README.md", *sorted((ROOT / "guide/src").glob("*.md"))]
    if (text := sessions(path.read_text())).strip()
}


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


def test_documents_have_sessions():
    assert {"README.md", "scipy.md", "graphs.md", "errors.md"} <= {path.name for path in DOCUMENTS}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.stem)
def test_sessions_of_documents(document, tmp_path, monkeypatch):
    """What is typed in a document goes on in the next block, in a folder with the files of the guide."""
    shutil.copytree(ROOT / "guide/files", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    # One session, so that names live on; what is no code keeps its lines, so that messages have the right ones.
    session = doctest.DocTestParser().get_doctest(DOCUMENTS[document], {}, document.name, str(document), 0)
    runner.run(session)
    assert runner.summarize().failed == 0
