"""The chapter on StructRF."""

from functools import cached_property

import pandas as pd

from ldlrepro.papers.structrf import claims, experiments, figures, tables
from ldlrepro.papers.structrf.experiments import STEPS_OF_IIS
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.compare import wins
from ldlrepro.report.settings import declared, with_settings
from ldlrepro.report.values import Share
from ldlrepro.report.yardstick import confusion, confusion_of, skill_table


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
        how_many = f"all {plain.tell}" if plain.agree == plain.tell else f"{plain.agree}"
        return (
            f"StructRF's printed numbers {numbers}, except beside boosting. An ordinary regression "
            f"forest on the same distributions matches {how_many} of them as well."
        )

    @cached_property
    def random_start(self):
        """Records of SA-IIS after the paper's steps from random coefficients, as "SA-IIS"."""
        steps = self.records["iterations"]
        mine = steps[declared(steps, "init") == "random"]
        mine = mine[declared(mine, "learner") == "SA-IIS"]
        stage = pd.Series([p.get("stage") for p in mine.parameters], index=mine.index)
        return mine[stage == STEPS_OF_IIS].assign(method="SA-IIS")

    def findings(self):
        table = confusion_of(self, self.more_methods())
        own, plain = table.loc["StructRF", "StructRF"], table.loc["StructRF", "RF on D"]
        entropy = [("StructRF", "SA-IIS"), ("StructRF", "SA-BFGS")]
        ahead = wins(self.counted, entropy, self.measures)
        one = wins(self.counted, entropy[1:], self.measures)
        forests = self.counting(self.with_methods("criteria", ["StructRF"]))
        apart = wins(forests, [("StructRF", "RF on D")], self.measures)
        skills = skill_table(self.ours, self.printed)
        yeast = skills[skills.dataset.str.startswith("Yeast") & (skills.which == "printed")].skill
        times = self.records["times"]
        slower = [claims.ratios_of(times, [pair]) for pair in entropy]
        parallel = claims.faster_on_cores(times, entropy)
        whole = claims.beside_each_label(self.study("forests")["folds"])
        search = claims.searches_of(self.study("adaptive_step"))
        step = claims.ratios_of(times, [("StructRF*", "StructRF")])
        start = [
            wins(self.counting(records), [("SA-BFGS", "SA-IIS")], self.measures)
            for records in (self.tables, self._from_random_start())
        ]
        started = confusion(self.random_start, self.printed, ["SA-IIS"], self.excluded_datasets)
        zero, random = table.loc["SA-IIS", "SA-IIS"], started.loc["SA-IIS", "SA-IIS"]
        return {
            "most-accurate": (
                f"StructRF has the lower error in {Share(ahead.better, ahead.cells)} comparisons "
                f"with both, and in {Share(one.better, one.cells)} with SA-BFGS alone. The "
                f"difference is significant in {ahead.shown.plain}, and in {ahead.shown.holm} by "
                "Holm's correction. Most comparisons are on the related Yeast sets, where there "
                "is little to learn: the best printed method removes at most "
                f"{yeast.max():.0%} of the mean predictor's K-L. StructRF chooses its parameters "
                "on validation rows. The other two run the paper's numbers of steps. Of "
                f"StructRF's informative printed numbers ours match {Share(own.agree, own.tell)}."
            ),
            "whole-distribution": (
                "A forest for each label on its own is not worse. Both were fitted on three folds "
                f"of five data sets, and where they differ StructRF has the lower K-L in {whole} "
                "folds. An ordinary regression forest on the distributions, without the "
                f"clustering, matches {Share(plain.agree, plain.tell)} of StructRF's informative "
                "numbers. It differs significantly from StructRF in "
                f"{apart.shown.plain + apart.worse.plain} of {apart.cells} comparisons."
            ),
            "trains-faster": (
                f"On one thread StructRF takes {_range(slower[0])} times as long as SA-IIS, and "
                f"{_range(slower[1])} times as long as SA-BFGS. Its trees can be grown in "
                f"parallel. On the {claims.CORES} cores of the paper, with the others on one, it "
                f"would be the faster one in {parallel} comparisons."
            ),
            "step-faster": (
                "The step leaves out most thresholds of many rows. A search that counts each gain "
                f"from scratch becomes {search['from scratch']:.0f} times faster. A search with "
                f"running counts, as ours, stays as fast as before. Whole forests take "
                f"{step.min():.2f} to {step.max():.2f} of the time, and less on "
                f"{Share.of(step < 1)} data sets."
            ),
            "order-bfgs-iis": (
                "It depends on the start of SA-IIS. From coefficients drawn at random, SA-BFGS is "
                f"better in {Share(start[1].better, start[1].cells)} comparisons. From zero it is "
                f"better in {start[0].better}. The printed numbers of SA-IIS fit the random start: "
                f"{Share(random.agree, random.tell)} informative ones match, and {zero.agree} "
                "from zero."
            ),
        }

    def _from_random_start(self):
        """Records of the tables, SA-IIS from random coefficients."""
        return pd.concat([self.tables[self.tables.method != "SA-IIS"], self.random_start])


def _range(ratios):
    return f"{ratios.min():.1f} to {ratios.max():.1f}"
