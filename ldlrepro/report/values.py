"""Cells of tables that hold more than one number; text only where `tables.show` writes them."""

from typing import NamedTuple

import numpy as np


class Share(NamedTuple):
    """So many cells of so many: "5 of 6"."""

    part: int
    whole: int

    @classmethod
    def of(cls, holds):
        """The share of cells in which something holds."""
        holds = [bool(one) for one in holds]
        return cls(sum(holds), len(holds))

    @property
    def ratio(self):
        """The share as a number, NaN of nothing."""
        return self.part / self.whole if self.whole else float("nan")

    def __str__(self):
        return f"{self.part} of {self.whole}"


class Outcomes(NamedTuple):
    """Printed numbers beside ours: "13 of 13 (+65, 1 off)".

    So many of the informative ones match. In brackets are the uninformative ones, which the mean
    predictor matches too, and how many of these ours does not match.
    """

    agree: int
    tell: int
    within: int
    untold: int

    @property
    def ratio(self):
        """Share of the informative numbers that ours match, NaN where there are none."""
        return self.agree / self.tell if self.tell else float("nan")

    @property
    def outside(self):
        """Uninformative numbers that ours do not match."""
        return self.untold - self.within

    @property
    def near(self):
        """Numbers that ours match, of all `cells`, informative or not."""
        return self.agree + self.within

    @property
    def cells(self):
        """All numbers."""
        return self.tell + self.untold

    def __add__(self, other):
        return type(self)(*(a + b for a, b in zip(self, other, strict=True)))

    def __str__(self):
        matched = f"{self.agree} of {self.tell}" if self.tell or not self.untold else "none"
        off = f", {self.outside} off" if self.outside else ""
        return f"{matched} (+{self.untold}{off})" if self.untold else matched


class Spread(NamedTuple):
    """Mean and standard deviation, NaN where there is none: "0.0544±0.0117"."""

    mean: float
    std: float

    def __format__(self, form):
        form = form or ".4f"
        return format(self.mean, form) + ("" if np.isnan(self.std) else f"±{self.std:{form}}")

    def __str__(self):
        return format(self)


class Difference(NamedTuple):
    """A difference, and as a share of what it is from: "+0.0044 (+1.2%)"."""

    absolute: float
    relative: float

    def __str__(self):
        return f"{self.absolute:+.4f} ({self.relative:+.1%})"


class Shown(NamedTuple):
    """Significant differences by the corrected and by the paired test: "3 (5)"."""

    corrected: int
    paired: int

    def __str__(self):
        return f"{self.corrected} ({self.paired})"


class Held(NamedTuple):
    """Significant differences, and those left in view of all tests: "16 (Holm 3, BH 12)"."""

    plain: int
    holm: int
    bh: int

    def __add__(self, other):
        return type(self)(*(a + b for a, b in zip(self, other, strict=True)))

    def __str__(self):
        return f"{self.plain} (Holm {self.holm}, BH {self.bh})" if self.plain else "0"


class Wins(NamedTuple):
    """One side against the other, counted in comparisons (data set x measure).

    Of ``cells`` comparisons the one side has the better mean in ``better``. It is significantly
    better in ``shown`` and significantly worse in ``worse`` (`Held`). ``untested`` ones have a
    single split, or differ by no more than rounding. ``lacking`` ones, not among the cells, have
    records of one side only.
    """

    better: int
    cells: int
    shown: Held
    worse: Held
    untested: int
    lacking: int

    @property
    def ratio(self):
        """Share of the comparisons with the better mean, NaN where there are none."""
        return Share(self.better, self.cells).ratio

    def __str__(self):
        text = (
            f"better in {Share(self.better, self.cells)} comparisons, significantly in "
            f"{self.shown}, significantly worse in {self.worse}"
        )
        if self.untested:
            text += f"; {self.untested} cannot be tested"
        if self.lacking:
            text += f"; {self.lacking} more were not run with both"
        return text


class Beside(NamedTuple):
    """Two values beside each other, written alike: "0.71 / 0.65"."""

    first: object
    second: object

    def __format__(self, form):
        return f"{self.first:{form}} / {self.second:{form}}"

    def __str__(self):
        return format(self)


def p_text(p):
    """A p-value to three digits behind the point."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def in_text(names):
    """Names as a sentence has them: "A, B and C"."""
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last
