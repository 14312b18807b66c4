"""Openwork: sparse arrays and a compiler for them.

Say *what* to compute in index notation and *how* each array is stored; the kernel for exactly that is compiled in the
process, in about a millisecond, and run.

>>> import numpy as np, scipy.sparse as sp, openwork as ow
>>> A = ow.asarray(sp.csr_array(np.array([[0.0, 2.0], [3.0, 0.0]])))
>>> A
<openwork.Array: shape=(2, 2), dtype=float64, format=csr, nnz=2: (0,1) 2, (1,0) 3>
>>> A @ np.array([10.0, 100.0])
array([200.,  30.])
>>> ow.evaluate("y(i) = A(i,j) * x(j)", A=A, x=[10.0, 100.0]).todense()
array([200.,  30.])

An :class:`Array` never turns into a NumPy array by itself: ``np.asarray(A)`` of a sparse one is refused. Call
:meth:`Array.todense` (or :meth:`Array.to_scipy`) to get one.
"""

import sys
from typing import TYPE_CHECKING

from . import _joined, _moved, _names, _parts, _reshaped, _split  # noqa: F401
from ._along import argmax, argmin, cumprod, cumsum, sort
from ._array import Array
from ._convert import asarray, convert, from_coo
from ._einsum import einsum
from ._errors import (
    DataError,
    DTypeError,
    FileError,
    FormatError,
    IndexWidthError,
    InternalError,
    IterationError,
    MemoryLimitError,
    NumberError,
    OpenworkError,
    OperandError,
    ParseError,
    ShapeError,
    UnsupportedError,
)
from ._evaluate import Explanation, Kernel, Pattern, Times, evaluate, explain, kernel
from ._files import load, save
from ._functions import Function, function, loop, where
from ._info import Info, free_memory, get_num_threads, info, set_num_threads
from ._nans import (
    count_nonzero,
    nanargmax,
    nanargmin,
    nancumprod,
    nancumsum,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
)
from ._norms import norm, normalize
from ._order import argsort, average, median, percentile, quantile
from ._sequence import evaluate_all
from ._statements import exact
from ._topk import topk

__version__ = "0.1.0"

__all__ = [
    "Array",
    "DTypeError",
    "DataError",
    "Explanation",
    "FileError",
    "FormatError",
    "Function",
    "IndexWidthError",
    "Info",
    "InternalError",
    "IterationError",
    "Kernel",
    "MemoryLimitError",
    "NumberError",
    "OpenworkError",
    "OperandError",
    "ParseError",
    "Pattern",
    "ShapeError",
    "Times",
    "UnsupportedError",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "average",
    "convert",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "einsum",
    "evaluate",
    "evaluate_all",
    "exact",
    "explain",
    "free_memory",
    "from_coo",
    "function",
    "get_num_threads",
    "info",
    "kernel",
    "load",
    "loop",
    "median",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "norm",
    "normalize",
    "percentile",
    "quantile",
    "save",
    "set_num_threads",
    "sort",
    "topk",
    "where",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        # Only what is not there comes here.
        from ._instead import instead

        message = f"module 'openwork' has no attribute '{name}'{instead(name)}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
