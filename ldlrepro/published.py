"""What the papers print: cells and claims, a comparison with ours, checks that any cell obeys.

The cells lie in ``data/published/<paper>.csv``, one row each, as printed: ``table, dataset, method,
measure, mean, std, bold, note`` (``bold`` is 1, 0, or empty where it cannot be told). Thousands
separators are left out. What a paper says in words lies in ``<paper>_claims.csv``. This layer knows
nothing of this project's own results.
"""

import itertools
import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from ldlrepro import paths
from ldlrepro.errors import UnknownNameError
from ldlrepro.metrics import DISTRIBUTION, MULTILABEL

#: What a printed cell says of ours: see `compare`.
MATCHES, DIFFERS, UNINFORMATIVE = "matches", "differs", "uninformative"

#: Measures whose printed numbers are checked: their values lie in [0, upper].
KNOWN = DISTRIBUTION | MULTILABEL


def papers() -> list[str]:
    """Papers whose printed numbers are stored, in alphabetical order.

    Returns
    -------
    list of str
        Names of papers.
    """
    stems = (path.stem for path in paths.PUBLISHED.glob("*.csv"))
    return sorted(stem for stem in stems if not stem.endswith("_claims"))


def claims(paper: str) -> pd.DataFrame:
    """What a paper asserts in words that could be measured, whether it was measured here or not.

    Parameters
    ----------
    paper : str
        Name of the paper.

    Returns
    -------
    DataFrame
        Strings, in the order of the paper: ``id`` (of one paper, unique), ``section`` (every place
        that says so), ``claim`` (a sentence in our words), ``printed`` (a number of the sentence,
        "" for none), ``headline`` ("yes" for the three to five that matter most).

    Raises
    ------
    UnknownNameError
        A paper without such a list.
    """
    path = paths.PUBLISHED / f"{paper}_claims.csv"
    if not path.is_file():
        there = sorted(p.stem.removesuffix("_claims") for p in paths.PUBLISHED.glob("*_claims.csv"))
        raise UnknownNameError(f"no list of claims for {paper!r}; there are {', '.join(there)}")
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def load(paper: str) -> pd.DataFrame:
    """Every printed number of a paper, in the order of its tables.

    Parameters
    ----------
    paper : str
        Name of the paper.

    Returns
    -------
    DataFrame
        A row a printed number: ``table`` (int), ``dataset``, ``method``, ``measure``, ``mean`` and
        ``std`` (float, NaN where none is printed), ``bold`` (nullable boolean), ``note``, and the
        strings ``mean_printed`` and ``std_printed``, which tell the number of decimals.

    Raises
    ------
    UnknownNameError
        A paper that is not stored.
    """
    if paper not in papers():
        raise UnknownNameError(
            f"no published cells for {paper!r}; stored papers: {', '.join(papers()) or 'none'}"
        )
    frame = pd.read_csv(paths.PUBLISHED / f"{paper}.csv", dtype=str, keep_default_na=False)
    for column in ("mean", "std"):
        frame[f"{column}_printed"] = frame[column]
        frame[column] = pd.to_numeric(frame[column])  # an empty string becomes NaN
    frame["table"] = frame["table"].astype(int)
    frame["bold"] = frame["bold"].map({"1": True, "0": False}).astype("boolean")
    return frame


def tolerance(published_std, our_std, rounding=0.0):
    """Largest difference that counts as agreement: one standard deviation over the folds.

    Parameters
    ----------
    published_std : float or array
        The printed standard deviation, NaN where none is printed.
    our_std : float or array
        Ours, which counts where none is printed.
    rounding : float or array
        What the last printed decimal leaves open: the tolerance is never less.

    Returns
    -------
    array
        NaN where neither deviation is known.
    """
    std = np.where(np.isnan(published_std), our_std, published_std)
    return np.maximum(std, rounding)


