"""What to write instead of names that SciPy and NumPy have and this package has not."""

from __future__ import annotations

import numpy as np

from ._numpy import FUNCTIONS
from ._scipys import FORMATS

# What makes matrices in SciPy.
_MAKERS = {"eye", "eye_array", "identity", "diags", "diags_array", "spdiags", "random", "random_array", "rand", "block_diag"}
_OTHERS = {
    "array": "openwork.asarray",
    "zeros": "openwork.from_coo(([], []), [], shape) stores nothing",
    "issparse": "isinstance(a, openwork.Array)",
    "linalg": "scipy.sparse.linalg takes arrays as they are, or their to_scipy()",
    "load_npz": "openwork.load",
    "save_npz": "openwork.save",
}


def instead(name: str) -> str:
    """The end of a message about a name that the package does not have; empty where there is nothing to say."""
    format, _, kind = name.partition("_")
    if kind in ("array", "matrix") and format in FORMATS:
        return f': openwork.asarray(x, "{FORMATS[format]}")'
    if name in _MAKERS:
        return f": openwork.asarray takes what scipy.sparse.{name} makes"
    if name in _OTHERS:
        return f": {_OTHERS[name]}"
    found = getattr(np, name, None)
    known = isinstance(found, np.ufunc) or (callable(found) and found in FUNCTIONS)
    return f": numpy.{name} takes arrays of ours" if known else ""
