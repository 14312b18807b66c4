"""Sizes from which on another way of computing the same pays, as they are on a real machine or at their lowest.

``OPENWORK_MACHINE=tiny`` asks for the lowest ones, with which small tests take every way.
"""

import os

_TINY = os.environ.get("OPENWORK_MACHINE") == "tiny"


def threshold(usual, lowest=0):
    """The number `usual`, or `lowest` where all thresholds are at their lowest."""
    return lowest if _TINY else usual
