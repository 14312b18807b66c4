"""Arrays and explanations in a notebook: an array is a table of what it is, and where its values are."""

from __future__ import annotations

import html as escape

import numpy as np

# Cells along the longer side of the picture, and the most values that are looked at for it.
_CELLS = 40
_MOST = 1_000_000


def html(array) -> str:
    """The table, and for a matrix of moderate size the picture."""
    rows = [("shape", array.shape), ("dtype", array.dtype), ("format", array.format), ("nnz", array.nnz)]
    rows += [("fill", array.fill_value), ("bytes", array.nbytes), ("as NumPy", "todense()")]
    cells = "".join(
        f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{escape.escape(str(value))}</td></tr>'
        for name, value in rows
    )
    drawn = array.ndim == 2 and 0 < array.nnz <= _MOST and 0 not in array.shape
    picture = f"<td>{spy(array)}</td>" if drawn else ""
    return f"<table><tr><td><table>{cells}</table></td>{picture}</tr></table>"


def explanation(explained) -> str:
    """What a statement becomes: the variants of its plan as a table, the plan in words, and each stage where it is opened."""
    text = escape.escape
    title = f"<code>{text(explained.statement)}</code>, {text(explained.format)}, {text(explained.dtype)}"
    style = 'style="text-align:left"'
    rows = "".join(
        f"<tr><td>{number}</td>" + "".join(f"<td {style}>{text(cell or '')}</td>" for cell in variant) + "</tr>"
        for number, variant in enumerate(explained.variants, 1)
    )
    head = "".join(f"<th {style}>{name}</th>" for name in ("", "variant", "what it does", "taken by"))
    stages = "".join(
        f"<details><summary>{name}</summary><pre>{text(getattr(explained, name))}</pre></details>"
        for name in ("plan", "cin", "graph", "loops")
    )
    return f"<div>{title}</div><table><tr>{head}</tr>{rows}</table>{stages}"


def spy(array) -> str:
    """A small picture of a matrix: the darker a cell, the more of its places are stored."""
    (rows, columns), _ = array.to_coo()
    cell = max(1, -(-max(array.shape) // _CELLS))
    height, width = (-(-n // cell) for n in array.shape)
    count = np.bincount(rows.astype(np.int64) // cell * width + columns // cell, minlength=height * width)
    shade = np.sqrt(count / max(1, count.max()))
    squares = "".join(
        f'<rect x="{n % width}" y="{n // width}" width="1" height="1" fill-opacity="{shade[n]:.2f}"/>'
        for n in np.flatnonzero(count)
    )
    size = f'width="{4 * width}" height="{4 * height}" viewBox="0 0 {width} {height}"'
    return f'<svg {size} style="border:1px solid" role="img" aria-label="spy plot">{squares}</svg>'
