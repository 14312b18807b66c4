"""Files: what SciPy rejects is rejected by name and place, what it accepts is read and written without a change.

Exceptions, on purpose: `support.NOT_FOR_SCIPY` are valid and SciPy reads them wrongly or not at all;
`support.CONTRADICTORY` contradict themselves and SciPy does not say so.
"""

import gzip
import json
import random
import re

import numpy as np
import pytest
from support import CONTRADICTORY, FULL, NOT_FOR_SCIPY, check_all, dtype_name, files, matrices, name, openwork, read_tns
from support import reference, scipy_reads, text

CASES = files("format_cases/*")
MATRICES = matrices()


def assert_refused(done, path, codes=r"E07\d\d"):
    """One error with a place in the file, and nothing else."""
    assert done.status == 1, f"exit status {done.status}\n{done}\n{done.err}"
    first, *rest = done.err.splitlines()
    place = re.fullmatch(rf"error\[(?:{codes})\]: {re.escape(str(path))}:(\d+):(\d+): (.+)", first)
    assert place, f"{first!r} names no place\n{done}"
    line, column = int(place[1]), int(place[2])
    lines = text(path).split("\n")
    assert 1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1, f"{first}\n{done}"
    for word in ("error[", "panicked", "internal error", "backtrace", "RUST_BACKTRACE"):
        assert word not in "\n".join(rest), f"{word!r} in\n{done.err}\n{done}"
    assert done.out == ""


def spmv(path, out, *flags):
    return openwork("run", "y(i) = A(i,j) * x(j)", "-i", f"A={path}", "-g", "x=random:seed=1", "-o", f"y={out}", *flags)


@pytest.mark.parametrize("path", CASES, ids=map(name, CASES))
def test_cases(path, tmp_path):
    good = scipy_reads(path) and path.name not in CONTRADICTORY or path.name in NOT_FOR_SCIPY
    out = tmp_path / "y.tns"
    done = spmv(path, out)
    if good:
        assert (done.status, done.err) == (0, ""), f"{done}\n{done.err}"
        assert out.exists()
        return
    assert_refused(done, path)
    assert list(tmp_path.iterdir()) == []
    error = json.loads(spmv(path, out, "--json").err)["error"]
    assert f"error[{error['code']}]: {error['message']}" == done.err.splitlines()[0]


@pytest.mark.parametrize("path", MATRICES, ids=map(name, MATRICES))
def test_round_trip(path, tmp_path):
    """Files that openwork writes hold the same values, to the last digit."""
    a = reference(path)
    for out in ("a.tns", "b.mtx", "c.mtx.gz", "d.tns.gz"):
        done = openwork("convert", path, tmp_path / out, "--json")
        assert done.status == 0, f"{done}\n{done.err}"
    for out in ("a.tns", "d.tns.gz"):
        (rows, cols), vals = read_tns(tmp_path / out, 2, dtype_name(a.dtype))
        order = np.lexsort((cols, rows))
        assert np.array_equal(rows[order], a.row) and np.array_equal(cols[order], a.col)
        assert np.array_equal(vals[order].astype(a.dtype), a.data, equal_nan=a.dtype.kind in "fc")
    for out in ("b.mtx", "c.mtx.gz"):
        assert_equal(tmp_path / out, a)


def assert_equal(path, a):
    b = reference(path)
    assert (b.shape, b.dtype) == (a.shape, a.dtype)
    assert np.array_equal(b.row, a.row) and np.array_equal(b.col, a.col)
    assert np.array_equal(b.data, a.data, equal_nan=a.dtype.kind in "fc")


HEADER = "%%MatrixMarket matrix coordinate real general\n"
BOOL = "%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type bool\n"
ENTRIES = "1 1 1.5\n2 1 -2\n3 2 1e-3\n"

