"""A bar that says what was just finished and how long the rest takes."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

#: Seconds after which something moves on a terminal.
_TICK = 1.0


@contextmanager
def waiting(what: str | Callable[[], str]) -> Iterator[None]:
    """Show on a terminal what there is to wait for and for how long, where it takes a while.

    Parameters
    ----------
    what : str or callable
        Text, or a function that gives the text of now.
    """
    start, said = time.monotonic(), 0

    def tick():
        nonlocal said
        text = f"ldlrepro: {what() if callable(what) else what} ... "
        text += f"{time.monotonic() - start:.0f} s"
        print(f"\r{text.ljust(said)}", end="", file=sys.stderr, flush=True)
        said = len(text)

    with _ticking(tick, bool(sys.stderr and sys.stderr.isatty())):
        yield
    if said:
        print(f"\r{' ' * said}\r", end="", file=sys.stderr, flush=True)


@contextmanager
def _ticking(tick, wanted=True):
    """Call ``tick`` every second, in a thread of its own, until the block is left."""
    over = threading.Event()

    def run():
        while not over.wait(_TICK):
            tick()

    thread = threading.Thread(target=run, daemon=True)
    if wanted:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if wanted:
            thread.join()


class Progress:
    """Bar of a run on standard error.

    Parameters
    ----------
    seconds : list of float
        Expected seconds of each job, in any unit: the time left is the time that this run needed
        for the same sum of them.
    shown : bool
        False shows nothing.
    """

    def __init__(self, seconds, shown=True):
        self._seconds, self._left, self._done = seconds, sum(seconds), 0.0
        self._start = time.monotonic()
        shown = shown and bool(seconds)
        self._bar = tqdm(
            total=len(seconds),
            unit="fit",
            ascii=True,
            file=sys.stderr,
            disable=not shown,
            bar_format="{n_fmt}/{total_fmt} fits |{bar:20}| {elapsed}{postfix}",
        )
        on_terminal = bool(shown and sys.stderr and sys.stderr.isatty())
        self._clock = _ticking(self._bar.refresh, on_terminal)  # it goes on between fits

    def __enter__(self):
        self._clock.__enter__()
        return self

    def __exit__(self, *_):
        self._clock.__exit__(None, None, None)
        self._bar.close()

    def step(self, i: int, what: str) -> None:
        """Job ``i`` is done; ``what`` names it."""
        self._left -= self._seconds[i]
        self._done += self._seconds[i]
        self._bar.set_postfix_str(f"about {self.time_left()} left, {what}", refresh=False)
        self._bar.update()

    def time_left(self) -> str:
        """Time for the jobs that are left, as a text."""
        if not self._done:
            return "?"
        elapsed = time.monotonic() - self._start
        left = max(0.0, elapsed * self._left / self._done)
        if left < 90:
            return f"{left:.0f} s"
        return f"{left / 60:.0f} min" if left < 5400 else f"{left / 3600:.1f} h"
