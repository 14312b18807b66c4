"""Loops in C (loops.c), and others that are called alike."""

import ctypes
import glob
import os
import shutil
import subprocess
import sys
import zlib

import numpy as np
import scipy.sparse as sp

from operands import given, stored

INTS, DOUBLES = ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(ctypes.c_double)


class Args(ctypes.Structure):
    _fields_ = [
        ("threads", ctypes.c_int64),
        ("n", ctypes.c_int64 * 6),
        ("i", ctypes.c_void_p * 24),
        ("v", ctypes.c_void_p * 8),
        ("y", ctypes.c_void_p),
        ("pos", INTS),
        ("crd", INTS),
        ("val", DOUBLES),
        ("count", ctypes.c_int64),
        ("call", ctypes.c_void_p),
        ("handle", ctypes.c_void_p),
        ("path", ctypes.c_char_p),
    ]


FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC"]


def install(compiler):
    """From Debian, where there is one and we may."""
    if shutil.which(compiler) is None and shutil.which("apt-get") is not None:
        for command in (["update"], ["install", "--yes", "--no-install-recommends", compiler, "libc6-dev"]):
            subprocess.run(["apt-get", "--quiet", *command], stdout=sys.stderr)
    if shutil.which(compiler) is None:
        raise ImportError("no " + compiler)


def library(compiler="gcc", source="loops.c", more=()):
    """A source beside this one, compiled for this machine once."""
    here = os.path.dirname(os.path.abspath(__file__))
    command = [compiler, *FLAGS, *more]
    text = "".join(open(os.path.join(here, name)).read() for name in ("args.h", source)) + " ".join(command)
    out = os.path.join(sys.prefix, f"{source}-{zlib.crc32(text.encode()):08x}.so")
    if not os.path.exists(out):
        install(compiler)
        # Another process sees all of it or nothing.
        unfinished = f"{out}.{os.getpid()}"
        done = subprocess.run([*command, "-o", unfinished, os.path.join(here, source)], capture_output=True, text=True)
        if done.returncode != 0:
            raise ImportError(done.stderr[-300:])
        os.replace(unfinished, out)
    return ctypes.CDLL(out)


class Loop:
    """A loop with its arguments."""

    def __init__(self, lib, name, ints, doubles, sizes, y=None, threads=1, made=None, path=None, show=None, **rest):
        self.lib, self.f, self.y, self.made = lib, getattr(lib, name), y, made
        # A function that says where the result is, if the loop itself does not.
        self.show = show
        self.keep = (ints, doubles, rest)
        self.args = Args(threads=threads, path=path)
        for k, n in enumerate(sizes):
            self.args.n[k] = int(n)
        for k, a in enumerate(ints):
            assert a.dtype == np.int32 and a.flags.c_contiguous
            self.args.i[k] = a.ctypes.data
        for k, a in enumerate(doubles):
            assert a.dtype == np.float64 and a.flags.c_contiguous
            self.args.v[k] = a.ctypes.data
        if y is not None:
            self.args.y = y.ctypes.data
        for name in ("call", "handle"):
            if name in rest:
                setattr(self.args, name, rest[name].value)

    def turn(self, times):
        ns = (ctypes.c_int64 * times)()
        self.lib.turn(self.f, ctypes.byref(self.args), ctypes.c_int64(times), ns)
        return list(ns)

    def __call__(self):
        self.f(ctypes.byref(self.args))
        if self.made is None:
            return self.y
        a = self.args
        if self.show is not None:
            self.show(ctypes.byref(a))
        out = self.made(lambda n: copied(a.pos, n), lambda n: copied(a.crd, n), copied(a.val, a.count))
        self.lib.release(ctypes.byref(a))
        return out


def copied(pointer, count):
    return np.ctypeslib.as_array(pointer, (max(count, 1),))[:count].copy()


def rows_of(shape):
    """Reads what a loop made in CSR."""
    return lambda pos, crd, val: sp.csr_array((val, crd(val.size), pos(shape[0] + 1)), shape=shape)


