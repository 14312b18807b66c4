"""What is installed: one wheel for every Python from 3.11 on, with what package indexes show of it."""

import importlib.metadata
import re
from pathlib import Path

import openwork as ow
from openwork import _core

ABOUT = importlib.metadata.distribution("openwork")
ROOT = Path(__file__).resolve().parents[3]


def test_the_wheel_is_for_the_stable_abi():
    assert Path(_core.__file__).name == "_core.abi3.so"
    tags = re.findall(r"^Tag: (.*)$", ABOUT.read_text("WHEEL"), re.MULTILINE)
    assert tags and all(re.fullmatch(r"cp311-abi3-(manylinux|linux)\w*_x86_64", tag) for tag in tags), tags


def test_the_wheel_is_stripped():
    # With names and lines it is four times as large.
    assert Path(_core.__file__).stat().st_size < 40_000_000


def test_metadata_is_complete():
    about = ABOUT.metadata
    assert about["Name"] == "openwork" and about["Requires-Python"] == ">=3.11"
    assert about["License-Expression"] == "MIT OR Apache-2.0"
    assert {Path(f).name for f in about.get_all("License-File")} == {"LICENSE-MIT", "LICENSE-APACHE"}
    assert about["Summary"] and about["Keywords"] and len(about.get_all("Classifier")) >= 5
    described = about.get_payload() if about["Description"] is None else about["Description"]
    assert described.strip().startswith("# Openwork")
    assert [r for r in ABOUT.requires if "extra" not in r] == ["numpy>=2.0"]


def test_versions_are_the_same_everywhere():
    cargo = (ROOT / "Cargo.toml").read_text()
    assert f'version = "{ABOUT.version}"' in cargo
    assert getattr(ow, "__version__", ABOUT.version) == ABOUT.version


def test_the_wheel_has_the_package_and_nothing_else():
    names = {str(f) for f in ABOUT.files if not str(f).startswith("openwork-")}
    assert all(n.startswith("openwork/") for n in names), names
    assert {"openwork/py.typed", "openwork/_core.pyi"} <= names