def compare(ours: pd.DataFrame, paper_rows: pd.DataFrame, on=("dataset", "method", "measure")):
    """Set our means beside the printed ones; two-sided, so "better than printed" is no agreement.

    Raises pandas.errors.MergeError when a key occurs twice in `ours`.

    Parameters
    ----------
    ours : DataFrame
        One row per key, with the columns `on`, ``mean`` and, optionally, ``std`` and ``source``.
        Rows with source "synthetic" are never compared with a printed number: they are left out.
    paper_rows : DataFrame
        Rows of `load`; a number printed in two tables is compared twice. A column ``null`` holds
        the mean of a predictor that ignores the features, on our folds.
    on : iterable of str
        Columns that tell which of our means belongs to a printed number.

    Returns
    -------
    DataFrame
        One row per printed number: `on`, ``table`` (if given), ``published``, ``published_std``,
        ``null``, ``ours``, ``ours_std``, ``difference`` (ours - published), ``difference_in_stds``
        (in published standard deviations; NaN where none is printed or it is 0), ``tolerance``;
        ``within`` (nullable boolean: ours is within the tolerance; NA where we have no number, or
        no tolerance), ``tells`` (the null predictor is not within it; NA as before) and
        ``outcome``: DIFFERS where ours is not within the tolerance, UNINFORMATIVE where both are,
        else MATCHES. ``repeated`` marks numbers that another one of the row determines: Sorensen,
        which is not counted beside Intersection. Rows of ours that the paper lacks are dropped.
    """
    on = list(on)
    if "source" in ours:
        ours = ours[ours["source"] != "synthetic"]
    ours = ours.reindex(columns=[*on, "mean", "std"])
    if not len(ours):  # such columns may be of any kind
        ours = ours.astype(dict.fromkeys(on, str))
    kept = [*on, *(c for c in ("table", "null", "mean_printed") if c in paper_rows), "mean", "std"]
    out = (
        paper_rows[kept]
        .rename(columns={"mean": "published", "std": "published_std"})
        .merge(
            ours.rename(columns={"mean": "ours", "std": "ours_std"}),
            on=on,
            how="left",
            validate="many_to_one",
        )
    )
    rounding = out.pop("mean_printed").map(half_unit) if "mean_printed" in out else 0.0
    if "null" not in out:
        out["null"] = np.nan
    out["difference"] = out["ours"] - out["published"]
    out["difference_in_stds"] = out["difference"] / out["published_std"].where(
        out["published_std"] > 0
    )
    out["tolerance"] = tolerance(out["published_std"], out["ours_std"], rounding)
    judged = out["difference"].notna() & out["tolerance"].notna()
    slack = out["tolerance"] * (1 + 1e-9)  # binary fractions: 0.55 - 0.50 is more than 0.05
    within, null_within = (
        away.abs() <= slack for away in (out["difference"], out["null"] - out["published"])
    )
    out["within"] = within.astype("boolean").mask(~judged)
    out["tells"] = (~null_within).astype("boolean").mask(~judged)
    outcome = np.select([~within, null_within], [DIFFERS, UNINFORMATIVE], MATCHES)
    out["outcome"] = pd.Series(outcome, index=out.index, dtype=object).where(judged)
    out["repeated"] = _repeated(out)
    return out


def _repeated(cells):
    """Cells of Sorensen whose row has Intersection too: 1 minus it (see MIRRORED)."""
    key = [c for c in ("table", "dataset", "method", "setting") if c in cells]
    mirrors = cells["measure"] == "sorensen"
    if not mirrors.any():
        return mirrors
    there = cells["measure"].where(cells["measure"] == "intersection")
    beside = there.groupby([cells[c] for c in key]).transform("count") > 0
    return mirrors & beside


def half_unit(printed: str) -> float:
    """Half a unit of the last printed decimal: how far rounding can have moved the value.

    Parameters
    ----------
    printed : str
        A number as printed.

    Returns
    -------
    float
        0.005 for two decimals.
    """
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


