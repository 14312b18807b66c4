"""How much is tried: examples of hypothesis (OPENWORK_CASES, which ./test sets, over a hundred; of a range, its length),
and with `--few` a part of the tests: a few cases of each, and none of those that are marked as slow."""

import os
import random
import signal
from itertools import groupby

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from openwork import _core

first, _, end = os.environ.get("OPENWORK_CASES", "3000").rpartition("..")
EXAMPLES = max(15, (int(end) - int(first or 0)) // 100)
if _core.backend() == "interp":
    EXAMPLES = max(10, EXAMPLES // 3)
# Cases of each test, with `--few`.
FEW = 6
settings.register_profile(
    "openwork",
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.load_profile("openwork")
np.seterr(all="ignore")
# A job in the background begins with Ctrl-C ignored, and so would every process that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header():
    return f"openwork package: backend {_core.backend()}, {EXAMPLES} examples for each property"


def pytest_addoption(parser):
    parser.addoption("--few", action="store_true", help="a few cases of each test, and none of the slow ones")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: seconds for a case, so `--few` leaves it out")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("few"):
        return
    kept = []
    for name, cases in groupby(items, lambda item: (item.path, item.originalname)):
        cases = [case for case in cases if not case.get_closest_marker("slow")]
        # Every n-th case would have the same argument in a product of two lists. Names make the same choice in all workers.
        chosen = set(random.Random(str(name)).sample(cases, min(FEW, len(cases))))
        kept += [case for case in cases if case in chosen]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept
