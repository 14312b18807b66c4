"""Chains of random steps against NumPy: see `chains.py`."""

import os
from pathlib import Path

import pytest
from chains import chain
from conftest import EXAMPLES
from process import script

# Of empty rows there is no mean.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
LENGTH = 20
# As many chains in all as the other tests have examples, in parts that run side by side.
PARTS = 8
FIRST = int((os.environ.get("OPENWORK_CASES", "3000").rpartition("..")[0] or 0)) * 1000


@pytest.mark.parametrize("part", range(PARTS))
def test_chains_of_steps_are_numpys(part):
    ends = [chain(FIRST + n * 1000, LENGTH) for n in range(part, 2 * EXAMPLES, PARTS)]
    wrong = [why for why, _, _ in ends if why]
    assert not wrong, "\n\n".join(wrong[:5])
    right, refused = (sum(end[at] for end in ends) for at in (1, 2))
    assert right > 5 * refused, f"{right} steps were right, {refused} refused"


@pytest.mark.parametrize("limit", ["8K", "32K"])
def test_chains_near_the_memory_limit_are_numpys_or_refused(limit):
    # What is refused changes nothing: the chain goes on from the array that it had.
    head = f"import sys, numpy as np; sys.path.insert(0, {str(Path(__file__).parent)!r}); np.seterr(all='ignore')\nfrom chains import chain\n"
    body = f"""
    ends = [chain({FIRST} + n * 1000, {LENGTH}) for n in range({EXAMPLES} // 3)]
    print(sum(end[1] for end in ends), sum(end[2] for end in ends))
    assert not any(end[0] for end in ends), "\\n\\n".join(end[0] for end in ends if end[0])
    """
    right, refused = map(int, script(head, body, 600, OPENWORK_MEMORY_LIMIT=limit).split())
    assert right > refused > 0, f"{right} steps were right, {refused} refused"