# The text after the header, and the code, line and column of the error.
MALFORMED = {
    "empty.mtx": ("", "E0701|E0702", None),
    "no_banner.mtx": ("3 2 3\n" + ENTRIES, "E0701", (1, 1)),
    "header_only.mtx": (HEADER, "E0702", None),
    "two_sizes.mtx": (HEADER + "3 2\n" + ENTRIES, "E0701", (2, None)),
    "four_sizes.mtx": (HEADER + "3 2 3 4\n" + ENTRIES, "E0701", (2, None)),
    "negative_size.mtx": (HEADER + "-3 2 3\n" + ENTRIES, "E0701", (2, 1)),
    "huge_size.mtx": (HEADER + "99999999999999999999 2 3\n" + ENTRIES, "E0701", (2, 1)),
    "too_few.mtx": (HEADER + "3 2 4\n" + ENTRIES, "E0702", None),
    "too_many.mtx": (HEADER + "3 2 2\n" + ENTRIES, "E0702", (5, 1)),
    "row_zero.mtx": (HEADER + "3 2 3\n" + ENTRIES.replace("2 1", "0 1"), "E0703", (4, 1)),
    "row_too_large.mtx": (HEADER + "3 2 3\n" + ENTRIES.replace("2 1", "4 1"), "E0703", (4, 1)),
    "column_too_large.mtx": (HEADER + "3 2 3\n" + ENTRIES.replace("2 1", "2 3"), "E0703", (4, 3)),
    "row_negative.mtx": (HEADER + "3 2 3\n" + ENTRIES.replace("2 1", "-2 1"), "E0701|E0703", (4, 1)),
    "row_real.mtx": (HEADER + "3 2 3\n" + ENTRIES.replace("2 1", "2.5 1"), "E0701", (4, None)),
    "no_value.mtx": (HEADER + "3 2 3\n" + ENTRIES.replace(" -2\n", "\n"), "E0701", (4, None)),
    "word_value.mtx": (HEADER + "3 2 3\n" + ENTRIES.replace("-2", "two"), "E0701", (4, 5)),
    "two_points.mtx": (HEADER + "3 2 3\n" + ENTRIES.replace("1.5", "1.5.5"), "E0701", (3, 5)),
    "complex_value.mtx": (HEADER + "3 2 3\n" + ENTRIES.replace("-2", "-2 1"), "E0701", (4, None)),
    "nul.mtx": (HEADER + "3 2 3\n" + ENTRIES.replace("-2", "-\0"), "E0701", (4, None)),
    "oblong_symmetric.mtx": (HEADER.replace("general", "symmetric") + "3 2 3\n" + ENTRIES, "E0701", (2, 1)),
    "too_many_of_bool.mtx": (BOOL + "2 2 1\n1 1 1\n2 1 1\n", "E0702", (5, 1)),
    "no_bool.mtx": (BOOL + "2 2 1\n1 1 2\n", "E0701", (4, 5)),
    "skew_diagonal.mtx": (HEADER.replace("general", "skew-symmetric") + "3 3 1\n2 2 4\n", "E0701", (3, 1)),
    "real_integer.mtx": (HEADER.replace("real", "integer") + "3 2 1\n1 1 1.5\n", "E0701", (3, 5)),
    "long_integer.mtx": (HEADER.replace("real", "integer") + "3 2 1\n1 1 9223372036854775808\n", "E0701", (3, 5)),
    "short_array.mtx": (HEADER.replace("coordinate", "array") + "2 2\n1\n2\n3\n", "E0702", None),
    "empty.tns": ("# nothing\n", "E0702", None),
    "ragged.tns": ("1 1 1 2.5\n1 2 2.5\n", "E0701", (2, None)),
    "zero.tns": ("1 1 1 2.5\n1 0 1 2.5\n", "E0703", (2, 3)),
    "word.tns": ("1 1 1 2.5\n1 one 1 2.5\n", "E0701", (2, 3)),
}


@pytest.mark.parametrize("case", MALFORMED)
@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gz"])
def test_malformed(case, zipped, tmp_path):
    content, codes, place = MALFORMED[case]
    path = tmp_path / (case + ".gz" if zipped else case)
    path.write_bytes(gzip.compress(content.encode()) if zipped else content.encode())
    done = openwork("convert", path, tmp_path / "out.tns")
    assert_refused(done, path, codes)
    for which, expected in zip((r":(\d+):\d+: ", r":\d+:(\d+): "), place or ()):
        found = int(re.search(re.escape(str(path)) + which, done.err)[1])
        assert expected in (None, found), done.err
    assert list(tmp_path.iterdir()) == [path]


# Unusual, but as good as the plain form.
UNUSUAL = {
    "crlf": (HEADER + "3 2 3\n" + ENTRIES).replace("\n", "\r\n"),
    "no_last_newline": (HEADER + "3 2 3\n" + ENTRIES).rstrip("\n"),
    "blank_lines": (HEADER + "\n% why\n\n3 2 3\n\n" + ENTRIES + "\n\n"),
    "tabs": HEADER + "3\t2\t3\n" + ENTRIES.replace(" ", "\t"),
    "spaces": HEADER + "  3  2  3  \n" + ENTRIES.replace(" ", "   ").replace("\n", "  \n"),
    "capitals": HEADER.replace("real general", "REAL General") + "3 2 3\n" + ENTRIES,
    "plus": HEADER + "3 2 3\n" + ENTRIES.replace(" 1.5", " +1.5"),
    "exponent": HEADER + "3 2 3\n" + ENTRIES.replace("1e-3", "1E-03"),
    "comments_between": HEADER + "3 2 3\n" + ENTRIES.replace("\n", "\n% more\n"),
}


