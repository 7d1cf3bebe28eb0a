"""Which predictions a measure calls equally good: level lines on the simplex of three labels."""

import numpy as np
from matplotlib.tri import Triangulation

from ldlrepro.metrics import DISTRIBUTION, measure
from ldlrepro.report.plots import panels, plt

#: Steps along an edge of the grid of predictions.
STEPS = 120
#: Bands of a panel; each holds this share of all predictions.
SHARE = 0.1
#: Where the three labels stand: a prediction lies at the mean of these, weighted by its degrees.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
_NAMES_AT = (
    (0, -0.03, "center", "top"),
    (1, -0.03, "center", "top"),
    (0.5, CORNERS[2, 1] + 0.01, "center", "bottom"),
)


def grid(steps=STEPS):
    """All distributions over three labels whose degrees are multiples of 1 / steps: (rows, 3)."""
    first, second = np.meshgrid(np.arange(steps + 1), np.arange(steps + 1), indexing="ij")
    inside = first + second <= steps
    first, second = first[inside], second[inside]
    return np.column_stack([first, second, steps - first - second]) / steps


def losses(name, d, P):
    """Losses (rows,) of predictions P, (rows, 3), of d, (3,): 1 minus the value of a similarity."""
    values = measure(name)(np.tile(d, (len(P), 1)), P, per_row=True)
    return 1 - values if DISTRIBUTION[name].greater_is_better else values


def bands(loss):
    """Bounds of the bands of `losses`: those that divide the predictions into equal shares.

    Where a `SHARE` or more of all predictions have no loss, their band is the larger for it.
    """
    inner = np.quantile(loss, np.arange(SHARE, 1 - SHARE / 2, SHARE))
    return np.unique(np.concatenate([[0], inner[inner > 1e-9], [loss.max()]]))


def level_lines(d, p):
    """A panel a measure of label distributions, its level line through p drawn full.

    Parameters
    ----------
    d, p : (3,)
        A true distribution and a prediction of it.
    """
    d, p = np.asarray(d, dtype=float), np.asarray(p, dtype=float)
    P = grid()
    net = Triangulation(*(P @ CORNERS).T)
    figure, axes = panels(1 + len(DISTRIBUTION), 3, 7, 2.3, above=0.3)
    key, *others = axes.flat
    _triangle(key, ("label 1", "label 2", "label 3"))
    key.set_title("Key", fontsize=10)
    _mark(key, d, "*", "true $d$", (-62, 20))
    _mark(key, p, "o", "prediction $p$", (32, 6))
    _mark(key, np.full(3, 1 / 3), "x", "uniform", (32, 18))
    for axis, (name, one) in zip(others, DISTRIBUTION.items(), strict=True):
        loss, (through,) = losses(name, d, P), losses(name, d, p[None])
        bounds = bands(loss)
        worse = [np.mean(loss <= bound) for bound in bounds[1:]]
        axis.tricontourf(net, loss, bounds, colors=plt.get_cmap("Blues_r")(worse))
        axis.tricontour(net, loss, [through], colors="C1", linewidths=2)
        _triangle(axis, ("1", "2", "3"))
        for point, mark in ((d, "*"), (p, "o"), (np.full(3, 1 / 3), "x")):
            _mark(axis, point, mark)
        value = 1 - through if one.greater_is_better else through
        axis.set_title(f"{one.label}: {value:.2f}", fontsize=10)
    degrees = ", ".join(f"{degree:g}" for degree in d)
    figure.suptitle(
        f"Which predictions each measure calls as good as p, for d = ({degrees})", fontsize=11
    )
    figure.tight_layout(w_pad=0.4, h_pad=0.8)
    return figure


def _triangle(axis, names):
    """The edges of the simplex, with the names of its corners."""
    axis.plot(*CORNERS[[0, 1, 2, 0]].T, color="black", linewidth=0.8)
    for name, (x, y, across, along) in zip(names, _NAMES_AT, strict=True):
        axis.text(x, y, name, ha=across, va=along, fontsize=9)
    axis.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.1, 0.96))
    axis.axis("off")


def _mark(axis, degrees, mark, name=None, offset=(0, 0)):
    """One distribution as a point, with its name beside it."""
    at = degrees @ CORNERS
    size = 10 if mark == "*" else 6
    axis.plot(*at, mark, color="black", markersize=size, markerfacecolor="white", zorder=3)
    if name:
        line = {"arrowstyle": "-", "linewidth": 0.7}
        axis.annotate(name, at, offset, textcoords="offset points", fontsize=9, arrowprops=line)
