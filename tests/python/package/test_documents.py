"""Every example runs: docstrings, sessions of the README and the guide, the scripts for SciPy users, the tutorial."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
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


def parameters(thing) -> dict:
    try:
        return dict(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return {}


def unknown_keywords(span: str, known: set[str]) -> list[str]:
    """The keywords of calls of ours in a piece of code that no such function takes."""
    if whole := re.fullmatch(r"(\w+)=(…)?", span):
        return [] if whole[1] in known else [span]
    try:
        tree = ast.parse(span.replace("…", "..."), mode="eval")
    except SyntaxError:
        return []
    found = []
    for call in ast.walk(tree):
        of = call.func if isinstance(call, ast.Call) else None
        if not (isinstance(of, ast.Attribute) and isinstance(of.value, ast.Name) and of.value.id == "ow"):
            continue
        taken = parameters(getattr(ow, of.attr))
        # What is taken as an operand by its name is likely to be meant for another function.
        others = known if any(p.kind == p.VAR_KEYWORD for p in taken.values()) else {k.arg for k in call.keywords}
        found += [f"{span}: {k.arg}" for k in call.keywords if k.arg not in taken and k.arg in others]
    return found


def test_keywords_that_are_named_exist():
    public = [getattr(ow, name) for name in ow.__all__]
    members = [m for c in public if inspect.isclass(c) for _, m in inspect.getmembers(c, callable)]
    known = {p for thing in public + members for p in parameters(thing)}
    assert unknown_keywords('ow.evaluate("y(i) = x(i)", results=["y"], x=x)', known)
    assert unknown_keywords("ow.asarray(A, fill=1)", known) and not unknown_keywords("ow.asarray(A, fill_value=1)", known)
    for path in [ROOT / "README.md", *(ROOT / "guide/src").glob("*.md"), *(ROOT / "python/openwork").glob("*.py")]:
        for span in re.findall(r"`+([^`\n]+)`+", path.read_text()):
            assert not unknown_keywords(span, known), path


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