@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual(case, tmp_path):
    path = tmp_path / "a.mtx"
    path.write_bytes(UNUSUAL[case].encode())
    done = openwork("convert", path, tmp_path / "out.tns")
    assert done.status == 0, f"{done}\n{done.err}"
    at, vals = read_tns(tmp_path / "out.tns", 2)
    assert at.tolist() == [[0, 1, 2], [0, 0, 1]] and vals.tolist() == [1.5, -2, 1e-3]


def test_upper_triangle(tmp_path):
    """A symmetric file may list the upper triangle, as SciPy allows."""
    path = tmp_path / "a.mtx"
    path.write_text(HEADER.replace("general", "symmetric") + "3 3 3\n1 1 1.5\n1 2 -2\n2 3 1e-3\n")
    assert openwork("convert", path, tmp_path / "out.mtx").status == 0
    assert_equal(tmp_path / "out.mtx", reference(path))


def test_decimals(tmp_path):
    """Every double is read to the nearest, however it is written."""
    rng = random.Random(7)
    words = ["0", "-0", "1e308", "1.7976931348623157e308", "4.9e-324", "2.4703282292062328e-324", "1e-400", "1e400"]
    words += ["9007199254740993", "0.1", "123456789012345678901234567890"]
    words += ["3" * 400 + "e-400", "0." + "0" * 330 + "49e7"]
    for _ in range(20_000):
        digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 25)))
        point = rng.randint(0, len(digits))
        words.append(f"{rng.choice(['', '-'])}{digits[:point] or '0'}.{digits[point:]}e{rng.randint(-330, 310)}")
    path = tmp_path / "a.mtx"
    lines = (f"{n + 1} 1 {w}\n" for n, w in enumerate(words))
    path.write_text(HEADER + f"{len(words)} 1 {len(words)}\n" + "".join(lines))
    assert openwork("convert", path, tmp_path / "out.tns").status == 0
    found = (tmp_path / "out.tns").read_text().split()[2::3]
    wrong = [(w, f) for w, f in zip(words, found, strict=True) if float(w).hex() != float(f).hex()]
    assert not wrong, f"{len(wrong)} wrong: {wrong[:5]}"


def test_truncated_gzip(tmp_path):
    """A compressed file that was cut off, or damaged, is refused."""
    whole = gzip.compress((HEADER + "3 2 3\n" + ENTRIES).encode(), mtime=0)
    damaged = [whole[:n] for n in range(len(whole))] + [whole[:-8] + bytes(8)]
    path, out = tmp_path / "a.mtx.gz", tmp_path / "out.tns"
    for content in damaged:
        path.write_bytes(content)
        done = openwork("convert", path, out)
        assert (done.status, out.exists()) == (1, False), f"{len(content)} bytes: {done}\n{done.err}"
        assert re.match(r"error\[E07\d\d\]: ", done.err) and done.err.count("error[") == 1, done.err


def test_other_extensions(tmp_path):
    """What is no tensor file is refused by its name."""
    for path in ["a.xlsx.gz", "a.mat", "a", "a.gz"]:
        (tmp_path / path).write_text("")
        done = openwork("convert", tmp_path / path, tmp_path / "out.tns")
        assert (done.status, done.err[:14]) == (1, "error[E0705]: "), done.err
    done = openwork("convert", tmp_path / "missing.mtx", tmp_path / "out.tns")
    assert (done.status, done.err[:14]) == (1, "error[E0704]: "), done.err


def test_mutations(tmp_path):
    """Small files with random damage: refused or read, never a crash."""
    rng = random.Random(11)
    sources = [text(p) for p in CASES if len(text(p)) < 2000]
    if not sources:
        sources = [HEADER + "3 2 3\n" + ENTRIES]
    alphabet = "0123456789.-+eE %\n\tnaif\0x"

    def damaged():
        content = list(rng.choice(sources))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(content))
            match rng.randrange(4):
                case 0:
                    content[at] = rng.choice(alphabet)
                case 1:
                    content.insert(at, rng.choice(alphabet))
                case 2:
                    del content[at : at + rng.randint(1, 5)]
                case _:
                    other = rng.randrange(len(content))
                    content[at:at] = content[other : other + rng.randint(1, 12)]
        return "".join(content)

    def check(number, content):
        path = tmp_path / f"{number}.mtx"
        path.write_bytes(content.encode("latin-1"))
        # Describing a file takes memory by its entries, not by the sizes it claims.
        done = openwork("info", path, "--json")
        if done.status != 0:
            assert done.status == 1, f"exit status {done.status}\n{done.err}"
            code = json.loads(done.err)["error"]["code"]
            assert re.fullmatch(r"E07\d\d|E0603", code), f"{code}: {done.err}"
        path.unlink()

    check_all([(n, damaged()) for n in range(3000 if FULL else 600)], check)
