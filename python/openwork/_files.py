"""Files by name, and open files, whose first bytes tell what they hold."""

from __future__ import annotations

import io
import os
import re
import shutil
import tempfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from . import _core
from ._array import Array, in_turn, wrap
from ._convert import asarray
from ._errors import refuse
from ._progress import Progress, watched
from ._statements import check_size, dtype_of

# What is looked at to tell the kind of a file.
_HEAD = 512


def load(
    file: str | os.PathLike[str] | IO[Any],
    format: str | None = None,
    *,
    dtype=None,
    shape=None,
    base: int = 1,
    progress: Progress = None,
) -> Array:
    """The array in a file: MatrixMarket (``.mtx``), FROSTT (``.tns``), TACO's tensors (``.ttx``), what
    ``scipy.sparse.save_npz`` writes (``.npz``), binsparse in NumPy's archives (``.bsp.npz``), Rutherford-Boeing (``.rb``) and
    Harwell-Boeing (``.hb``, ``.rua``…), NumPy's (``.npy``), or a pattern of the Deep Learning Matrix Collection (``.smtx``), each
    also with ``.gz``.

    ``file`` is a path, whose extension says which, or an open file, whose first bytes do. A file that lists every value is
    dense; other matrices are ``csr``, or ``coo`` with many more rows than entries, other tensors ``csf``, unless a format
    is given. Coordinates of a ``.tns`` file begin at 1, or at 0 with ``base=0``; other files leave nothing open there.

    ``progress=True`` draws a line on the standard error stream where it takes a while; a function is called with the bytes
    done and those there are, some times a second and at the end.

    Examples
    --------
    >>> import openwork as ow, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.mtx")
    >>> ow.save(path, ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr"))
    >>> ow.load(path)
    <openwork.Array: shape=(2, 2), dtype=float64, format=csr, nnz=2: (0,1) 2, (1,0) 3>
    >>> import io, numpy as np, scipy.sparse as sp
    >>> file = io.BytesIO()
    >>> sp.save_npz(file, sp.eye_array(3, format="csr"))
    >>> _ = file.seek(0)
    >>> ow.load(file).nnz
    3
    """
    name = None if dtype is None else str(dtype_of(dtype))
    for n in () if shape is None else shape:
        check_size(n, "an array")
    if base not in (0, 1):
        raise ValueError(f"coordinates begin at 0 or 1, not at {base!r}")
    if isinstance(file, (str, bytes, os.PathLike)):
        with watched(progress, f"reading {_name(file)}") as watch:
            return wrap(_core.load(os.fspath(file), format, name, shape, base == 0, watch))
    if not hasattr(file, "read"):
        raise TypeError(f"expected a path or an open file, not {type(file).__name__}")
    with _copied(file) as path, watched(progress, f"reading {_name(file)}") as watch:
        return wrap(_core.load(path, format, name, shape, base == 0, watch))


def save(
    file: str | os.PathLike[str] | IO[Any], array, *, kind: str | None = None, progress: Progress = None
) -> None:
    """Writes an array to a file, in the format that its extension names; the file appears whole or not at all.

    ``progress`` is as for :func:`load`.

    ``file`` may be open for writing as well; ``kind`` is an extension then (``"npz"``), unless the file has a name that
    ends in one. Sparse arrays in ``.npz`` are read by ``scipy.sparse.load_npz``; dense arrays are ``.npy``.

    Examples
    --------
    >>> import io, openwork as ow, scipy.sparse as sp
    >>> file = io.BytesIO()
    >>> ow.save(file, ow.asarray([[0.0, 2.0], [3.0, 0.0]], format="csr"), kind="npz")
    >>> _ = file.seek(0)
    >>> sp.load_npz(file).toarray()
    array([[0., 2.],
           [3., 0.]])
    """
    tensor = asarray(array)._tensor
    # Files have rows, columns or lists of elements; those of dense arrays have all values.
    tensor = tensor if tensor.full else in_turn(tensor)
    if isinstance(file, (str, os.PathLike)):
        if kind is not None:
            raise refuse("E0705", "the extension of a path says what is written", "leave `kind` out, or give an open file")
        with watched(progress, f"writing {_name(file)}") as watch:
            _core.save(os.fspath(file), tensor, watch)
        return
    name = _name(file)
    if kind is None and not Path(name).suffix:
        raise refuse("E0705", "an open file without a name does not say what is written", 'give kind="mtx", "npz"…')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name if kind is None else f"array.{kind.lstrip('.')}")
        with watched(progress, f"writing {_name(file)}") as watch:
            _core.save(path, tensor, watch)
        if isinstance(file, io.TextIOBase):
            with open(path, encoding="ascii") as text:
                shutil.copyfileobj(text, file)
        else:
            with open(path, "rb") as data:
                shutil.copyfileobj(data, file)


def _name(file) -> str:
    """The last part of a path or of the name of an open file, which need not have one."""
    name = os.fspath(file) if isinstance(file, (str, bytes, os.PathLike)) else getattr(file, "name", None)
    return os.path.basename(os.fsdecode(name)) if isinstance(name, (str, bytes)) else ""


@contextmanager
def _copied(file):
    """The path of a copy of an open file, with the extension of what is in it."""
    head = file.read(_HEAD)
    if isinstance(head, str):
        file, head = _Encoded(file), head.encode()
    with tempfile.TemporaryDirectory() as folder:
        stem = _name(file).partition(".")[0] or "file"
        path = os.path.join(folder, f"{stem}.{_extension(head)}")
        with open(path, "wb") as copy:
            copy.write(head)
            shutil.copyfileobj(file, copy)
        yield path


class _Encoded:
    """A file of text, as bytes."""

    def __init__(self, file):
        self.file, self.name = file, getattr(file, "name", None)

    def read(self, n: int = -1) -> bytes:
        return self.file.read(n).encode()


def _extension(head: bytes) -> str:
    """What kind of file begins like this."""
    if head.startswith(b"\x1f\x8b"):
        try:
            inside = zlib.decompressobj(31).decompress(head, _HEAD)
        except zlib.error:
            inside = b""
        return _extension(inside) + ".gz"
    if head.startswith(b"PK"):
        return "npz"
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head[:14].lower() == b"%%matrixmarket":
        return "ttx" if head[14:].split()[:1] == [b"tensor"] else "mtx"
    # After a title of any words and four or five numbers of lines come a type, as in `rua`, and sizes.
    if re.match(rb"[^\n]*\n(?: *\d+){4,5} *\r?\n[rcipq][urshz][ae](?: +\d+){3,4} *\r?\n", head, re.IGNORECASE):
        return "hb"
    return "smtx" if head.partition(b"\n")[0].count(b",") == 2 else "tns"
