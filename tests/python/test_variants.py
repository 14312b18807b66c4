"""What `explain` lists is what `run` names, and every variant has the bits of the others, each in a process of its own."""

import pytest
from support import openwork

STATEMENTS = [
    ("B(i,j) = A(i,j)", "csr", "csc"),
    ("B(i,j) = A(i,j)", "csr", "coo"),
    ("B(i,j) = 2 * A(i,j)", "csr", "csr"),
    ("B(i,j) = A(i,j) * x(j)", "csr", "csr"),
    ("B(i,j) = A(i,j) / x(i)", "csr", "csr"),
    ("B(i,j) = A(i,j) / 3 + A(i,j) * x(j)", "csr", "csr"),
]


def flags(source, target):
    made = ["-g", "A=sparse:density=0.05,seed=3", "-d", "i=120", "-d", "j=120"]
    return [*made, "-f", f"A={source}", "-f", f"B={target}"]


def listed(statement, source, target):
    args = ["explain", statement, *["-d", "i=120", "-d", "j=120"], "-f", f"A={source}", "-f", f"B={target}", "--json"]
    return [v["name"] for v in openwork(*args).report["variants"]]


@pytest.mark.parametrize(("statement", "source", "target"), STATEMENTS)
def test_run_names_the_variant_that_is_listed(statement, source, target, tmp_path):
    names = listed(statement, source, target)
    results = set()
    for number in range(1, len(names) + 1):
        out = tmp_path / f"{number}.tns"
        x = ["-g", "x=random:seed=1"] if "x(" in statement else []
        args = [statement, *flags(source, target), *x, "-o", f"B={out}", "--variant", str(number), "--json"]
        ran = openwork("run", *args, "--time", "3").report
        for variant in (ran["first_variant"], ran["variant"]):
            assert variant["number"] >= number
            assert names[variant["number"] - 1] == variant["name"]
        if ran["variant"]["name"] not in ("strict", "deciding"):
            results.add(out.read_bytes())
    assert len(results) == 1


def test_a_variant_that_is_not_there_is_refused():
    args = ["B(i,j) = A(i,j)", *flags("csr", "csc"), "--variant", "9"]
    done = openwork("run", *args)
    assert done.status != 0 and "E0808" in done.err
