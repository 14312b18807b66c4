"""How many examples hypothesis tries: OPENWORK_CASES, which ./test sets, over a hundred; of a range, its length."""

import os
import signal

import numpy as np
from hypothesis import HealthCheck, settings

from openwork import _core

first, _, end = os.environ.get("OPENWORK_CASES", "3000").rpartition("..")
EXAMPLES = max(15, (int(end) - int(first or 0)) // 100)
if _core.backend() == "interp":
    EXAMPLES = max(10, EXAMPLES // 3)
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
