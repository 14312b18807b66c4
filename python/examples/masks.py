"""Masks in run-length: overlap of segments and means under masks, beside NumPy.

Where an image is cut into regions, a row is a few runs of the same value. Kernels take runs as they are: work is done once for
each run, not for each pixel.
"""

from pathlib import Path

import numpy as np
from _side_by_side import arguments, compare

import openwork as ow

given = arguments(__doc__, "a .pgm image, such as images/s1045_mri.pgm")
size, spots = given.pick((2048, 12), (64, 3))


def image():
    """Bright spots on a dark ground, or a file of bytes: P5, width, height, greatest value, pixels."""
    if given.file:
        kind, width, height, _, pixels = Path(given.file).read_bytes().split(maxsplit=4)
        assert kind == b"P5"
        return np.frombuffer(pixels[-int(width) * int(height) :], np.uint8).reshape(int(height), int(width)) / 255
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:size, :size] / size
    middles = rng.random((spots, 3))
    return sum(np.exp(-((x - a) ** 2 + (y - b) ** 2) / (0.002 + 0.01 * c)) for a, b, c in middles)


light = image()
# Two ways to segment the image, which mostly agree.
first, second = light > 0.4, light > 0.5
A, B = (ow.asarray(mask, format="rle") for mask in (first, second))
x = ow.asarray(light)


def with_openwork():
    """Statements in one go, each of them a kernel; none writes a mask."""
    made = ow.evaluate_all(
        "both = sum(i,j, i64(A(i,j) & B(i,j))); some = sum(i,j, i64(A(i,j) | B(i,j))); size = sum(i,j, i64(A(i,j)));"
        "total = sum(i,j, f64(A(i,j)) * x(i,j))",
        A=A, B=B, x=x,
    )
    both, some, size, total = (value.item() for value in made.values())
    return both / some, total / size


def with_numpy():
    overlap = np.count_nonzero(first & second) / np.count_nonzero(first | second)
    return overlap, light[first].mean()


np.testing.assert_allclose(with_openwork(), with_numpy())
print(f"masks of {first.nbytes} bytes take {A.nbytes} in run-length")
compare(with_openwork, with_numpy, "NumPy", given.turns)
