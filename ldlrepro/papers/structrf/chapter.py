"""The chapter on StructRF."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from ldlrepro.papers.structrf import claims, experiments, figures, tables
from ldlrepro.papers.structrf.experiments import STEPS_OF_IIS
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.claims import verdict
from ldlrepro.report.compare import wins
from ldlrepro.report.settings import declared, with_settings
from ldlrepro.report.tables import summary
from ldlrepro.report.values import Share
from ldlrepro.report.yardstick import confusion, confusion_of, skill_table


class Start(NamedTuple):
    """Comparisons that SA-BFGS wins against a start of SA-IIS, and printed numbers that match."""

    ahead: Share
    match: Share


class StructRF(Chapter):
    """Structured random forests (Chen et al. 2018)."""

    paper = experiments.PAPER
    title = "StructRF (Chen et al. 2018)"
    place = 1
    measures = experiments.MEASURES
    own_method = "StructRF"
    printed_tables = tuple(experiments.TABLE_OF.values())
    experiments_of_tables = ("tables", "boosting")
    exhibits = {
        "figure 1": figures.figure_1,
        "one node": figures.one_node,
        "tables 4-18": tables.show_tables_4_to_18,
        "starts, drawn": figures.starts,
        "criteria, drawn": figures.criteria,
        "steps, drawn": figures.iterations,
        "steps": tables.show_steps,
        "nodes and zeros": tables.show_nodes_and_zeros,
        "table 3": tables.show_table_3,
        "table 19": tables.show_table_19,
        "figure 4": figures.figure_4,
        "figure 4 in numbers": tables.show_steps_of_figure_4,
        "table 20": tables.show_table_20,
        "figure 5": figures.figure_5,
        "figure 6": figures.figure_6,
        "table 21": tables.show_table_21,
        "clustering": tables.show_clustering,
        "seconds": tables.show_median_seconds,
        "ranks": figures.rank_diagram,
    }

    def judge(self):
        return claims.claims(self)

    @cached_property
    def boosting(self):
        """Records of Table 19, StructRF's included."""
        return self.with_methods("boosting", ["StructRF"])

    @cached_property
    def steps(self):
        """Records after other numbers of steps, with their settings."""
        return with_settings(self.records["iterations"])

    @cached_property
    def grid(self):
        """Records of Figure 4 with columns trees, ratio and depth."""
        records = self.records["figure_4"]
        keys = ("trees", "ratio", "depth")
        return records.assign(**{key: declared(records, key) for key in keys})

    def more_methods(self):
        criteria = self.records["criteria"]
        return criteria[criteria.method == "RF on D"]

    def answer(self):
        table = confusion_of(self, self.more_methods())
        own, plain = table.loc["StructRF", "StructRF"], table.loc["StructRF", "RF on D"]
        numbers = "hold" if own.agree == own.tell else "do not all hold"
        how_many = "them" if plain.agree == plain.tell else f"{plain.agree} of them"
        return (
            f"On original files, StructRF's testable printed errors {numbers}. A regression forest "
            f"on distributions matches {how_many} too. StructRF's contradictory row in "
            "Table 19 is not counted."
        )

    @cached_property
    def random_start(self):
        """Records of SA-IIS after the paper's steps from random coefficients, as "SA-IIS"."""
        return self._started("iterations", "random")

    @cached_property
    def identity_start(self):
        """Records of SA-IIS after the paper's steps from ones on the diagonal, as "SA-IIS"."""
        return self._started("first_package", "identity")

    def _started(self, experiment, init):
        steps = self.records[experiment]
        mine = steps[declared(steps, "init") == init]
        mine = mine[declared(mine, "learner") == "SA-IIS"]
        stage = pd.Series([p.get("stage") for p in mine.parameters], index=mine.index)
        return mine[stage == STEPS_OF_IIS].assign(method="SA-IIS")

    def findings(self):
        table = confusion_of(self, self.more_methods())
        own = table.loc["StructRF", "StructRF"]
        entropy = [("StructRF", "SA-IIS"), ("StructRF", "SA-BFGS")]
        other = table.loc["StructRF", "SA-BFGS"]
        ahead = wins(self.counted, entropy, self.measures)
        alone = [wins(self.counted, [pair], self.measures) for pair in entropy]
        iis, bfgs = (Share(one.better, one.cells) for one in alone)
        skills = skill_table(self.ours, self.printed)
        yeast = skills[skills.dataset.str.startswith("Yeast") & (skills.which == "printed")].skill
        times = self.records["times"]
        slower = [claims.ratios_of(times, [pair]) for pair in entropy]
        parallel = claims.faster_on_cores(times, entropy)
        folds = self.study("forests")["folds"]
        each, number = claims.of_each_label(folds), len(folds.groupby(["dataset", "fold"]))
        study = self.study("adaptive_step")
        search = claims.searches_of(study)
        step = claims.ratios_of(times, [("StructRF*", "StructRF")])
        forests = self.counting(self.with_methods("criteria", ["StructRF"]))
        beside = wins(forests, [("StructRF", "RF on D")], ["kl_divergence"])
        zero, random, ones = self._from_each_start()
        return {
            "most-accurate": (
                f"StructRF has the lower error in {Share(ahead.better, ahead.cells)} comparisons: "
                f"in {iis} with SA-IIS, and in {bfgs} with SA-BFGS. SA-BFGS alone would be "
                f"“{verdict(alone[1].ratio)}”. Of all, {ahead.shown.plain} are significant, and "
                f"{ahead.shown.holm} by Holm's correction. Most comparisons are on the related "
                "Yeast sets, where there is little to "
                f"learn: the best printed method removes at most {yeast.max():.0%} of the mean "
                "predictor's K-L. StructRF chooses its parameters on validation rows, and the "
                "other two run the paper's numbers of steps. After "
                "the steps that are best on the test rows, SA-BFGS has a lower K-L than StructRF "
                f"on {self._behind_best_steps()}. Of StructRF's informative printed numbers ours "
                f"match {Share(own.agree, own.tell)}. SA-BFGS matches {other.agree} of these too."
            ),
            "whole-distribution": (
                f"Of {number} folds on {folds.dataset.nunique()} data sets, a forest for each "
                f"label on its own has the lower K-L in {each.part}, StructRF in "
                f"{each.whole - each.part}, and {number - each.whole} are level. The clustering "
                f"is hardly the reason either. By K-L StructRF is ahead of an ordinary regression "
                f"forest on {Share(beside.better, beside.cells)} data sets, significantly on "
                f"{beside.shown.plain or 'none'}."
            ),
            "trains-faster": (
                f"On one thread StructRF takes {_range(slower[0])} times as long as SA-IIS, and "
                f"{_range(slower[1])} times as long as SA-BFGS. It is faster in "
                f"{Share.of(pd.concat(slower) < 1)} comparisons. We did not run the paper's "
                f"{claims.CORES} cores. Suppose that each works as well as one of our two. Then "
                f"StructRF would be faster in {parallel}, with its rivals on one core."
            ),
            "step-faster": (
                f"On {study['searches'].n.max():,} rows, a search that counts each gain from "
                f"scratch becomes {search['from scratch']:.0f} times faster. A search with "
                "running counts, as ours, stays as fast as before. Whole forests take "
                f"{step.min():.2f} to {step.max():.2f} of the time, less on "
                f"{Share.of(step < 1)} data sets. They are faster by more than 5% on "
                f"{sum(step < 0.95)}, and slower by more than 5% on {sum(step > 1.05)}."
            ),
            "order-bfgs-iis": (
                "It depends on the start of SA-IIS. From coefficients drawn at random, SA-BFGS is "
                f"better in {random.ahead} comparisons, from ones on their diagonal in "
                f"{ones.ahead.part}, and from zero in {zero.ahead.part}. The verdict counts all "
                f"three. Of SA-IIS's informative printed numbers {random.match} match from the "
                f"random start, {ones.match.part} from the diagonal, and {zero.match.part} from "
                "zero."
            ),
        }

    def _behind_best_steps(self):
        """Data sets on which SA-BFGS has the lower K-L after its best steps, in words."""
        measure = ["kl_divergence"]
        steps = self.counting(self.steps[self.steps.method == "SA-BFGS"])
        path = summary(steps, by=("dataset", "stage"), measures=measure)
        best = path.groupby("dataset")["mean"].min()
        own = summary(self.counted, measures=measure)
        own = own[own.method == "StructRF"].set_index("dataset")["mean"]
        lower = [name for d, name in self.names.items() if best.get(d, np.inf) < own.get(d, 0)]
        return " and ".join(lower) or "no data set"

    @cached_property
    def starts(self):
        """Records of SA-IIS by what it starts from: a dict."""
        return {
            "zero": self.tables[self.tables.method == "SA-IIS"],
            "random coefficients": self.random_start,
            "ones on the diagonal": self.identity_start,
        }

    def _from_each_start(self):
        """A `Start` for SA-IIS from zero, from random coefficients, from ones on the diagonal."""
        found = []
        for start, ahead in claims.ahead_of_starts(self).items():
            match = confusion(self.starts[start], self.printed, ["SA-IIS"], self.excluded_datasets)
            match = match.loc["SA-IIS", "SA-IIS"]
            found.append(Start(Share(ahead.better, ahead.cells), Share(match.agree, match.tell)))
        return found


def _range(ratios):
    return f"{ratios.min():.1f} to {ratios.max():.1f}"
