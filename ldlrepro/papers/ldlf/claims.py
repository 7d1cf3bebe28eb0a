"""The claims of the LDLF paper, each with its verdict and evidence."""

from itertools import pairwise

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.metrics import MEASURES
from ldlrepro.papers import get_paper
from ldlrepro.papers.ldlf.figures import LEAKED, line_of, seconds_by_nodes
from ldlrepro.papers.ldlf.tables import CLEAN_SPLIT, DUPLICATED
from ldlrepro.report.chapter import read
from ldlrepro.report.claims import (
    NEAR,
    NOT_RUN,
    Ours,
    claims_table,
    not_run,
    number_claim,
    order_claim,
    printed_numbers,
    same_claim,
    share_claim,
    wins_claim,
)
from ldlrepro.report.compare import firsts, wins
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import published_cells, summary
from ldlrepro.report.values import Share

#: Rivals on Movie, by the ids of the claims.
RIVALS = {
    "aoso": "AOSO-LDLogitBoost",
    "ldlogitboost": "LDLogitBoost",
    "ldsvr": "LDSVR",
    "bfgs": "BFGS-LDL",
    "iis": "IIS-LDL",
}
MORPH = "needs MORPH's images"
#: Claims about the deep forest that the page on photographs looks at.
ON_PHOTOGRAPHS = (
    "dldlf-best-on-morph",
    "dldlf-beats-dldl",
    "deep-beats-shallow",
    "dldlf-every-ratio",
    "trees-on-morph",
    "depth-on-morph",
)


def claims(chapter):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    chapter : LDLF
    """
    listed, records, measures = published.claims("ldlf"), chapter.counted, chapter.measures
    printed = printed_numbers(listed)
    movie = records[records.dataset == "Movie"]
    pairs = [("sLDLF", rival) for rival in RIVALS.values()]
    evidence = {
        f"better-than-{key}": order_claim(movie, "sLDLF", rival, measures)
        for key, rival in RIVALS.items()
    }
    evidence |= {
        "best-on-movie": _best(movie, measures),
        "best-on-human-gene": not_run(f"needs Human Gene's file; {_printed_firsts('Human_Gene')}"),
        "best-on-natural-scene": not_run(
            f"needs the original file of Natural Scene; {_printed_firsts('Natural_Scene')}"
        ),
        "kl-on-movie": printed_claim(
            chapter.counting(chapter.protocol_cells), printed["kl-on-movie"]
        ),
        "significant": _significant(movie, pairs, measures),
        "any-form": not_run(f"{MORPH}; ages from other features: the page Ages from features"),
        "any-division": _of_divisions(records),
        "random-outputs": not_run(
            "the paper does not say lower than what: with the same outputs in the same nodes all "
            "trees would be one"
        ),
        "maxent-mixtures": _of_modes(chapter.study("modes")["modes"]),
    }
    elsewhere = f"{MORPH}; tested on other data: the page Forests on photographs"
    evidence |= dict.fromkeys(ON_PHOTOGRAPHS, not_run(elsewhere))
    evidence |= _of_seconds(records)
    evidence |= _of_leaves(chapter.study("leaf_updates")["leaf_updates"])
    evidence |= _of_trees(chapter.grid, printed) | _of_depth(chapter.grid, printed)
    for rival, more in (
        ("StructRF", ""),
        ("AOSO-LDLogitBoost", ""),
        ("BFGS-LDL", ", run without a penalty"),
    ):
        question = f"Over all data sets and measures, sLDLF is better than {rival}{more}"
        evidence[Ours(question)] = order_claim(records, "sLDLF", rival, measures)
    evidence |= _of_turns(chapter.grid)
    return claims_table(listed, evidence)


def _significant(movie, pairs, measures):
    """sLDLF against the methods before it on Movie, the one set of Table 1 that counts."""
    share, text = wins_claim(movie, pairs, measures, significantly=True)
    return share, f"on Movie, the only data set of Table 1 that counts: {text}"


def lowest_on_movie(cells):
    """Lowest K-L of any sLDLF on Movie, for each kind of rows: Series; empty where none was run."""
    mine = cells[(cells.dataset == "Movie") & (declared(cells, "learner") == "sLDLF")]
    by = mine.groupby(["method", "rows", "kept"])["kl_divergence"].mean()
    return by.groupby(level="rows").min()


def printed_claim(cells, printed):
    """Evidence that some sLDLF, on a clean split, comes as low on Movie as a printed K-L."""
    low = lowest_on_movie(cells)
    if low.empty:
        return NOT_RUN
    clean, leaked = low[CLEAN_SPLIT], low[DUPLICATED]
    text = (
        f"lowest of any sLDLF tried: {clean:.4f} on a clean split, even if the iteration is picked "
        f"on the test rows; {leaked:.4f} with duplicated rows"
    )
    return float(clean <= printed * (1 + NEAR)), text


def _best(movie, measures):
    """Measures by which sLDLF is the best of the paper's methods on Movie."""
    means = summary(movie[movie.method.isin(["sLDLF", *RIVALS.values()])], measures=measures)
    first = means[firsts(means)]
    best = ", ".join(sorted(set(first.method)))
    by = first.groupby("measure").method.agg(set)
    return share_claim(["sLDLF" in some for some in by], "first by", f" measures; first: {best}")


