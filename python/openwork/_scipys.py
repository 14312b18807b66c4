"""The names of SciPy's formats, and what its classes are called here."""

from __future__ import annotations

# Formats that are a position for every row, or column, and coordinates.
COMPRESSED = ("csr", "csc", "bsr")
# Lists of coordinates, which are read as they are.
LIST = "coo"
# Blocks in compressed rows.
BLOCKS = "bsr"
# What is read beyond its arrays unless they are looked at before.
DIAGONALS, ROWS_OF_LISTS = "dia", "lil"
# How formats are called here.
FORMATS = {"csr": "csr", "csc": "csc", "coo": "coo", "dia": "dia", "dok": "dok", "lil": "csr", "bsr": "bcsr(2,2)"}
# What elements of a matrix are stored as that come in no rows.
STORED = {"dia": "dia", "lil": "csr"}
