"""Every script in python/examples runs, on little data and on real files, and the guide lists it by its first line.

The scripts compare what they compute with what their peers compute; how long that took is printed, and decides nothing here.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("OPENWORK_DATA", ROOT / "../shared/data"))
EXAMPLES = sorted(
    p for p in (ROOT / "python/examples").glob("*.py") if not p.stem.startswith("_") and p.stem != "tutorial"
)
FILES = {
    "pagerank": "graphs/p2p-Gnutella08.mtx.gz",
    "gcn_layer": "gnn/cora_adj.mtx.gz",
    "cp_als": "tensors/nations.tns.gz",
    "masks": "images/s1045_mri.pgm",
    "pruned_layer": "dlmc/transformer__magnitude_pruning__0.98__body_encoder_layer_1_ffn_conv2_fully_connected.smtx.gz",
    "triangles": "graphs/email-Eu-core.mtx.gz",
    "notebook_display": "matrices/1138_bus.mtx.gz",
    "files": "matrices/1138_bus.mtx.gz",
}


def ran(script: Path, *arguments: str) -> str:
    environment = os.environ | {"PYTHONWARNINGS": "error::DeprecationWarning:__main__"}
    command = [sys.executable, script, "--small", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda p: p.stem)
def test_examples_agree_with_their_peers(script):
    assert re.search(rf"{script.name} +openwork .* ratio \d", ran(script)), "both times are printed"


@pytest.mark.parametrize("name", FILES)
def test_examples_take_real_files(name):
    file = DATA / FILES[name]
    if not file.exists():
        pytest.skip(f"there is no {file}")
    assert "ratio" in ran(ROOT / "python/examples" / f"{name}.py", str(file))


def test_the_guide_lists_every_example():
    guide = (ROOT / "guide/src/scipy.md").read_text()
    assert len(EXAMPLES) == 15
    for script in EXAMPLES:
        text = script.read_text()
        assert text.count("\n") <= 100, script
        first = text.removeprefix('"""').partition("\n")[0]
        assert f"- [`{script.name}`](../../python/examples/{script.name}): {first}" in guide, script


def test_one_command_runs_those_that_are_named():
    out = ran(ROOT / "python/examples/_all.py", "topk", "masks")
    for part in (r"masks.py .* ratio \d", r"topk_rows.py .* ratio \d", "2 scripts, geometric mean"):
        assert re.search(part, out), out


def test_every_file_that_is_named_is_one_a_script_reads():
    readers = {p.stem for p in EXAMPLES if re.search(r"arguments\(__doc__, ", p.read_text())}
    assert readers == set(FILES)
