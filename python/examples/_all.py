"""Every example beside its peer: a line with both times for each, and the mean of the ratios. Decides nothing.

    python python/examples/_all.py                       all of them
    python python/examples/_all.py --small pagerank      those whose name has this in it, on little data
"""

import argparse
import re
import subprocess
import sys
from math import exp, log
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="parts of the names of scripts; all without any")
    parser.add_argument("--small", action="store_true", help="little data: seconds become milliseconds")
    parser.add_argument("--turns", default="15", help="how often each of the two is timed")
    given = parser.parse_args()
    scripts = sorted(p for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("_") and p.stem != "tutorial")
    scripts = [s for s in scripts if not given.names or any(name in s.stem for name in given.names)]
    flags = ["--turns", given.turns, *(["--small"] if given.small else [])]
    ratios: list[float] = []
    failed = []
    for script in scripts:
        done = subprocess.run([sys.executable, script, *flags], capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if re.search(r"ratio \d", line)]
        print("\n".join(lines) or f"{script.name}: no times\n{done.stderr}", flush=True)
        ratios += [float(re.findall(r"ratio ([\d.]+)", line)[0]) for line in lines]
        if done.returncode or not lines:
            failed.append(script.name)
    known = [r for r in ratios if r > 0]
    if known:
        mean = exp(sum(map(log, known)) / len(known))
        print(f"{len(scripts)} scripts, geometric mean of the ratios {mean:.2f}; above 1 the peer is faster")
    if failed:
        print("failed: " + ", ".join(failed))
    return 1 if failed or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
