"""How fast a large MatrixMarket file is read, by openwork and by SciPy.

    tests/python/run && .venv/bin/python tests/python/read_speed.py [short|long|pattern] [ROUNDS]

The example `read_speed` of openwork-storage writes the file (about 100 MB, always the same bytes) and times its own
reading; both read it in turns, so that what else the machine does meets both. Both use all
cores. Prints the median seconds of each and their ratio.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import scipy.io

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ["cargo", "build", "--quiet", "--release", "-p", "openwork-storage", "--example", "read_speed"]


def ours(folder, kind):
    """The seconds of one reading, as the example measures it, which leaves starting a process out."""
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    argv = [target / "release" / "examples" / "read_speed", folder, kind, "1"]
    out = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    return float(re.search(r"read ([0-9.]+) s", out)[1])


def theirs(path):
    """The seconds of one reading."""
    start = time.perf_counter()
    scipy.io.mmread(path, spmatrix=False)
    return time.perf_counter() - start


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else "short"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    subprocess.run(EXAMPLE, check=True, cwd=ROOT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{kind}.mtx"
        # Once each, uncounted: the file is written, and in the system's cache.
        ours(folder, kind)
        theirs(path)
        times = [(ours(folder, kind), theirs(path)) for _ in range(rounds)]
        size = path.stat().st_size / 1e6
    mine, scipys = (statistics.median(t) for t in zip(*times))
    print(f"{kind}: {size:.0f} MB, {rounds} rounds, medians")
    print(f"openwork  {mine:.3f} s  {size / mine:5.0f} MB/s")
    print(f"scipy     {scipys:.3f} s  {size / scipys:5.0f} MB/s  ({scipy.__version__}, {os.cpu_count()} cores)")
    print(f"scipy / openwork = {scipys / mine:.2f}")


if __name__ == "__main__":
    main()