# Notation of the reasons, for one row: d, p the distributions; V = sum|d-p| / 2 = 1 - intersection;
# t = |d-p| / (d+p), in [0, 1]; w = (d+p) / 2, which sums to 1, so that V = sum w t; c labels. An
# inequality carries over from rows to means if it is linear, or if its smaller side is convex and
# its larger one linear (Jensen).
_REASONS = {
    "chebyshev <= 1": "|d-p| <= 1 in each label",
    "clark <= sqrt(c)": "c squares of t <= 1",
    "canberra <= c": "c terms t <= 1",
    "cosine <= 1": "Cauchy-Schwarz",
    "intersection <= 1": "min(d, p) <= d",
    "fidelity <= 1": "Cauchy-Schwarz",
    "sorensen <= 1": "|d-p| <= d+p",
    "squared_chi2 <= 2": "chi2 = sum (d-p)^2 / (d+p) = sum t |d-p|, and t |d-p| <= d+p",
    "euclidean <= sqrt(2)": "|d-p|^2 <= |d|^2 + |p|^2 <= 2",
    "sorensen == 1 - intersection": "it is V: min(d, p) = (d + p - |d-p|) / 2",
    "chebyshev <= 1 - intersection": "d-p sums to 0: either side, d > p and d < p, sums to V",
    "1 - intersection <= (c // 2) * chebyshev": "the smaller side has at most floor(c/2) labels",
    "1 - intersection <= clark": "V is a weighted mean of t, so at most its largest",
    "clark <= canberra": "2-norm <= 1-norm of t",
    "clark**2 <= canberra": "t^2 <= t",
    "canberra <= sqrt(c) * clark": "Cauchy-Schwarz",
    "2 * (1 - intersection) ** 2 <= kl_divergence": "Pinsker's inequality",
    "-2 * log(fidelity) <= kl_divergence": "Jensen: ln sum d sqrt(p/d) >= -KL/2",
    "intersection <= fidelity": "min(d, p) <= sqrt(d p)",
    "(1 - intersection) ** 2 + fidelity**2 <= 1": "Cauchy-Schwarz: |d-p| = |√d - √p| (√d + √p)",
    "2 * (1 - intersection) ** 2 <= squared_chi2": "chi2 = 2 sum w t^2 >= 2 (sum w t)^2",
    "squared_chi2 <= 2 * (1 - intersection)": "chi2 = 2 sum w t^2, and t^2 <= t",
    "2 * (1 - fidelity) <= squared_chi2": "chi2 = sum r (√d - √p)^2, r = (√d + √p)^2 / (d+p) >= 1",
    "squared_chi2 <= 4 * (1 - fidelity)": "as above, with r <= 2",
    "euclidean <= sqrt(2) * (1 - intersection)": "each side's squares sum to at most V^2",
    "2 * (1 - intersection) <= sqrt(c) * euclidean": "Cauchy-Schwarz",
}

#: Pairs that add up to 1 on every row, so that their standard deviations are one, and the numbers
#: of labels for which they do: of 2 or 3 labels one is alone on its side of d-p, with |d-p| = V.
MIRRORED = (
    ("sorensen", "intersection", None),
    ("chebyshev", "intersection", (2, 3)),
)


class Rule(NamedTuple):
    """A relation that means obey; ``gap(dict)`` is its left side less its right one."""

    text: str
    why: str
    measures: tuple[str, ...]
    equality: bool
    gap: Callable[[dict], float]


def _rule(text: str, why: str) -> Rule:
    left, sign, right = re.split(" (<=|==) ", text)
    code = compile(f"({left}) - ({right})", text, "eval")
    measures = tuple(name for name in code.co_names if name not in ("c", "sqrt", "log"))
    functions = {"sqrt": np.sqrt, "log": np.log}
    return Rule(text, why, measures, sign == "==", lambda values: eval(code, functions, values))


_RANGES = {f"{m.name} <= {m.upper}": "its range" for m in KNOWN.values() if m.upper != "inf"}
#: Relations between the means of one row of a table, each with its reason.
RULES = tuple(_rule(text, why) for text, why in (_RANGES | _REASONS).items())


