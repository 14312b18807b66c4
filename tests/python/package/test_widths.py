"""Index arrays may be as narrow as the coordinates in them; what is computed of coordinates is not."""

import numpy as np
import pytest

import openwork as ow
from cases import check

# More rows than 8 bits count, and fewer columns.
TALL = np.zeros((300, 100))
TALL[np.arange(300), np.arange(300) % 100] = np.arange(1.0, 301.0)
TALL[[255, 256, 299], [99, 0, 1]] = -1.0
WIDE = TALL.T
FORMATS = {
    "csr; crd = u8": TALL, "csr; pos = u16; crd = u8": TALL, "csr; crd = u16": WIDE, "csc; crd = u8": WIDE, "csc; crd = u16": TALL,
    "dcsr; crd = u16": TALL, "dcsc; crd = u16": TALL, "coo; pos = u16; crd = u16": TALL, "coo_aos; crd = u16": TALL, "hash; crd = u16": TALL,
    "dok; crd = u32": TALL, "ell; crd = u8": TALL, "lil; crd = u8": TALL, "rle; crd = u16": WIDE, "bcsr(2,2); crd = u8": TALL, "jad; crd = u16": TALL,
    "csr; crd = u32": TALL, "coo; pos = i32; crd = i64": TALL,
}  # fmt: skip
MASK = np.arange(300) % 3 == 0
MOVED = {
    "tril": lambda m: np.tril(m, 30),
    "triu": lambda m: np.triu(m, -200),
    "diagonal": lambda m: np.diagonal(m, 1),
    "diagonals below": lambda m: np.diagonal(m, -1),
    "diag": lambda m: np.diag(m),
    "trace": lambda m: np.trace(m),
    "trace of another": lambda m: np.trace(m, -1),
    "ravel": lambda m: m.ravel(),
    "ravel of columns": lambda m: m.ravel("F"),
    "reshape": lambda m: m.reshape(3, -1),
    "reshape to three": lambda m: m.reshape(10, 30, 100),
    "reshape of columns": lambda m: np.reshape(m, (150, -1), order="F"),
    "expand": lambda m: np.expand_dims(m, 1),
    "flip": lambda m: np.flip(m),
    "rot90": lambda m: np.rot90(m),
    "roll": lambda m: np.roll(m, 257),
    "roll along both": lambda m: np.roll(m, (250, -70), (0, 1)),
    "repeat": lambda m: np.repeat(m, 3, 0),
    "repeat all": lambda m: np.repeat(m, 2),
    "tile": lambda m: np.tile(m, (2, 4)),
    "take": lambda m: np.take(m, [0, 99, 29_999]),
    "stack": lambda m: np.stack([m, m]),
    "stack behind": lambda m: np.stack([m, m], -1),
    "vstack": lambda m: np.vstack([m, m]),
    "hstack": lambda m: np.hstack([m, m, m, m]),
    "concatenate": lambda m: np.concatenate([m, m], axis=None),
    "block": lambda m: np.block([[m, m], [m, m]]),
    "append": lambda m: np.append(m, m, axis=1),
    "kron": lambda m: np.kron(m, np.eye(2)),
    "kron of it": lambda m: np.kron(np.eye(2), m),
    "split": lambda m: np.array_split(m, 3)[2],
    "delete": lambda m: np.delete(m, 1, 0),
    "rows": lambda m: m[[99, 0, 99] * 100],
    "all columns again": lambda m: m[:, list(range(m.shape[1])) * 4],
    "rows by bools": lambda m: m[MASK[: m.shape[0]]],
    "pairs": lambda m: m[[0, 99, 99], [0, 98, 99]],
    "mask": lambda m: m[m > 3],
    "mask of the others": lambda m: m[m == 0],
    "part": lambda m: m[60:, 1::2],
    "backwards": lambda m: m[::-1, ::-1],
    "transposed": lambda m: m.T,
    "nonzero": lambda m: np.nonzero(m)[0] * 1000 + np.nonzero(m)[1],
    "argwhere": lambda m: np.argwhere(m),
    "argmax": lambda m: np.argmax(m),
    "argmin of rows": lambda m: np.argmin(m, axis=1),
    "argsort": lambda m: np.argsort(m, axis=0, kind="stable"),
    "cumsum": lambda m: np.cumsum(m),
    "cumsum of columns": lambda m: np.cumsum(m, axis=0),
    "sort": lambda m: np.sort(m, axis=0),
    "median": lambda m: np.median(m, axis=1),
    "gcd": lambda m: np.gcd.reduce(m.astype(int), axis=0),
    "hypot": lambda m: np.hypot.reduce(m, axis=None),
    "sum": lambda m: m.sum(axis=0),
    "product": lambda m: m @ m.T,
    "outer": lambda m: np.outer(m[:, 0], m[0]),
    "difference": lambda m: m - m[::-1],
    "less": lambda m: m < 2,
    "root": lambda m: np.sqrt(abs(m)),
    "where": lambda m: np.where(m > 2, m, 0),
    "topk": lambda m: m.T.T,
}  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
def test_narrow_coordinates(format):
    x = FORMATS[format]
    a = ow.asarray(x, format)
    for name, moved in MOVED.items():
        try:
            check(moved(a), moved(x), exact=name not in ("hypot", "median"))
        except AssertionError as e:
            raise AssertionError(f"{name} of {format}: {e}") from e
    rows, columns = a.to_coo()[0]
    check(np.sort(rows.astype(int) * 1000 + columns), np.sort(np.nonzero(x)[0] * 1000 + np.nonzero(x)[1]))
    check(ow.topk(a, 1), np.where((x == x.max(axis=1, keepdims=True)) & (x > 0), x, 0))
    if not a._tensor.full:
        check(a.to_scipy().toarray(), x)


