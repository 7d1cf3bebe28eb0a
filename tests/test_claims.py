"""The evidence on claims against plain counts over the committed records."""

from statistics import mean, median

import pytest

from ldlrepro import paths, published, scoreboard

pytestmark = pytest.mark.skipif(
    not paths.IN_CHECKOUT, reason="records are committed, not installed"
)


@pytest.fixture(scope="module")
def evidence():
    """Text of the evidence on a claim, {paper: {id: (verdict, text)}}."""
    found = {}
    for name, board in scoreboard.BOARDS.items():
        table = board.claims(scoreboard.chapter_of(name))
        theirs = table[~table.ours]
        pairs = zip(theirs.verdict, theirs.evidence, strict=True)
        found[name] = dict(zip(published.claims(name).id, pairs, strict=True))
    return found


def values(records, column, *by):
    """Lists of a column's values by the values of others, {(...): [...]}."""
    found = {}
    for *key, value in records[[*by, column]].itertuples(index=False):
        found.setdefault(tuple(key), []).append(value)
    return found


def test_structrf_is_slower_to_train_on_most_sets(evidence):
    times = scoreboard.chapter_of("structrf").records["times"]
    seconds = {
        key: median(v) for key, v in values(times, "fit_seconds", "dataset", "method").items()
    }
    sets = {dataset for dataset, _ in seconds}
    less = sum(
        seconds[d, "StructRF"] < seconds[d, rival] for d in sets for rival in ("SA-IIS", "SA-BFGS")
    )
    verdict, text = evidence["structrf"]["trains-faster"]
    assert verdict == "not" and f"below 1 in {less} of {2 * len(sets)} " in text


def test_the_gain_by_chebyshev_and_the_largest_gain(evidence):
    """The gain is what StructRF removes of SA-BFGS's loss, of similarities what they lack of 1."""
    chapter = scoreboard.chapter_of("structrf")
    sets, gain = sorted(set(chapter.counted.dataset)), {}
    for measure in chapter.measures:
        of = values(chapter.counted, measure, "dataset", "method")
        for d in sets:
            mine, theirs = mean(of[d, "StructRF"]), mean(of[d, "SA-BFGS"])
            if measure in ("cosine", "intersection"):
                mine, theirs = 1 - mine, 1 - theirs
            gain[d, measure] = 1 - mine / theirs
    others = [m for m in chapter.measures if m != "chebyshev"]
    less = sum(gain[d, "chebyshev"] < mean(gain[d, m] for m in others) for d in sets)
    assert f"on {less} of {len(sets)} sets" in evidence["structrf"]["weak-by-chebyshev"][1]
    most = max(sets, key=lambda d: mean(gain[d, m] for m in chapter.measures))
    verdict, text = evidence["structrf"]["most-on-jaffe"]
    assert f"first: {most} " in text and (verdict == "reproduced") == (most == "SJAFFE")


def test_trees_of_ldlf(evidence):
    figure = scoreboard.chapter_of("ldlf").records["figure_4"]
    kl = {m: mean(v) for (m,), v in values(figure, "kl_divergence", "method").items()}
    line = [kl[f"sLDLF, {n} trees"] for n in (1, 2, 5, 10, 20, 50, 100)]
    better = sum(k < line[0] for k in line[1:])
    assert f"better in {better} of 6 cells" in evidence["ldlf"]["trees-help"][1]
    verdict, text = evidence["ldlf"]["kl-at-100-trees"]
    assert verdict == "not" and text == f"K-L {line[-1]:.4g}"
    fall = [a - b for a, b in zip(line, line[1:], strict=False)]
    less = sum(0 < now < before for before, now in zip(fall, fall[1:], strict=False))
    assert evidence["ldlf"]["trees-help-less"][1].endswith(f"in {less} of 5")


def test_what_boosting_leaves(evidence):
    chapter = scoreboard.chapter_of("adaboost_ldl")
    of = values(chapter.counted, "sort_loss", "dataset", "method")
    plain = [key for key in of if (key[0], f"{key[1]}, boosted") in of]
    left = [mean(of[d, f"{m}, boosted"]) / mean(of[d, m]) for d, m in plain]
    found = evidence["adaboost_ldl"]
    assert f"{len(left)} cells: mean {mean(left):.1%} " in found["sortloss-41"][1]
    assert found["sortloss-41"][0] == "not" and found["worked-example"][0] == "not"
    assert "0.07039" in found["worked-example"][1]  # (0.1 + 0.1 / 2) / (1 + 1 / log2(3) + 1 / 2)


def test_what_was_not_run_has_a_reason(evidence):
    reasons = {
        text for of in evidence.values() for verdict, text in of.values() if verdict == "not run"
    }
    assert {"needs MORPH's images", "needs Human Gene's file"} < reasons
    assert "no records" not in reasons