def identities(df: pd.DataFrame) -> pd.DataFrame:
    """Printed numbers that cannot all be exact, whatever the data: rules that rows of `df` break.

    Checked: that means are not negative, and RULES; that the standard deviations of MIRRORED pairs
    are equal; that a cell printed in two tables is the same in both; and, where ``bold`` is known,
    that the best mean of each row is bold. A rule counts as broken only by more than rounding
    explains, each value being within half a unit of its last printed decimal.

    Parameters
    ----------
    df : DataFrame
        Rows of `load`. Numbers of labels come from its rows with measure "labels"; rules about c
        are skipped for data sets without one. Rows whose note starts with "difference" are not
        measures of a method and are left out, as is what is not in KNOWN.

    Returns
    -------
    DataFrame
        Columns ``table, dataset, method, rule, printed, excess, rounding, ratio``: by how much the
        printed values break the rule, by how much rounding alone could, and the first over the
        second.
    """
    labels = df[df["measure"] == "labels"].set_index("dataset")["mean"].to_dict()
    cells = df[df["measure"].isin(KNOWN) & ~df["note"].str.startswith("difference")]
    found = []
    for (table, dataset, method), group in cells.groupby(["table", "dataset", "method"]):
        key, c = (table, dataset, method), labels.get(dataset, np.nan)
        means = dict(zip(group["measure"], group["mean_printed"], strict=True))
        stds = dict(zip(group["measure"], group["std_printed"], strict=True))
        for measure, text in means.items():
            found += _check(key, f"{measure} >= 0", {measure: text}, lambda v: -min(v.values()))
        for rule in RULES:
            if set(rule.measures) <= set(means):
                used = {measure: means[measure] for measure in rule.measures}
                gap = partial(_with_c, rule.gap, c)
                found += _check(key, rule.text, used, gap, rule.equality)
        for one, other, numbers in MIRRORED:
            if stds.get(one) and stds.get(other) and (numbers is None or c in numbers):
                used = {f"{one} std": stds[one], f"{other} std": stds[other]}
                found += _same(key, f"{one} and {other} have one std", used)
    found += _printed_twice(cells) + _bold(cells)
    columns = ["table", "dataset", "method", "rule", "printed", "excess", "rounding", "ratio"]
    return pd.DataFrame(found, columns=columns)


def _with_c(gap, c, values):
    return gap({**values, "c": c})


def _check(key, rule, printed, gap, equality=False):
    """A list of one violation, or none. printed : {name: printed string}; gap as in Rule."""
    values = {name: float(text) for name, text in printed.items()}
    excess = abs(gap(values)) if equality else gap(values)
    moved = [
        abs(gap({n: values[n] + s * half_unit(printed[n]) for n, s in signs.items()}) - gap(values))
        for signs in _signs(values)
    ]
    rounding = max(moved)
    if not excess > rounding * (1 + 1e-9):  # NaN (an unknown c) is no violation
        return []
    text = ", ".join(f"{name} {value}" for name, value in printed.items())
    return [(*key, rule, text, excess, rounding, excess / rounding)]


def _signs(names):
    """Every way to round all values up or down: the corners of the box of unrounded values."""
    for signs in itertools.product((-1, 1), repeat=len(names)):
        yield dict(zip(names, signs, strict=True))


def _same(key, rule, printed):
    return _check(key, rule, printed, lambda v: np.subtract(*v.values()), equality=True)


def _printed_twice(cells):
    """Cells of one data set, method and measure in two tables: means and stds must be the same."""
    found = []
    for (dataset, method, measure), group in cells.groupby(["dataset", "method", "measure"]):
        for (_, a), (_, b) in itertools.combinations(group.iterrows(), 2):
            for column in ("mean", "std"):
                texts = (a[f"{column}_printed"], b[f"{column}_printed"])
                if all(texts):
                    used = {f"Table {r['table']}": t for r, t in zip((a, b), texts, strict=True)}
                    rule = f"{measure} {column} is the same in both tables"
                    found += _same((b["table"], dataset, method), rule, used)
    return found


def _bold(cells):
    """Rows of a table whose bold mark is not on the best mean."""
    found = []
    for (table, dataset, measure), group in cells.groupby(["table", "dataset", "measure"]):
        marked = group[group["bold"].fillna(False)]
        if marked.empty:
            continue
        sign = -1 if KNOWN[measure].greater_is_better else 1
        best = group.loc[(sign * group["mean"]).idxmin()]
        for _, row in marked.iterrows():
            used = {row["method"]: row["mean_printed"], best["method"]: best["mean_printed"]}
            if row["mean"] != best["mean"]:
                rule = f"bold marks the best {measure}"
                gap = partial(_bold_gap, sign)
                found += _check((table, dataset, row["method"]), rule, used, gap)
    return found


def _bold_gap(sign, values):
    marked, best = values.values()
    return sign * (marked - best)
