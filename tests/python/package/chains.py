"""Random chains of steps over arrays: what one step made, in whatever format it has, is what the next one works on."""

import random

import numpy as np
from cases import DTYPES, FORMATS, WIDTHS

import openwork as ow

# Sizes of modes. Chains stop growing where an array has more elements than this.
SIZES = [0, 1, 1, 2, 3, 4, 5]
MOST = 700
FILLS = [0, 0, 0, 0, 1, 2]


def layout(r, shape):
    """A format, and the widths of its index arrays."""
    format = r.choice(FORMATS[len(shape)])
    width = "" if format.startswith("dense") or max(shape, default=0) > 255 else r.choice(WIDTHS)
    return format if format == "dia" and "u" in width else format + width


def twin(r, shape, dtype, fill=0):
    """A NumPy array of small whole numbers, most of them the fill value."""
    low = 0 if np.dtype(dtype).kind in "bu" else -3
    numbers = [r.randint(low, 3) if r.random() < 0.4 else fill for _ in range(int(np.prod(shape)))]
    x = np.array(numbers, np.int64).astype(dtype).reshape(shape)
    return x * np.array(1 + 1j, dtype) if x.dtype.kind == "c" else x


def fresh(r, shape, dtype):
    """An array in any format, and its twin."""
    fill = r.choice(FILLS) if len(shape) and dtype != "bool" else 0
    x = twin(r, shape, dtype, fill)
    return ow.asarray(x, format=layout(r, shape), fill_value=fill), x


def axis(r, x):
    return r.randrange(-x.ndim, x.ndim)


def axes(r, x):
    """One axis, some, all of them by their name, or nothing said."""
    return r.choice([None, axis(r, x), axis(r, x), tuple(r.sample(range(x.ndim), r.randint(1, x.ndim)))])


def key(r, x):
    """Anything that NumPy takes between brackets, without arrays."""
    one = []
    for n in x.shape[: r.randint(0, x.ndim)]:
        start, stop = sorted(r.randint(-1, n + 1) for _ in range(2))
        ways = [slice(start, stop), slice(None, None, r.choice([1, 2, -1])), slice(None)]
        one.append(r.choice(ways + ([r.randrange(n)] if n else [])))
    at = r.randint(0, len(one))
    return tuple(one[:at] + r.choice([[], [None], [...]]) + one[at:])


def lists(r, x):
    """One list of coordinates somewhere, or a mask of one mode."""
    a = r.randrange(x.ndim)
    n = x.shape[a]
    picked = [r.randrange(-n, n) for _ in range(r.randint(0, 4))] if n else []
    mask = np.array([r.random() < 0.5 for _ in range(n)], bool)
    return (slice(None),) * a + (r.choice([np.array(picked, np.int64), picked if picked else [], mask]),)


def reshaped(r, x):
    """Another shape of the same number of elements."""
    n, shape = x.size, []
    while n > 1 and len(shape) < 3:
        divisor = r.choice([d for d in range(1, n + 1) if n % d == 0])
        shape.append(divisor)
        n //= divisor
    shape.append(n)
    r.shuffle(shape)
    if x.size and r.random() < 0.3:
        shape[r.randrange(len(shape))] = -1
    return tuple(shape)


def comparison(r, x):
    return r.choice([np.equal, np.not_equal] if x.dtype.kind == "c" else [np.greater, np.less_equal, np.equal, np.less])


def cast(r, x):
    """Another dtype. Numbers below zero are no unsigned ones: what NumPy makes of such floats depends on the machine."""
    if x.dtype.kind == "c":
        return x.astype(r.choice(DTYPES[-2:]))
    return abs(x).astype(r.choice(DTYPES)) if x.dtype.kind == "f" else x.astype(r.choice(DTYPES))


def stated(x, text, numpys, **operands):
    """The result of a statement over `x` of ours and other operands, or what NumPy makes of theirs."""
    if isinstance(x, ow.Array):
        return ow.evaluate(text, x=x, **operands)
    return np.asarray(numpys(x, **operands))


