"""What the examples share: their arguments, and two functions timed in turns."""

import argparse
import os
import sys
from statistics import median
from time import perf_counter

DATA = "a real file instead of generated data: "


def arguments(description: str, file: str | None = None) -> argparse.Namespace:
    """The arguments of a script. ``--small`` takes little data, as the tests do, and ``pick(large, small)`` is what the size
    asked for needs; ``file`` says which real data the script reads, where it does."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("--small", action="store_true", help="little data: seconds become milliseconds")
    parser.add_argument("--turns", type=int, default=15, help="how often each of the two is timed")
    if file is not None:
        parser.add_argument("file", nargs="?", help=DATA + file)
    given = parser.parse_args()
    given.pick = lambda large, small: small if given.small else large
    return given


def compare(ours, theirs, peer: str, turns: int) -> None:
    """Times two functions in turns, so that whatever else the machine does meets both, and prints the medians. Nothing is
    compiled or imported in what is timed: the scripts have called both, to compare what they make."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(turns):
        # Whoever comes second finds the caches as the first left them, so that takes turns, too.
        for which in (0, 1) if turn % 2 else (1, 0):
            start = perf_counter()
            (ours, theirs)[which]()
            times[which].append(perf_counter() - start)
    mine, other = (1e3 * median(t) for t in times)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    name = os.path.basename(sys.argv[0])
    print(f"{name:24} openwork {mine:9.3f} ms   {peer} {other:9.3f} ms   ratio {mine / other:.2f}   processors {cores}")