@pytest.mark.parametrize("format", ["csf; crd = u16", "coo; crd = u16", "csf; pos = u16; crd = u16", "dds; crd = u8"])
def test_narrow_coordinates_of_three_modes(format):
    x = np.zeros((6, 300, 100))
    x[np.arange(300) % 6, np.arange(300), np.arange(300) % 100] = np.arange(1.0, 301.0)
    a = ow.asarray(x, format)
    for moved in (
        lambda t: t.ravel(), lambda t: t.reshape(1800, 100), lambda t: t.reshape(3, -1), lambda t: np.flip(t, 1), lambda t: np.roll(t, 260, 1),
        lambda t: t[:, [299, 0]], lambda t: t[[0, 1], [299, 255]], lambda t: t[1], lambda t: t[:, 256:], lambda t: np.tril(t[:, :, :50]),
        lambda t: np.stack([t, t], 2), lambda t: np.concatenate([t, t], 1), lambda t: np.argmax(t, axis=1), lambda t: t.transpose((2, 0, 1)),
        lambda t: np.cumsum(t, axis=1), lambda t: t.sum(axis=0), lambda t: np.repeat(t, 2, 0), lambda t: t[t > 3], lambda t: np.moveaxis(t, 0, 1),
    ):  # fmt: skip
        check(moved(a), moved(x))


def test_results_have_room_for_more_than_operands():
    # As many positions as 8 bits count, and coordinates to the last one.
    x = np.eye(255)
    a = ow.asarray(x, "csr; pos = u8; crd = u8")
    for more in (lambda m: np.vstack([m, m]), lambda m: np.hstack([m, m]), lambda m: m[list(range(255)) * 2], lambda m: np.tile(m, 2),
                 lambda m: m[:, list(range(255)) * 2], lambda m: np.repeat(m, 2, 1), lambda m: np.kron(m, np.eye(2)), lambda m: m + m[::-1],
                 lambda m: m + 1, lambda m: m @ (m + m[::-1]), lambda m: np.concatenate([m, m], axis=None)):  # fmt: skip
        check(more(a), more(x))
    v = ow.asarray(np.arange(255.0), "sv; pos = u8; crd = u8")
    check(np.append(v, v), np.append(np.arange(255.0), np.arange(255.0)))
    check(v[:, None] * v, np.arange(255.0)[:, None] * np.arange(255.0))