def _printed_firsts(dataset):
    printed = published_cells("ldlf", [1], MEASURES)
    printed = printed[printed.dataset == dataset]
    first = printed[firsts(printed)]
    by = first[first.method == "sLDLF"].measure.nunique()
    return f"printed: first by {Share(by, printed.measure.nunique())} measures"


def _of_trees(grid, printed):
    """The claims on numbers of trees: K-L on Movie against one tree, and from each to the next."""
    forests = _forests(grid)

    def against_one(strategy, more_is_better):
        """(wins, text); None where nothing was run."""
        line = line_of(grid, strategy)
        if len(line) < 2:
            return None
        pairs = [(_named(strategy, k), _named(strategy, line.index[0])) for k in line.index[1:]]
        pairs = pairs if more_is_better else [pair[::-1] for pair in pairs]
        found = wins(forests, pairs, ["kl_divergence"])
        which = "more trees" if more_is_better else "one tree"
        return found, f"K-L by trees {_line(line)}; {which} {found}"

    def both_rates(strategy, more_is_better):
        one = against_one(strategy, more_is_better)
        chosen = against_one(f"{strategy}, rate chosen", more_is_better)
        if one is None or chosen is None:
            return NOT_RUN
        text = f"at one learning rate, {one[1]}; with the rate chosen for each size, {chosen[1]}"
        return _of_all([one[0], chosen[0]]), text

    def full_iterations():
        found = against_one("sNDF-LDL, each its own iterations", False)
        return NOT_RUN if found is None else (found[0].ratio, f"at one learning rate, {found[1]}")

    # At one rate more trees learn more slowly: the line with the rate chosen for each size counts.
    one_rate, chosen = line_of(grid, "sLDLF"), line_of(grid, "sLDLF, rate chosen")
    leaked = line_of(grid, f"sLDLF, rate chosen{LEAKED}")
    less = [0 < now < before for before, now in pairwise(-np.diff(chosen))]
    more = {"at one learning rate": one_rate, "with duplicated rows, rate chosen,": leaked}
    shown = "; ".join(f"{what} {_line(line)}" for what, line in more.items() if len(line))

    def at(trees):
        share, text = number_claim(
            *(chosen.get(trees), printed[f"kl-at-{trees}-trees"]),
            *("K-L, learning rate chosen,", ".4f"),
        )
        for what, line in (("at one learning rate", one_rate), ("with duplicated rows", leaked)):
            if trees in line:
                text += f"; {what} {line[trees]:.4f}"
        return share, text

    return {
        "trees-help": both_rates("sLDLF", True),
        "trees-help-less": share_claim(
            less,
            f"K-L by trees, learning rate chosen for each size, {_line(chosen)}; {shown}; "
            "with the rate chosen it falls, by less than before, in",
        ),
        "kl-at-100-trees": at(100),
        "kl-at-20-trees": at(20),
        "saturated-at-20": _level(forests, 100, 20),
        "ndf-worse": both_rates("sNDF-LDL", False),
        "ndf-worse-own-iterations": full_iterations(),
        "cost-is-linear": training_time(grid),
    }


def _forests(grid):
    """The forests of Figure 4, each with its number of trees in its method's name."""
    forests = grid[grid.trees.notna()]
    names = [_named(s, k) for s, k in zip(forests.strategy, forests.trees, strict=True)]
    return forests.assign(method=names)


def _of_all(found):
    """Share of the comparisons with the better mean, of several `wins` together."""
    return Share(sum(f.better for f in found), sum(f.cells for f in found)).ratio


