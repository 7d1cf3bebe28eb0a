"""The claims of the StructRF paper, each with its verdict and evidence."""

import pandas as pd

from ldlrepro.report.claims import (
    NOT_RUN,
    Ours,
    claims_table,
    order_claim,
    same_claim,
    spread_claim,
)
from ldlrepro.report.tables import summary


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
        Ours(
            "SA-BFGS > SA-IIS, with the random start that comes nearer to the printed SA-IIS"
        ): order_claim(pd.concat([tables, random]), "SA-BFGS", "SA-IIS, random start", measures),
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
    return claims_table(evidence)


def _faster(times):
    seconds = times.pivot_table(
        index="dataset", columns="method", values="fit_seconds", aggfunc="median"
    )
    if seconds.empty:
        return NOT_RUN
    ratio = seconds["StructRF*"] / seconds["StructRF"]
    text = (
        f"seconds of StructRF* / StructRF between {ratio.min():.2f} and {ratio.max():.2f}, "
        f"below 1 on {(ratio < 1).sum()} of {len(ratio)} data sets (with running counts, see above)"
    )
    return (ratio < 1).mean(), text