# What one step does with an array `x`, ours or NumPy's, drawing with `r`, beside `other(shape, dtype)`, which makes arrays of
# the same kind as `x`: the ranks that it takes, and the step. Both sides draw the same, so a step may look at `x.shape` only.
STEPS = {
    "negative": (1, 4, lambda r, x, other: -x if x.dtype != bool else ~x),
    "abs": (1, 4, lambda r, x, other: abs(x)),
    "sign": (1, 4, lambda r, x, other: np.sign(x) if x.dtype.kind not in "bc" else x.copy()),
    "square": (1, 4, lambda r, x, other: np.square(x) if x.dtype != bool else x & x),
    "floor": (1, 4, lambda r, x, other: np.floor(x) if x.dtype.kind == "f" else x + x),
    "logical_not": (1, 4, lambda r, x, other: np.logical_not(x)),
    "isfinite": (1, 4, lambda r, x, other: np.isfinite(x)),
    "real": (1, 4, lambda r, x, other: np.real(x)),
    "imag": (1, 4, lambda r, x, other: np.imag(x)),
    "conj": (1, 4, lambda r, x, other: np.conj(x)),
    "clip": (1, 4, lambda r, x, other: np.clip(x, 0, 2) if x.dtype.kind not in "bc" else x * 1),
    "astype": (1, 4, lambda r, x, other: cast(r, x)),
    "plus a number": (1, 4, lambda r, x, other: x + r.choice([0, 1, 2])),
    "times a number": (1, 4, lambda r, x, other: r.choice([0, 1, 2, 0.5]) * x),
    "divided by a number": (1, 4, lambda r, x, other: x / 2),
    "compared with a number": (1, 4, lambda r, x, other: comparison(r, x)(x, r.choice([0, 1]))),
    "plus": (1, 4, lambda r, x, other: x + other(x.shape, x.dtype)),
    "minus": (1, 4, lambda r, x, other: x - other(x.shape, "float32" if x.dtype == bool else x.dtype)),
    "times": (1, 4, lambda r, x, other: x * other(x.shape, r.choice(DTYPES))),
    "times a vector": (1, 4, lambda r, x, other: x * other(x.shape[-1:], x.dtype)),
    "plus a column": (2, 4, lambda r, x, other: x + other((*x.shape[:-1], 1), x.dtype)),
    "maximum": (1, 4, lambda r, x, other: np.maximum(x, other(x.shape, x.dtype)) if x.dtype.kind != "c" else x),
    "minimum": (1, 4, lambda r, x, other: np.minimum(x, other(x.shape[-1:], x.dtype)) if x.dtype.kind != "c" else x),
    "compared": (1, 4, lambda r, x, other: comparison(r, x)(x, other(x.shape, x.dtype))),
    "and": (1, 4, lambda r, x, other: r.choice([np.logical_and, np.logical_or, np.logical_xor])(x, other(x.shape, "bool"))),
    "where": (1, 4, lambda r, x, other: np.where(other(x.shape, "bool"), x, other(x.shape, x.dtype))),
    "where a number": (1, 4, lambda r, x, other: np.where(other(x.shape[-1:], "bool"), x, 0)),
    "sum": (1, 4, lambda r, x, other: x.sum(axes(r, x), keepdims=r.random() < 0.3)),
    "sum of some": (1, 4, lambda r, x, other: np.sum(x, axes(r, x), where=other(x.shape, "bool"))),
    "prod": (1, 4, lambda r, x, other: x.prod(axes(r, x))),
    "max": (1, 4, lambda r, x, other: x.max(axes(r, x)) if x.dtype.kind != "c" else x.any(axes(r, x))),
    "min": (1, 4, lambda r, x, other: x.min(axes(r, x), keepdims=True) if x.dtype.kind != "c" else x.all(axes(r, x))),
    "mean": (1, 4, lambda r, x, other: x.mean(axes(r, x))),
    "var": (1, 4, lambda r, x, other: x.var(axes(r, x))),
    "any": (1, 4, lambda r, x, other: x.any(axes(r, x))),
    "count": (1, 4, lambda r, x, other: np.count_nonzero(x, axis=axis(r, x))),
    "ptp": (1, 4, lambda r, x, other: np.ptp(x, axis=axis(r, x)) if x.dtype.kind not in "bc" else x),
    "argmax": (1, 4, lambda r, x, other: np.argmax(x, axis=axis(r, x)) if x.dtype.kind != "c" else x),
    "cumsum": (1, 4, lambda r, x, other: np.cumsum(x, axis=axis(r, x))),
    "sort": (1, 4, lambda r, x, other: np.sort(x, axis=axis(r, x)) if x.dtype.kind != "c" else x),
    "argsort": (1, 4, lambda r, x, other: np.argsort(x, axis=axis(r, x), kind="stable") if x.dtype.kind != "c" else x),
    "median": (1, 4, lambda r, x, other: np.median(x, axis=axis(r, x)) if x.dtype.kind not in "bc" else x),
    "transpose": (1, 4, lambda r, x, other: np.transpose(x, r.sample(range(x.ndim), x.ndim))),
    "swapaxes": (1, 4, lambda r, x, other: np.swapaxes(x, axis(r, x), axis(r, x))),
    "reshape": (1, 4, lambda r, x, other: x.reshape(reshaped(r, x))),
    "ravel": (1, 4, lambda r, x, other: x.ravel()),
    "squeeze": (1, 4, lambda r, x, other: np.squeeze(x)),
    "expand_dims": (1, 3, lambda r, x, other: np.expand_dims(x, r.randint(0, x.ndim))),
    "broadcast_to": (1, 3, lambda r, x, other: np.broadcast_to(x, (r.choice([1, 2]), *x.shape))),
    "key": (1, 4, lambda r, x, other: x[key(r, x)]),
    "list": (1, 4, lambda r, x, other: x[lists(r, x)]),
    "mask": (1, 4, lambda r, x, other: x[x != 0]),
    "mask beside": (1, 4, lambda r, x, other: x[other(x.shape, "bool")]),
    "take": (1, 4, lambda r, x, other: np.take(x, [0, -1], axis=-1) if x.shape[-1] else x),
    "compress": (1, 4, lambda r, x, other: np.compress([True, False, True][: x.shape[0]], x, axis=0)),
    "delete": (1, 4, lambda r, x, other: np.delete(x, 0, axis=0) if x.shape[0] else x),
    "append": (1, 4, lambda r, x, other: np.append(x, other(x.shape, x.dtype), axis=axis(r, x))),
    "flip": (1, 4, lambda r, x, other: np.flip(x, axes(r, x))),
    "roll": (1, 4, lambda r, x, other: np.roll(x, r.randint(-3, 3), axis=r.choice([None, axis(r, x)]))),
    "rot90": (2, 4, lambda r, x, other: np.rot90(x, r.randint(0, 3))),
    "repeat": (1, 4, lambda r, x, other: np.repeat(x, r.randint(0, 2), axis=axis(r, x))),
    "tile": (1, 4, lambda r, x, other: np.tile(x, r.choice([1, 2, (2, 1)]))),
    "concatenate": (1, 4, lambda r, x, other: np.concatenate([x, other(x.shape, r.choice(DTYPES)), x], axis=axis(r, x))),
    "stack": (1, 3, lambda r, x, other: np.stack([x, other(x.shape, x.dtype)], axis=r.randint(0, x.ndim))),
    "split": (1, 4, lambda r, x, other: np.array_split(x, 2, axis=axis(r, x))[r.randint(0, 1)]),
    "tril": (2, 4, lambda r, x, other: np.tril(x, r.randint(-2, 2))),
    "triu": (2, 4, lambda r, x, other: np.triu(x, r.randint(-2, 2))),
    "diagonal": (2, 2, lambda r, x, other: np.diagonal(x, r.randint(-1, 1))),
    "diag": (1, 2, lambda r, x, other: np.diag(x, r.randint(-1, 1))),
    "trace": (2, 2, lambda r, x, other: np.trace(x)),
    "matmul": (1, 4, lambda r, x, other: x @ other((x.shape[-1], r.randint(0, 3)), x.dtype)),
    "matmul from the left": (2, 4, lambda r, x, other: other((r.randint(0, 3), x.shape[-2]), x.dtype) @ x),
    "times its transpose": (2, 4, lambda r, x, other: x @ np.swapaxes(x, -1, -2)),
    "dot": (1, 2, lambda r, x, other: np.dot(x, other(x.shape[-1:], x.dtype))),
    "inner": (1, 2, lambda r, x, other: np.inner(x, other((2, x.shape[-1]), x.dtype))),
    "outer": (1, 2, lambda r, x, other: np.outer(x, other((2,), x.dtype))),
    "tensordot": (1, 3, lambda r, x, other: np.tensordot(x, other((x.shape[-1], 2), x.dtype), 1)),
    "kron": (1, 2, lambda r, x, other: np.kron(x, other((2,) * x.ndim, x.dtype))),
    "einsum": (2, 2, lambda r, x, other: np.einsum(r.choice(["ij->ji", "ij->j", "ij,jk->ik", "ij,jk->i"]).split(",")[0], x)),
    "einsum of two": (2, 2, lambda r, x, other: np.einsum(r.choice(["ij,ij->i", "ij,ij->ij", "ij,ij->"]), x, other(x.shape, x.dtype))),
    "maximum.reduce": (1, 4, lambda r, x, other: np.maximum.reduce(x, axis=axis(r, x)) if x.dtype.kind != "c" else x),
    "minimum.reduce": (1, 4, lambda r, x, other: np.logical_or.reduce(x, axis=axis(r, x))),
    "times a mode": (1, 4, lambda r, x, other: x * x.shape[0]),
    # Statements, and what they say in NumPy.
    "masked": (2, 2, lambda r, x, other: stated(x, "y(i,j) = x(i,j) where m(i,j)", lambda x, m: np.where(m, x, x.dtype.type(0)), m=other(x.shape, "bool"))),
    "masked out": (2, 2, lambda r, x, other: stated(x, "y(i,j) = x(i,j) where !m(i,j)", lambda x, m: np.where(m, x.dtype.type(0), x), m=other(x.shape, "bool"))),
    "masked by a row": (2, 2, lambda r, x, other: stated(x, "y(i,j) = x(i,j) where m(i) & (x(i,j) != 0)", lambda x, m: np.where(m[:, None], x, x.dtype.type(0)), m=other(x.shape[:1], "bool"))),
    "greatest product": (2, 2, lambda r, x, other: stated(
        abs(x) if x.dtype.kind != "b" else x + 0, "y(i) = max_times(j, f64(x(i,j)), f64(v(j)))", lambda x, v: (x * v.astype(float)).max(axis=1, initial=-np.inf), v=abs(other(x.shape[1:], "float64")))),
    "every pair": (2, 2, lambda r, x, other: stated(x, "y(i,k) = any(j, (x(i,j) != 0) & m(j,k))", lambda x, m: ((x != 0)[:, :, None] & m[None]).any(1), m=other((x.shape[1], 3), "bool"))),
    "count of rows": (2, 2, lambda r, x, other: stated(x, "y(i) = sum(j, x(i,j) != v(j))", lambda x, v: (x != v).sum(1), v=other(x.shape[1:], x.dtype))),
    "a window": (2, 2, lambda r, x, other: stated(x, f"y(i,j) = x(i,j(0:{x.shape[1]}:2))", lambda x: x[:, ::2])),
    "own transpose": (2, 2, lambda r, x, other: stated(x, "y(i,j) = x(j,i) * 2", lambda x: x.T * x.dtype.type(2)) if x.dtype != bool else x.T),
}  # fmt: skip