def _of_turns(grid):
    """Our questions on trees that learn together and in turn: as many trees of either on Movie."""
    forests, one, other = _forests(grid), "sLDLF", "sNDF-LDL"
    full, chosen = f"{other}, each its own iterations", ", rate chosen"

    def beside(first, second):
        sizes = sorted(set(line_of(grid, first).index) & set(line_of(grid, second).index) - {1})
        return wins(
            forests, [(_named(first, k), _named(second, k)) for k in sizes], ["kl_divergence"]
        )

    shared = [beside(one, other), beside(one + chosen, other + chosen)]
    all_each = beside(full, one)
    questions = {
        "On Movie, sLDLF is better than as many trees that share its iterations in turn": (
            _of_all(shared) if all(f.cells for f in shared) else float("nan"),
            f"sLDLF against sNDF-LDL, at one learning rate: {shared[0]}; with the rate chosen for "
            f"each size: {shared[1]}",
        ),
        "On Movie, trees that take turns with all iterations for each are better than sLDLF": (
            all_each.ratio,
            f"sNDF-LDL against sLDLF, at one learning rate: {all_each}",
        ),
    }
    return {
        Ours(question): NOT_RUN if np.isnan(found[0]) else found
        for question, found in questions.items()
    }


def _level(forests, many, few):
    """Evidence that so many trees are within 1% of a few on Movie, learning rate chosen.

    At one learning rate more trees learn more slowly: that line stands beside.
    """
    shares, texts = [], []
    for strategy, how in (
        ("sLDLF, rate chosen", "with the learning rate chosen"),
        ("sLDLF", "at one learning rate, at which more trees learn more slowly,"),
    ):
        pair = tuple(_named(strategy, k) for k in (many, few))
        share, _ = same_claim(forests, *pair, ["kl_divergence"])
        if np.isnan(share):
            continue
        first, second = (forests.kl_divergence[forests.method == m].mean() for m in pair)
        beside = wins(forests, [pair], ["kl_divergence"])
        near = "within" if share else "not within"
        text = f"{how} K-L {first:.4f} with {many} trees and {second:.4f} with {few}, {near} 1%"
        shares.append(share)
        texts.append(f"{text}; {many} trees {beside}")
    return (shares[0], "; ".join(texts)) if shares else NOT_RUN


def _line(line):
    return ", ".join(f"{int(k)}: {v:.4f}" for k, v in line.items())


def _named(strategy, trees):
    return f"{strategy}, {trees:.0f} trees"


def _of_leaves(study):
    """The claims on Eq. 12: steps that do not raise the loss, and how fast it converges."""
    losses = study.pivot_table(index=["dataset", "fold", "update"], columns="step", values="loss")
    falls = np.diff(losses, axis=1) <= 1e-12
    last = losses[losses.columns[-1]]
    share, left = (losses[0] - losses[5]) / (losses[0] - last), (losses[5] - last) / last
    fast = (
        "the paper names no standard, and we ran no other update; five steps bring "
        f"{share.mean():.0%} of the fall of twenty on average, and the loss is then "
        f"{left.mean():.2%} above that after twenty, the most that we ran; all {len(losses)} "
        "updates start from leaves that were fitted before"
    )
    return {
        "leaf-update-falls": share_claim(falls.ravel(), "the loss falls or stays in", " steps"),
        "leaf-update-fast": not_run(fast),
    }


def _of_divisions(records):
    """Data sets on which the mean K-L of sLDLF over ten folds hardly moves with the division."""
    if (records.source == "synthetic").any():
        return NOT_RUN
    paper, sets = get_paper("comparison"), sorted(set(records.dataset))
    names = [e.name for e in paper.experiments if e.name.startswith("other_folds")]
    every = [records, *(read(paper, name, "paper", sets) for name in names)]
    own = (some[some.method == "sLDLF"].groupby("dataset")["kl_divergence"] for some in every)
    means = pd.concat([kl.mean() for kl in own], axis=1).dropna()
    if means.empty:
        return NOT_RUN
    range_ = means.max(axis=1) / means.min(axis=1) - 1
    without = ", ".join(sorted(set(records.dataset) - set(means.index)))
    once = f" ({without} has one division, and is left out)" if without else ""
    return share_claim(
        range_ <= NEAR,
        f"mean K-L of sLDLF over ten folds, for {len(every)} divisions of the rows{once}: the "
        f"largest exceeds the smallest by {range_.min():.1%} to {range_.max():.1%} "
        f"({range_.idxmax()}); by at most {NEAR:.0%} on",
        " data sets",
    )


def _of_modes(modes):
    """Folds and rivals to which BFGS-LDL loses more on rows with several modes than with one."""
    wide = modes.pivot_table(
        index=["dataset", "fold"], columns=["method", "modes"], values="kl_divergence"
    )
    if not {("BFGS-LDL", "one"), ("BFGS-LDL", "several")} <= set(wide):
        return NOT_RUN
    holds, parts = [], []
    for rival in ("sLDLF", "StructRF"):
        ratio = (wide["BFGS-LDL"] / wide[rival]).dropna()
        holds += list(ratio["several"] > ratio["one"])
        means = ratio.groupby("dataset").mean()
        by = ", ".join(f"{d} {m.several:.2f} and {m.one:.2f}" for d, m in means.iterrows())
        parts.append(f"{rival} {by}")
    return share_claim(
        holds,
        "K-L of BFGS-LDL as a multiple of a forest's, first on rows with several modes, then on "
        f"rows with one: {'; '.join(parts)}. The multiple is larger with several modes in",
        f" comparisons ({len(wide)} folds and two forests). BFGS-LDL has this package's "
        "defaults here: a penalty and scaled features, which it lacks in Table 1",
    )


