"""A bar that says what was just finished and how long the rest takes."""

import sys
import time

from tqdm import tqdm


class Progress:
    """Bar of a run on standard error.

    Parameters
    ----------
    seconds : expected seconds of each job, in any unit: the time left is the time that this run
        needed for the same sum of them
    shown : False shows nothing
    """

    def __init__(self, seconds, shown=True):
        self._seconds, self._left, self._done = seconds, sum(seconds), 0.0
        self._start = time.monotonic()
        self._bar = tqdm(
            total=len(seconds),
            unit="fit",
            ascii=True,
            file=sys.stderr,
            disable=not shown or not seconds,
            bar_format="{n_fmt}/{total_fmt} fits |{bar:20}| {elapsed}{postfix}",
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._bar.close()

    def step(self, i, what):
        """Job ``i`` is done; ``what`` names it."""
        self._left -= self._seconds[i]
        self._done += self._seconds[i]
        self._bar.set_postfix_str(f"about {self.time_left()} left, {what}", refresh=False)
        self._bar.update()

    def time_left(self):
        """Time for the jobs that are left, as a text."""
        if not self._done:
            return "?"
        elapsed = time.monotonic() - self._start
        left = max(0.0, elapsed * self._left / self._done)
        if left < 90:
            return f"{left:.0f} s"
        return f"{left / 60:.0f} min" if left < 5400 else f"{left / 3600:.1f} h"