def step(name, seed, x, ours):
    """What a step makes of an array, and the same for ours and for NumPy's."""
    made = random.Random(seed + 1)

    def other(shape, dtype):
        array, same = fresh(made, shape, dtype)
        # NumPy's own arrays stand beside ours, too.
        plain = made.random() < 0.2
        return array if ours and not plain else same

    return STEPS[name][2](random.Random(seed), x, other)


def difference(got, want):
    """What is wrong with a result, if anything is."""
    found = got.todense() if isinstance(got, ow.Array) else np.asarray(got)
    want = np.asarray(want)
    if found.dtype != want.dtype or found.shape != want.shape:
        return f"{found.dtype} {found.shape}, and NumPy {want.dtype} {want.shape}"
    if isinstance(got, ow.Array) and got.ndim:
        # What is stored is what the array is: once each, inside of it, and everything else is the fill value.
        at, values = got.to_coo()
        again = np.full(got.shape, got.fill_value, got.dtype)
        again[tuple(at)] = values
        if len({tuple(c) for c in np.transpose(at).tolist()}) < len(values) or not np.array_equal(again, found, equal_nan=want.dtype.kind in "fc"):
            return "to_coo says something else than todense"
    if want.dtype.kind not in "fc":
        return None if np.array_equal(found, want) else f"{found.tolist()}, and NumPy {want.tolist()}"
    top = np.abs(want[np.isfinite(want)]).max(initial=1.0)
    near = np.allclose(found, want, rtol=200 * np.finfo(want.dtype).eps, atol=200 * np.finfo(want.dtype).eps * top, equal_nan=True)
    return None if near else f"{found.tolist()}, and NumPy {want.tolist()}"


