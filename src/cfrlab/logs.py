"""Logging for stage scripts: one file, one format, one line for a user's mistake."""

from __future__ import annotations

import logging
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from threadpoolctl import threadpool_limits

from cfrlab.errors import CfrlabError

LOGGER = logging.getLogger("cfrlab")
PATIENCE = 30.0
"""Seconds after which a job shows its progress on the terminal."""
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def stage(
    log_path: str | os.PathLike[str] | None, threads: int = 1, *names: str
) -> Iterator[logging.Logger]:
    """Run the body of a stage: log to a file, with a limit on BLAS threads.

    Jobs side by side share a terminal, so they write there only what cannot wait: warnings, errors,
    and now and then how far a long job has come. A `CfrlabError` in the block becomes one line,
    ``error: ...``, in both places, and ends the script with exit status 1 and no traceback. Any
    other exception is a fault of the program: its traceback goes to the log, and it is raised
    again.

    Args:
        log_path: the log file, written afresh; None logs everything to stderr.
        threads: most threads that linear algebra and OpenMP may use.
        names: what the job is, put before each message.
    """
    with ExitStack() as stack:
        stack.enter_context(_thread_limit(threads))
        file = None if log_path is None else stack.enter_context(_fresh_file(Path(log_path)))
        job = " ".join(names)
        if file is not None:
            stack.enter_context(_attached(logging.StreamHandler(file), job))
        terminal = logging.StreamHandler(sys.stderr)
        if file is not None:
            terminal.addFilter(_Urgent())
        stack.enter_context(_attached(terminal, job))
        start = time.monotonic()
        try:
            yield LOGGER
        except CfrlabError as error:
            LOGGER.error(" ".join(str(error).split()))
            raise SystemExit(1) from None
        except Exception:
            if file is not None:
                file.write(traceback.format_exc())
            raise
        LOGGER.info("done in %s", duration(time.monotonic() - start))


class Progress:
    """Logs how far a loop has come, its rate and the time it still needs.

    Args:
        total: number of steps in all.
        what: what a step is, in the plural ("solves").
        every_seconds: shortest time between two lines; the last step is always logged.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        total: int,
        what: str,
        every_seconds: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total = total
        self._what = what
        self._every = every_seconds
        self._clock = clock
        self._start = self._last = clock()
        self._done = 0

    def step(self, count: int = 1) -> None:
        """Record that `count` further steps are done."""
        self._done += count
        now = self._clock()
        if now - self._last < self._every and self._done < self._total:
            return
        self._last = now
        elapsed = max(now - self._start, 1e-9)
        left = (self._total - self._done) * elapsed / max(self._done, 1)
        LOGGER.info(
            "%d/%d %s, %.3g/s, %s left",
            self._done,
            self._total,
            self._what,
            self._done / elapsed,
            duration(left),
            extra={"progress": elapsed},
        )


class _Urgent(logging.Filter):
    """Lets warnings and errors pass, and progress once a job has run for half a minute."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or getattr(record, "progress", 0.0) >= PATIENCE


def duration(seconds: float) -> str:
    """Return a length of time in words: ``4.2 s``, ``3 min 20 s``, ``2 h 05 min``."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return (
        f"{minutes} min {rest:02d} s"
        if minutes < 60
        else f"{minutes // 60} h {minutes % 60:02d} min"
    )


class _Format(logging.Formatter):
    """Time, job and message; errors as a bare ``error: ...`` line."""

    def __init__(self, job: str) -> None:
        super().__init__()
        self._job = f"{job}: " if job else ""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        if record.levelno >= logging.ERROR:
            return f"error: {message}"
        return f"{self.formatTime(record, '%H:%M:%S')} {self._job}{message}"


def _fresh_file(path: Path) -> TextIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("w", encoding="utf-8")


@contextmanager
def _attached(handler: logging.Handler, job: str) -> Iterator[None]:
    """Attach a handler to the package's logger for the length of the block."""
    level = LOGGER.level
    handler.setFormatter(_Format(job))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.setLevel(level)
        LOGGER.removeHandler(handler)


@contextmanager
def _thread_limit(threads: int) -> Iterator[None]:
    """Limit libraries already loaded, and by environment variables those loaded later."""
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(threads)))
    try:
        with threadpool_limits(limits=threads):
            yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
