"""The claims of the MSLP paper, each with its verdict and evidence."""

import pandas as pd

from ldlrepro import published
from ldlrepro.report.claims import (
    NEAR,
    NOT_RUN,
    Ours,
    claims_table,
    share_claim,
    wins_claim,
)
from ldlrepro.report.compare import firsts
from ldlrepro.report.mslp.tables import LEVEL_OF_PAPER, first_places
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import summary
from ldlrepro.studies.embedding import FITTED_TO_ROWS

#: The rivals by kind.
OF_LDL = ("CPNN", "LDSVR", "BFGS-LDL", "IIS-LDL", "AA-BP", "AA-KNN", "PT-SVM", "PT-Bayes")
EMBEDDINGS = ("CCA", "LPP", "NPE", "PCA")
BEAUTY = ("SCUT_FBP", "M2B")


def claims(records, study, faces, measures, methods):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    records : dict, experiment -> records that count
    study : trustworthiness; faces : distances of the study of that name
    methods : the paper's
    """
    tables, best = records["tables"], records["best_on_test"]
    on_test = pd.concat([best, tables[~tables.method.isin(best.method)]])
    toys = study[study.dataset.isin(["toy", "noisy toy"])]
    jaffe = study[study.dataset == "SJAFFE"]
    fitted, new = (jaffe[jaffe.rows == rows] for rows in ("fitted", "new"))
    evidence = {
        "first-place": _first(tables, measures, methods),
        "beats-ldl": _against(tables, OF_LDL, measures),
        "beats-embeddings": _against(tables, EMBEDDINGS, measures),
        "insensitive-to-noise": _noise(toys),
        "toy": _kept_better(toys[toys.dataset == "toy"], "MSLP"),
        "noisy-toy": _kept_better(toys[toys.dataset == "noisy toy"], "MSLP"),
        "jaffe": _kept_better(fitted, "MSLP"),
        "beauty-no-winner": _no_winner(tables, measures, methods),
        "ten-percent": narrow_claim(records["sensitivity"]),
    }
    evidence |= _places(faces[faces.method == "MSLP"])
    both = pd.concat([tables, records["terms"]])
    for claim, other in (
        ("hetero-neighbours", "attraction only"),
        ("neighbours-in-features", "neighbours among all rows"),
    ):
        evidence[claim] = _against(both, [f"MSLP, {other}"], measures)
    evidence |= _of_dimensions(best)
    evidence[Ours("MSLP is first, everything chosen on the test folds")] = _first(
        on_test, measures, methods
    )
    for mine, where, method in (
        (new, "new rows", "MSLP"),
        (fitted, "fitted rows", FITTED_TO_ROWS),
        (new, "new rows", FITTED_TO_ROWS),
    ):
        question = f"{method} keeps label neighbours better than LPP on s-JAFFE, {where}"
        evidence[Ours(question)] = _kept_better(mine, method)
    return claims_table(published.claims("mslp"), evidence)


def _places(faces):
    """What the paper reads from Figure 7: distances as a share of the mean over all pairs."""
    wide = faces.assign(
        pair=[" ".join(sorted(p)) for p in zip(faces["first"], faces["second"], strict=True)]
    )
    wide = wide.pivot_table(index=["rows", "fold"], columns="pair", values="distance")

    def nearer(one, than):
        text = f"distance {wide[one].mean():.2f} of the mean of all pairs, against "
        if than is None:
            return share_claim(wide[one] < 1, f"{text}1: nearer in", " embeddings")
        text += f"{wide[than].mean():.2f}"
        return share_claim(wide[one] < wide[than], f"{text}: nearer in", " embeddings")

    if wide.empty:
        return dict.fromkeys(
            ("neutral-near-sadness", "anger-near-disgust", "surprise-near-fear"), NOT_RUN
        )
    return {
        "neutral-near-sadness": nearer("neutral sadness", "happiness neutral"),
        "anger-near-disgust": nearer("anger disgust", None),
        "surprise-near-fear": nearer("fear surprise", None),
    }


def _first(records, measures, methods):
    places = first_places(records, measures, methods).set_index("method")
    mslp = places.loc["MSLP"]
    return mslp.ours / mslp.cells, (
        f"first in {mslp.ours} of {mslp.cells} cells, not shown worse than the first at 90% in "
        f"{mslp.paired} ({mslp.corrected} by the corrected test); most often first: "
        f"{places.ours.idxmax()}"
    )


def _no_winner(tables, measures, methods):
    """Sets of beauty on which no method is first by every measure."""
    there = tables[tables.dataset.isin(BEAUTY) & tables.method.isin(methods)]
    means = summary(there, measures=measures)
    most = means[firsts(means)].groupby(["dataset", "method"]).size().groupby("dataset").max()
    text = ", ".join(f"{n} of {len(measures)} on {d}" for d, n in most.items())
    return share_claim(most < len(measures), f"most firsts of one method: {text}; not all on")


def _of_dimensions(best):
    """The claims on u, from the value with the lowest test K-L of each fold."""
    u = [p.get("ratio", p.get("transformer__ratio", float("nan"))) for p in best.parameters]
    mean = best.assign(u=u).groupby(["method", "dataset"])["u"].mean().unstack()
    others = mean[mean.index.isin(EMBEDDINGS)]
    if "MSLP" not in mean.index or others.empty:
        return dict.fromkeys(("others-vary", "fewer-dimensions"), NOT_RUN)
    low, high = others.min().min(), others.max().max()
    fewer = [own < other for d, own in mean.loc["MSLP"].items() for other in others[d]]
    span = f"best u on test, mean over the folds, from {low:.0%} to {high:.0%} by set and method"
    own = ", ".join(f"{u:.0%} ({d})" for d, u in mean.loc["MSLP"].items())
    return {
        "others-vary": (
            float(all(abs(a / b - 1) <= NEAR for a, b in ((low, 0.1), (high, 0.9)))),
            span,
        ),
        "fewer-dimensions": share_claim(
            fewer, f"mean best u of MSLP {own}; below another's in", " sets x methods"
        ),
    }


def _noise(toys):
    """Embeddings in which noise costs MSLP less trustworthiness than LPP."""
    wide = toys.pivot_table(
        index=["rows", "fold"], columns=["method", "dataset"], values="trustworthiness"
    )
    if wide.empty:
        return NOT_RUN
    lost = {m: wide[m]["toy"] - wide[m]["noisy toy"] for m in ("MSLP", "LPP")}
    text = ", ".join(f"{m} {one.mean():.3f}" for m, one in lost.items())
    less = lost["MSLP"] < lost["LPP"]
    return share_claim(less, f"trustworthiness lost: {text}; MSLP loses less in", " embeddings")


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


def _against(records, others, measures):
    """Cells in which MSLP beats others, by the mean and as shown at the paper's level."""
    return wins_claim(records, [("MSLP", other) for other in others], measures, LEVEL_OF_PAPER)


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
