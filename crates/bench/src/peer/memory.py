"""How much PyData/Sparse grows by during a function of two arrays, over the bytes of the result: see `memory.rs`."""

import gc
import pathlib
import sys

import numpy as np
import sparse

def status(name):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])
    raise OSError("the system does not count the memory of processes")


def array(folder, name, n, dtype, fill):
    read = lambda part, dtype: np.fromfile(folder / f"{name}.{part}", dtype)  # noqa: E731
    coords = np.stack([read("rows", np.int32), read("columns", np.int32)])
    return sparse.COO(coords, read("values", dtype), shape=(n, n), fill_value=fill)


def grown(folder, name, n, fill, dtypes):
    # Nothing to the power of nothing is one, and so is what the result leaves out.
    a, b = (array(folder, of, n, dtype, np.dtype(dtype).type(0)) for of, dtype in zip("ab", dtypes))
    function = getattr(np, name)
    assert function(a, b).fill_value == fill  # compiled, and right
    gc.collect()
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    made = function(a, b)
    return (status("VmHWM") - before) / made.nbytes


for line in sys.stdin:
    folder, name, n, fill, *dtypes = line.split()
    try:
        print(f"{grown(pathlib.Path(folder), name, int(n), int(fill), dtypes):.2f}", flush=True)
    except Exception as e:
        print("error", type(e).__name__, str(e).splitlines()[:1], flush=True)
