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

    def is_own(self, method):
        return method == "StructRF"

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
            f"The printed numbers {numbers}. An ordinary regression forest on the same "
            f"distributions matches {how_many} of them as well."
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
        forests = self.counting(self.with_methods("criteria", ["StructRF"]))
        apart = wins(forests, [("StructRF", "RF on D")], self.measures)
        skills = skill_table(self.ours, self.printed)
        yeast = skills[skills.dataset.str.startswith("Yeast") & (skills.which == "printed")].skill
        times = self.records["times"]
        slower = [claims.ratios_of(times, [pair]) for pair in entropy]
        parallel = claims.faster_on_cores(times, entropy)
        whole = claims.beside_each_label(self.study("forests")["folds"])
        search = claims.searches_of(self.study("adaptive_step"))
        start = [
            wins(self.counting(records), [("SA-BFGS", "SA-IIS")], self.measures)
            for records in (self.tables, self._from_random_start())
        ]
        started = confusion(self.random_start, self.printed, ["SA-IIS"], self.excluded_datasets)
        zero, random = table.loc["SA-IIS", "SA-IIS"], started.loc["SA-IIS", "SA-IIS"]
        return {
            "most-accurate": (
                f"StructRF has the lower error in {Share(ahead.better, ahead.cells)} comparisons "
                f"with them, and significantly so in {ahead.shown.plain}. Of its "
                f"informative printed numbers ours match {Share(own.agree, own.tell)}. "
                "Its lead is small where there is little to learn. On the Yeast sets the best "
                f"printed method removes at most {yeast.max():.0%} of the mean predictor's K-L."
            ),
            "whole-distribution": (
                "A forest for each label on its own does as well: of the folds that differ, "
                f"StructRF has the lower K-L in {whole}. And an ordinary regression forest on the "
                f"distributions matches {Share(plain.agree, plain.tell)} of StructRF's informative "
                "numbers, without its clustering. Of their "
                f"{apart.cells} comparisons, {apart.shown.plain + apart.worse.plain} differ "
                "significantly."
            ),
            "trains-faster": (
                f"On one thread StructRF takes {_range(slower[0])} times as long as SA-IIS, and "
                f"{_range(slower[1])} times as long as SA-BFGS. Its trees can be grown in "
                f"parallel. On the {claims.CORES} cores of the paper it would be the faster one in "
                f"{parallel} comparisons."
            ),
            "step-faster": (
                "The step leaves out nearly all thresholds. A search that counts each gain from "
                f"scratch becomes {search['from scratch']:.0f} times faster. A search with running "
                f"counts, as ours, is only {search['running']:.1f} times as fast: it has nothing "
                "left to save."
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