def described(array, x):
    kind = f"shape={array.shape}, dtype={array.dtype}, format={array.format}, fill={array.fill_value}"
    return f"{kind}, values={x.tolist()}"


def tame(x):
    """Whether what comes next has to be right in every digit that is compared."""
    return bool(np.isfinite(x).all()) and np.abs(x).max(initial=0).item() < 1e5


def chain(seed, length):
    """What goes wrong in a chain, in words, and how many steps were right and how many refused."""
    r = random.Random(seed)
    right, refused, array = 0, 0, None
    for n in range(length):
        try:
            if array is None:
                shape = tuple(r.choice(SIZES) for _ in range(r.choice([1, 2, 2, 2, 3, 4])))
                array, x = fresh(r, shape, r.choice(DTYPES))
            if r.random() < 0.3:
                array = array.asformat(layout(r, x.shape))
        except ow.MemoryLimitError:
            refused, array = refused + 1, None
            continue
        name = r.choice([name for name, (least, most, _) in STEPS.items() if least <= x.ndim <= most])
        where = f"chain {seed}, step {n}: {name} (seed {seed + n}) of {described(array, x)}"
        try:
            want = step(name, seed + n, x, False)
        except (ValueError, TypeError, IndexError) as e:
            want = e
        try:
            got = step(name, seed + n, array, True)
        except (ow.MemoryLimitError, ow.UnsupportedError):
            # Fill values that differ, and what has none. The array goes on without this step.
            refused += 1
            continue
        except (ValueError, TypeError, IndexError, ow.OpenworkError) as e:
            if isinstance(want, Exception):
                refused += 1
                continue
            return f"{where}\n{type(e).__name__}: {e}", right, refused
        if isinstance(want, Exception):
            return f"{where}\n{got}, and NumPy {type(want).__name__}: {want}", right, refused
        try:
            wrong, same = difference(got, want), got.todense() if isinstance(got, ow.Array) else got
        except ow.MemoryLimitError:
            # What a step made could be made; what looks at it takes more.
            refused, array = refused + 1, None
            continue
        if wrong:
            return f"{where}\n{wrong}", right, refused
        right += 1
        # No error adds up: the twin goes on from what ours is.
        goes_on = isinstance(got, ow.Array) and 1 <= got.ndim <= 4 and got.size <= MOST and tame(want)
        array, x = (got, same) if goes_on else (None, None)
    return None, right, refused
