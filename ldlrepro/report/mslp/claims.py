"""The claims of the MSLP paper, each with its verdict and evidence."""

import pandas as pd

from ldlrepro.report.claims import NOT_RUN, Ours, claims_table, wins_claim
from ldlrepro.report.mslp.tables import LEVEL_OF_PAPER, first_places
from ldlrepro.report.settings import declared
from ldlrepro.studies.embedding import FITTED_TO_ROWS


def claims(records, study, measures, methods):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    records : dict, experiment -> records that count
    study : trustworthiness
    methods : the paper's
    """
    tables, best = records["tables"], records["best_on_test"]
    evidence = {}
    for claim, mine in (
        ("MSLP is first in 93.3% of the cells (section 3.3)", tables),
        (
            Ours("MSLP is first, everything chosen on the test folds"),
            pd.concat([best, tables[~tables.method.isin(best.method)]]),
        ),
    ):
        places = first_places(mine, measures, methods).set_index("method")
        mslp = places.loc["MSLP"]
        evidence[claim] = (
            mslp.ours / mslp.cells,
            f"first in {mslp.ours} of {mslp.cells} cells, not shown worse than the first at 90% in "
            f"{mslp.paired} ({mslp.corrected} by the corrected test); most often first: "
            f"{places.ours.idxmax()}",
        )
    evidence["MSLP is best with u = 10% on all five sets (section 3.3)"] = narrow_claim(
        records["sensitivity"]
    )
    for claim, other in (
        ("Hetero-neighbours make MSLP better (section 2): against beta = 1", "attraction only"),
        (
            "Eq. 5 makes MSLP better than Eq. 3 (section 2; hetero-neighbours go with it)",
            "neighbours among all rows",
        ),
    ):
        evidence[claim] = _against(tables, records["terms"], f"MSLP, {other}", measures)
    for claim, dataset, rows, method in (
        ("on the toy (Figure 5)", "toy", ("fitted", "new"), "MSLP"),
        ("on the noisy toy (Figure 6)", "noisy toy", ("fitted", "new"), "MSLP"),
        ("on s-JAFFE, fitted rows (Figure 7)", "SJAFFE", ("fitted",), "MSLP"),
        ("on s-JAFFE, new rows", "SJAFFE", ("new",), "MSLP"),
        ("on s-JAFFE, fitted rows", "SJAFFE", ("fitted",), FITTED_TO_ROWS),
        ("on s-JAFFE, new rows", "SJAFFE", ("new",), FITTED_TO_ROWS),
    ):
        mine = study[(study.dataset == dataset) & study.rows.isin(rows)]
        text = f"{method} keeps label neighbours better than LPP {claim}"
        evidence[text if "Figure" in claim else Ours(text)] = _kept_better(mine, method)
    return claims_table(evidence)


def narrow_claim(records):
    """Evidence that u = 10% has the lowest K-L, with the other parameters as usual."""
    if records.empty:
        return NOT_RUN
    beta, lambda_ = (declared(records, key) for key in ("beta", "lambda_"))
    usual = records[(beta == 0.1) & (lambda_ == 0.01)]
    ratio = declared(usual, "ratio")
    mean = usual.assign(ratio=ratio).groupby(["dataset", "ratio"])["kl_divergence"].mean().unstack()
    best = mean.idxmin(axis=1)
    text = (
        "lowest K-L at u = " + ", ".join(f"{u:.0%}" for u in best) + f" ({', '.join(best.index)})"
    )
    return float((best == 0.1).mean()), text


def _against(tables, terms, other, measures):
    """Cells in which MSLP beats a variant of it, by the mean and as shown at 90%."""
    both = pd.concat([tables, terms])
    share, text = wins_claim(both, [("MSLP", other)], measures, LEVEL_OF_PAPER)
    return share, f"{text} (corrected test, 90%)"


def _kept_better(study, method):
    wide = study.pivot_table(index=["rows", "fold"], columns="method", values="trustworthiness")
    if wide.empty:
        return NOT_RUN
    better = wide[method] > wide["LPP"]
    text = (
        f"in {int(better.sum())} of {len(better)} embeddings; means {wide[method].mean():.3f} "
        f"and {wide['LPP'].mean():.3f} (all features: {wide['features'].mean():.3f})"
    )
    return float(better.mean()), text