def _of_seconds(records):
    """The claims on seconds on MORPH, with those of the deep forest on photographs beside them."""
    columns = {
        "train-5250s": ("fit_seconds", "n_train"),
        "test-8s": ("predict_seconds", "n_test"),
    }
    deep = read(get_paper("images"), "images_realigned", "paper", ["Natural_Scene"])
    deep = deep[deep.method == "dLDLF"]
    if deep.empty or (records.source == "synthetic").any():
        return dict.fromkeys(columns, not_run(MORPH))
    return {
        name: not_run(
            f"{MORPH}; on {deep[rows].median():.0f} photographs of natural scenes, on a processor, "
            f"our deep forest takes {deep[seconds].median():.3g} s"
        )
        for name, (seconds, rows) in columns.items()
    }


def _of_depth(grid, printed):
    """The claims on the depth of one tree; "falls, then rises" is two of them."""
    trees = grid[grid.depth.notna()]
    if trees.empty:
        names = "depth-falls", "depth-rises", "kl-at-depth-9", "kl-at-depth-18"
        return dict.fromkeys(names, NOT_RUN)
    folds = line_of(grid, "sLDLF, one tree", "depth")
    at_9 = folds.get(9)
    # The line that goes deepest; on one hold-out, where that is it.
    line = line_of(grid, trees.strategy.loc[trees.depth.idxmax()], "depth")
    deepest = int(line.index[-1])
    text = (
        f"on one hold-out, one fit a point, K-L by depth {_line(line)}; lowest at "
        f"{int(line.idxmin())}, deepest run {deepest}"
    )
    falling = line if folds.empty else folds  # the mean of five folds, where it was run
    falls = f"mean of the folds, K-L by depth {_line(folds)}; {text}" if len(folds) else text
    falls = f"at one learning rate, {falls}"
    # A line of one fit a point goes to and fro: a rise is one that exceeds those on the way down.
    down = line[: line.idxmin()]
    rise, swing = line.iloc[-1] - line.min(), (down - down.cummin()).max()
    size = printed["kl-at-depth-18"] - printed["kl-at-depth-9"]
    rises = (
        f"the folds end at depth {folds.index.max():.0f}; {text}. That suffices against a rise of "
        f"the printed size, {size:.4f} from 9 to 18, but not against a small one; from there up "
        f"by {rise:.4f}, on the way down by up to {swing:.4f}"
    )
    found = {
        "depth-falls": (float(falling.iloc[0] > falling.min()), falls),
        "depth-rises": (float(rise > swing), rises),
        "kl-at-depth-9": number_claim(at_9, printed["kl-at-depth-9"], "K-L", ".4f"),
        "kl-at-depth-18": number_claim(
            *(line.get(18), printed["kl-at-depth-18"], "weak evidence, one fit: K-L", ".4f")
        ),
    }
    if deepest < 18:
        found["depth-rises"] = not_run(f"the deepest tree run is {deepest}, the paper's 18")
        found["kl-at-depth-18"] = not_run(f"the deepest tree run is {deepest}")
    return found


def training_time(grid):
    """Steps to more nodes in which seconds grow about as slowly as nodes, or slower."""
    holds, spans, faster = [], [], []
    for _, line in seconds_by_nodes(grid).groupby(level="strategy"):
        time, nodes = line.to_numpy(), line.index.get_level_values("nodes").to_numpy(float)
        here = time[1:] / time[:-1] <= (1 + NEAR) * nodes[1:] / nodes[:-1]
        holds += list(here)
        spans.append(f"{time[-1] / time[0]:.1f} times the seconds for {nodes[-1] / nodes[0]:.0f}")
        faster += [
            f"{b / a:.1f} times the seconds from {low:.0f} to {high:.0f} nodes"
            for (a, b), (low, high), ok in zip(pairwise(time), pairwise(nodes), here, strict=True)
            if not ok
        ]
    return share_claim(
        holds,
        f"at one learning rate, {' and '.join(spans)} times the nodes; growth at most {NEAR:.0%} "
        "faster in",
        " steps" + (f"; not in {', '.join(faster)}" if faster else ""),
    )
