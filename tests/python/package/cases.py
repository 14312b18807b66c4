"""Random arrays beside their NumPy twins."""

import numpy as np
from hypothesis import strategies as st

import openwork as ow

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "complex64", "complex128",
]  # fmt: skip
NUMERIC = DTYPES[1:]
REAL = DTYPES[:-2]
FORMATS = {
    0: ["dense"],
    1: ["dense", "sv", "coo", "hash", "bitmap", "bytemap", "rle", "dok"],
    2: [
        "dense", "csr", "csc", "dcsr", "dcsc", "coo", "coo_aos", "hash", "dok", "bytemap", "bitmap", "ragged", "lil",
        "rle", "dia", "ell", "jad", "sell(2)", "bcsr(2,2)", "bcsc(2,3)", "csb(2)", "hicoo(2)", "sky", "dense:1,0", "sd", "coo:1,0",
    ],
    3: ["dense", "csf", "coo", "dss", "dds", "dense:2,0,1", "csr", "csf:1,2,0", "hicoo(2)", "dok"],
    4: ["dense", "csf", "coo", "dsds", "csf:3,1,0,2"],
}  # fmt: skip
# What index arrays are made of: mostly as usual, else as narrow as arrays of these sizes allow, or wider than they need.
WIDTHS = ["", "", "", "", "; crd = u8", "; pos = u16; crd = u16", "; pos = i32; crd = i64"]


@st.composite
def values(draw, shape, dtype, fill=0, zeros=True):
    """A NumPy array of small whole numbers, most of them the fill value."""
    size = int(np.prod(shape))
    low = 0 if np.dtype(dtype).kind in "bu" else -3
    numbers = draw(
        st.lists(st.integers(low, 3).map(lambda n: n or (0 if zeros else 1)), min_size=size, max_size=size)
    )
    kept = draw(st.lists(st.integers(0, 2).map(lambda n: n == 0), min_size=size, max_size=size))
    x = np.array(numbers, dtype=np.int64).astype(dtype).reshape(shape)
    if np.dtype(dtype).kind == "c":
        x = x * np.array(1 + 1j, dtype)
    return np.where(np.array(kept, bool).reshape(shape), x, np.array(fill, dtype)).astype(dtype)


@st.composite
def layouts(draw, formats):
    """One of some formats, and the widths of its index arrays."""
    format = draw(st.sampled_from(formats))
    # Dense arrays have no index arrays, and diagonals have numbers below zero.
    width = "" if format.startswith("dense") else draw(st.sampled_from(WIDTHS))
    return format if format == "dia" and "u" in width else format + width


@st.composite
def shapes(draw, ranks=(0, 1, 2, 3, 4), least=0, most=4):
    rank = draw(st.sampled_from(ranks))
    return tuple(draw(st.lists(st.integers(least, most), min_size=rank, max_size=rank)))


@st.composite
def arrays(draw, shape=None, dtypes=DTYPES, fills=(0,), ranks=(0, 1, 2, 3, 4), formats=None):
    """An array of ours and its twin."""
    shape = draw(shapes(ranks)) if shape is None else shape
    dtype = draw(st.sampled_from(dtypes))
    fill = draw(st.sampled_from(fills))
    x = draw(values(shape, dtype, fill))
    return ow.asarray(x, format=draw(layouts(formats or FORMATS[len(shape)])), fill_value=fill), x


def check(got, want, exact=True):
    """Same shape, dtype and values."""
    dense = got.todense() if isinstance(got, ow.Array) else np.asarray(got)
    want = np.asarray(want)
    assert dense.dtype == want.dtype, f"{dense.dtype} is not {want.dtype}"
    assert dense.shape == want.shape, f"{dense.shape} is not {want.shape}"
    if exact:
        np.testing.assert_array_equal(dense, want)
    else:
        np.testing.assert_allclose(dense, want, rtol=1e-5, atol=1e-6)