def listed(shape):
    """Reads what a loop made in coordinates."""
    return lambda pos, crd, val: sp.coo_array((val, (pos(val.size), crd(val.size))), shape=shape)


class Entries:
    def __init__(self, i, j, v):
        self.found = i, j, v

    def entries(self):
        return self.found


class C:
    def __init__(self):
        self.lib, self.version, self.threads = library(), "gcc -O3 -march=native -ffast-math", 1

    def set_threads(self, n):
        self.threads = n

    def loop(self, *arguments, **named):
        return Loop(self.lib, *arguments, threads=self.threads, **named)

    def spmv(self, kind, a, x):
        rows, a, x = given[a].shape[0], stored(a, kind), given[x]
        name = "spmv_" + ("bsr" if kind.startswith("bsr") else kind)
        if kind == "ell":
            columns, values = a
            return self.loop(name, [columns], [values, x], columns.shape[::-1], y=np.zeros(rows))
        if kind == "sell8":
            starts, columns, values = a
            # Rows that the last slice lacks have no place in the result.
            return self.loop(name, [starts, columns], [values, x], [rows, starts.size - 1], y=np.zeros(rows))
        y = np.zeros(rows)
        if kind == "coo":
            return self.loop(name, [a.row, a.col], [a.data, x], [*a.shape, a.nnz], y=y)
        if kind.startswith("bsr"):
            size = a.blocksize[0]
            return self.loop(name, [a.indptr, a.indices], [a.data, x], [y.size, y.size // size, size], y=y)
        return self.loop(name, [a.indptr, a.indices], [a.data, x], a.shape, y=y)

    def spmm(self, a, b):
        a, b = given[a], given[b]
        y = np.zeros((a.shape[0], b.shape[1]))
        return self.loop("spmm", [a.indptr, a.indices], [a.data, b], y.shape, y=y)

    def sddmm(self, a, b, d):
        a, b, d = given[a], given[b], given[d]
        sizes = [a.shape[0], b.shape[1]]
        return self.loop("sddmm", [a.indptr, a.indices], [a.data, b, d], sizes, made=rows_of(a.shape))

    def product(self, name, a, b):
        a, b = given[a], given[b]
        ints = [a.indptr, a.indices, b.indptr, b.indices]
        shape = (a.shape[0], b.shape[1])
        return self.loop(name, ints, [a.data, b.data], shape, made=rows_of(shape))

    def matmul(self, a, b):
        return self.product("matmul", a, b)

    def matmul_sorted(self, a, b):
        return self.product("matmul_sorted", a, b)

    def add(self, *names):
        all = [given[name] for name in names]
        ints = [x for a in all for x in (a.indptr, a.indices)]
        shape = all[0].shape
        return self.loop("add", ints, [a.data for a in all], [shape[0], len(all)], made=rows_of(shape))

    def copy(self, a):
        a = given[a]
        return self.loop("copy", [a.indptr, a.indices], [a.data], a.shape, made=rows_of(a.shape))

    def convert(self, source, target, name):
        a, shape = stored(name, source), stored(name).shape
        if source == "coo":
            return self.loop("coo_csr", [a.row, a.col], [a.data], [*shape, a.nnz], made=rows_of(shape))
        arrays = [a.indptr, a.indices], [a.data]
        if target == "csc":
            back = rows_of(shape[::-1])
            return self.loop("transpose", *arrays, shape, made=lambda *found: back(*found).T)
        if source == "csc":
            return self.loop("transpose", *arrays, shape[::-1], made=rows_of(shape))
        if target == "coo":
            return self.loop("csr_coo", *arrays, shape, made=listed(shape))
        size = int(target[3:])

        def made(pos, crd, val):
            indptr = pos(shape[0] // size + 1)
            return sp.bsr_array((val.reshape(-1, size, size), crd(indptr[-1]), indptr), shape=shape)

        return self.loop("csr_bsr", *arrays, [*shape, size], made=made)

    def from_coo(self, name):
        a = given[name]
        return self.loop("from_coo", [a.row, a.col], [a.data], [*a.shape, a.nnz], made=rows_of(a.shape))

    def mmread(self, name):
        path = given[name]
        made = lambda pos, crd, val: Entries(pos(val.size), crd(val.size), val)
        return self.loop("read_mtx", [], [], [], made=made, path=path.encode())

    def fibres(self, name, x, *dense, **named):
        levels = [array for level in zip(x.pos, x.crd) for array in level]
        return self.loop(name, levels, [x.vals, *(given[d] for d in dense)], **named)

    def mttkrp(self, x, b, c):
        x, rank = given[x], given[b].shape[1]
        y = np.zeros((x.shape[0], rank))
        return self.fibres("mttkrp", x, b, c, sizes=y.shape, y=y)

    def ttv(self, x, v):
        y = np.zeros(given[x].shape[:2])
        return self.fibres("ttv", given[x], v, sizes=y.shape, y=y)

    def ttm(self, x, b):
        x, k = given[x], given[b].shape[1]
        i = np.repeat(x.crd[0], np.diff(x.pos[1])).repeat(k)
        j = (x.crd[1].astype(np.int64)[:, None] * k + np.arange(k)).ravel()
        return self.fibres("ttm", x, b, sizes=[x.shape[0], k], made=lambda pos, crd, val: Entries(i, j, val))

    def triad(self, threads, mib):
        n = mib * 2**17
        self.threads = threads
        run = self.loop("triad", [], [np.ones(n), np.ones(n)], [n], y=np.ones(n))
        return 24.0 * n / min(run.turn(8))


class Eigen:
    """Eigen's expressions (eigen.cpp); its headers come in a package."""

    def __init__(self):
        found = glob.glob(sys.prefix + "/lib/python*/site-packages/cmeel.prefix/include/eigen3")
        if not found:
            raise ImportError("no headers of Eigen")
        self.lib = library("g++", "eigen.cpp", ["-DNDEBUG", "-I" + found[0]])
        self.version = "cmeel-eigen, g++ " + " ".join(FLAGS[:3])

    def set_threads(self, n):
        self.lib.threads(ctypes.c_int64(n))

    def loop(self, *arguments, show="show", **named):
        return Loop(self.lib, *arguments, show=getattr(self.lib, show), **named)

    def spmv(self, kind, a, x):
        a = given[a]
        return self.loop("spmv", [a.indptr, a.indices], [a.data, given[x]], a.shape, y=np.zeros(a.shape[0]))

    def spmm(self, a, b):
        a, b = given[a], given[b]
        y = np.zeros((a.shape[0], b.shape[1]))
        return self.loop("spmm", [a.indptr, a.indices], [a.data, b], [*a.shape, b.shape[1]], y=y)

    def matmul_sorted(self, a, b):
        a, b = given[a], given[b]
        shape = (a.shape[0], b.shape[1])
        ints = [a.indptr, a.indices, b.indptr, b.indices]
        return self.loop("matmul", ints, [a.data, b.data], [*a.shape, b.shape[1]], made=rows_of(shape))

    def add(self, *names):
        all = [given[name] for name in names]
        ints, shape = [x for a in all for x in (a.indptr, a.indices)], all[0].shape
        return self.loop("add", ints, [a.data for a in all], [*shape, len(all)], made=rows_of(shape))

    def convert(self, source, target, name):
        a, back = given[name], rows_of(given[name].shape[::-1])
        made = lambda *found: back(*found).T
        return self.loop("csr_csc", [a.indptr, a.indices], [a.data], a.shape, made=made, show="show_flipped")

    def from_coo(self, name):
        a = given[name]
        return self.loop("from_coo", [a.row, a.col], [a.data], [*a.shape, a.nnz], made=rows_of(a.shape))
