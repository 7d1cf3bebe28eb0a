"""What only the chapter on StructRF shows: settings, Figure 4 and the claims."""

import pandas as pd

from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.report.compare import head_to_head, order_claim, same_claim, spread_claim, verdict
from ldlrepro.report.plots import lines
from ldlrepro.report.tables import declared, show, summary

#: The same setting for every data set, with the paper's numbers of steps.
FIXED = {
    "SA-IIS": ["SA-IIS, 200 steps", "SA-IIS, random start, 200 steps"],
    "SA-BFGS": [f"SA-BFGS{s}, 300 steps" for s in ("", ", random start", ", memory 100")],
}


def grid_of_figure_4(records):
    """Records of Figure 4 with columns trees, ratio and depth."""
    return records.assign(**{key: declared(records, key) for key in ("trees", "ratio", "depth")})


def figure_4(grid):
    """Chebyshev against depth, for sampling ratios and for numbers of trees."""
    mean = grid.groupby(["trees", "ratio", "depth"])["chebyshev"].mean().reset_index()
    labels = {"x": "depth", "y": "chebyshev", "xlabel": "largest depth", "ylabel": "Chebyshev"}
    for by, fixed, title in (
        ("ratio", mean.trees == 20, "(a) sampling ratio, 20 trees"),
        ("trees", mean.ratio == 0.8, "(b) trees, sampling ratio 0.8"),
    ):
        lines(mean[fixed], by=by, titles={None: title}, **labels)


def against(records, pairs, names):
    """One table a pair of methods: K-L on every data set with its tests."""
    for first, second in pairs:
        yield show(head_to_head(records, first, second, names), f"K-L: {first} and {second}", False)


def claims(tables, boosting, grid, times, steps, measures, measures_19):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    tables : records of Tables 4-18 that count; boosting : those of Table 19, StructRF's included
    grid : result of `grid_of_figure_4`; times : records of Table 3
    steps : records of the iterations, with settings
    """
    chain = ["StructRF", "SA-BFGS", "SA-IIS", "RF"]
    spread = summary(tables, measures=measures)
    deep = grid[(grid.depth == 20) & (grid.ratio == 0.8)]
    deep = deep.assign(method=deep.trees.astype(str) + " trees")
    movie = boosting[boosting.dataset == "Movie"]
    evidence = {
        f"{a} > {b} on all six measures (section 4.4)": order_claim(tables, a, b, measures)
        for a, b in zip(chain, chain[1:], strict=False)
    }
    random = steps[steps.setting == "SA-IIS, random start, 200 steps"]
    random = random[random.dataset.isin(tables.dataset)].assign(method="SA-IIS, random start")
    evidence |= {
        "SA-BFGS > SA-IIS, with the random start that reproduces SA-IIS": order_claim(
            pd.concat([tables, random]), "SA-BFGS", "SA-IIS, random start", measures
        ),
        "StructRF has the lower standard deviation (abstract)": spread_claim(
            spread, "StructRF", chain[1:], measures
        ),
        "Performance is saturated at 50 trees (section 4.4)": same_claim(
            deep, "50 trees", "100 trees", measures
        ),
        "StructRF* loses nothing (Table 21)": same_claim(tables, "StructRF*", "StructRF", measures),
        "StructRF* trains faster (Table 3)": _faster(times),
        "StructRF closely matches LDLogitBoost on Movie (Table 19)": same_claim(
            movie, "StructRF", "LDLogitBoost", measures_19, 0.05
        ),
    }
    rows = [(claim, verdict(share), text) for claim, (share, text) in evidence.items()]
    return pd.DataFrame(rows, columns=["claim", "verdict", "evidence"])


def _faster(times):
    seconds = times.pivot_table(
        index="dataset", columns="method", values="fit_seconds", aggfunc="median"
    )
    if seconds.empty:
        return float("nan"), "not run"
    ratio = seconds["StructRF*"] / seconds["StructRF"]
    text = (
        f"seconds of StructRF* / StructRF between {ratio.min():.2f} and {ratio.max():.2f}, "
        f"below 1 on {(ratio < 1).sum()} of {len(ratio)} data sets (with running counts, see above)"
    )
    return (ratio < 1).mean(), text


def difference_of_steps(ours, printed, names, measures):
    """Table 21: StructRF minus StructRF*, printed / ours."""
    mean = ours.pivot_table(index=["dataset", "measure"], columns="method", values="mean")
    real = set(ours[ours.source != "synthetic"].dataset)
    rows = []
    for dataset, mine in printed.groupby("dataset", sort=False):
        theirs = mine.set_index("measure")["mean_printed"]
        row = {"data set": names[dataset]}
        for measure in measures:
            own = "not run"
            if dataset in real:
                values = mean.loc[(dataset, measure)]
                own = f"{values['StructRF'] - values['StructRF*']:+.4f}"
            row[DISTRIBUTION[measure].label] = f"{theirs[measure]} / {own}"
        rows.append(row)
    return pd.DataFrame(rows)
