"""The page on measures: a formula, a range, and a row by hand that its cell checks, for each."""

import json
import re

import numpy as np
import pytest

from ldlrepro import metrics, paths
from ldlrepro.report import simplex

PAGE = paths.PACKAGE.parent / "book" / "measures.ipynb"
in_checkout = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="pages are not installed")
D, P = np.array([0.6, 0.3, 0.1]), np.array([0.3, 0.5, 0.2])


def worked():
    """Each cell that checks a measure: (its name, the text before it, the value it shows)."""
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    for before, cell in zip(cells, cells[1:], strict=False):
        source = "".join(cell["source"])
        if call := re.search(r'^check\(\s*"(\w+)"', source, re.M):
            (output,) = cell["outputs"]
            assert "nbval-check-output" in cell["metadata"]["tags"]
            value = float("".join(output["data"]["text/plain"]))
            yield call[1], "".join(before["source"]), value


@in_checkout
def test_every_measure_has_a_row_by_hand():
    named = [name for name, *_ in worked()]
    by_years = {name for name in metrics.AGE if name.startswith("cs_")}
    assert set(named) == set(metrics.MEASURES) - by_years | {"mae", "cumulative_score"}


@in_checkout
def test_the_text_ends_with_the_value_that_the_cell_shows():
    for name, text, value in worked():
        steps = text.rstrip().removesuffix("$$").rstrip().removesuffix("\\end{aligned}").rstrip()
        written = re.search(r"(?:=|\\approx) (\d+(?:\.(\d+))?)$", steps)
        assert written, name
        assert float(written[1]) == round(value, len(written[2] or "")), name


@in_checkout
def test_every_measure_says_its_range_what_it_rewards_and_what_it_overlooks():
    text = "\n".join(text for _, text, _ in worked())
    sections = re.split(r"^\(measure-[\w-]+\)=\n### ", text, flags=re.M)[1:]
    assert len(sections) == 24  # the table on top and ages from distributions
    for section in sections:
        assert section.count("$$") >= 4, section[:40]
        assert "better" in section and "overlooks" in section or "Flatness" in section[:20]


def test_a_level_line_holds_predictions_that_the_measure_calls_equal():
    for name, one in metrics.DISTRIBUTION.items():
        loss = simplex.losses(name, D, np.stack([D, P]))
        value = metrics.measure(name)([D], [P])
        assert loss[1] == pytest.approx(1 - value if one.greater_is_better else value)
        assert loss[0] == pytest.approx(0, abs=1e-12) and loss[1] > 0.04


def test_the_grid_is_all_of_the_simplex():
    grid = simplex.grid(4)
    assert len(grid) == len(np.unique(grid, axis=0)) == 15
    np.testing.assert_allclose(grid.sum(axis=1), 1)
    assert (grid >= 0).all() and grid.max(axis=0).tolist() == [1, 1, 1]


def test_bands_hold_equal_shares_and_one_holds_all_without_loss():
    loss = np.linspace(0, 1, 1001)
    np.testing.assert_allclose(simplex.bands(loss), np.linspace(0, 1, 11), atol=1e-12)
    some = simplex.bands(np.maximum(loss - 0.25, 0))  # a quarter is perfect
    np.testing.assert_allclose(some[:3], [0, 0.05, 0.15], atol=1e-12)


def test_a_panel_a_measure_with_its_value():
    figure = simplex.level_lines(D, P)
    key, *panels = figure.axes
    assert key.get_title() == "Key" and "(0.6, 0.3, 0.1)" in figure.get_suptitle()
    titles = [axis.get_title() for axis in panels]
    assert titles[0] == "Chebyshev: 0.30" and titles[-1] == "SortLoss: 0.12"
    assert len(titles) == len(metrics.DISTRIBUTION)
    for axis in panels:  # the last line of a panel goes through p
        line = axis.collections[-1].get_paths()
        points = np.concatenate([path.vertices for path in line])
        assert np.abs(points - P @ simplex.CORNERS).sum(axis=1).min() < 0.02
    simplex.plt.close(figure)
