"""How far files are: somebody is told, or a line is drawn, by a thread that looks from time to time."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Event, Thread
from typing import Callable, Union

from . import _core

#: Nothing, a line on the standard error stream, or what is called with how much is done and how much there is.
Progress = Union[bool, Callable[[int, int], object], None]

# Seconds between two looks, and before a line is drawn: what is fast draws nothing.
_TURN = 0.1
_PATIENCE = 0.5


class _Line:
    """A line that is drawn over and over, and goes away."""

    def __init__(self, what: str):
        self.what, self.turns = what, 0

    def __call__(self, done: int, all: int) -> None:
        self.turns += 1
        if self.turns * _TURN >= _PATIENCE:
            full = 30 * done // all
            sys.stderr.write(f"\r{self.what} [{'=' * full:30}] {100 * done // all:3} %")
            sys.stderr.flush()

    def gone(self) -> None:
        if self.turns * _TURN >= _PATIENCE:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def watched(progress: Progress, what: str):
    """What work notes its progress in, where somebody asked for it. An exception of theirs comes when the work is done."""
    if progress is None or progress is False:
        yield None
        return
    told = _Line(what) if progress is True else progress
    if not callable(told):
        raise TypeError(f"progress is True or a function of two numbers, not {type(told).__name__}")
    watch, ended = _core.Watch(), Event()
    raised: list[BaseException] = []

    def tell():
        done, all = watch.seen()
        if all and not raised:
            try:
                told(min(done, all), all)
            except BaseException as e:
                raised.append(e)

    def look():
        while not ended.wait(_TURN):
            tell()

    looking = Thread(target=look, name="openwork progress", daemon=True)
    looking.start()
    try:
        yield watch
    finally:
        ended.set()
        looking.join()
        if isinstance(told, _Line):
            told.gone()
    if not isinstance(told, _Line):
        # How it ended, which may have been before the first look.
        tell()
    if raised:
        raise raised[0]
