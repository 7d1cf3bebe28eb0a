"""The chapter on MLDF."""

from functools import cached_property

import pandas as pd

from ldlrepro.papers.mldf import claims, experiments, figures, printed, tables
from ldlrepro.papers.mldf.experiments import METHODS, NO_REUSE
from ldlrepro.papers.mldf.studies.label_drop import OTHER_NUMBERS
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.compare import firsts, wins
from ldlrepro.report.values import Share
from ldlrepro.report.yardstick import confusion_of


class MLDF(Chapter):
    """Multi-label deep forests (Yang et al. 2020)."""

    paper = experiments.PAPER
    title = "MLDF (Yang et al. 2020)"
    place = 5
    measures = experiments.MEASURES
    own_method = "MLDF"
    lead_measure = "ranking_loss"
    null_in_words = "label frequencies"
    printed_tables = (4, 5)
    exhibits = {
        "every measure": figures.every_measure,
        "readings": tables.show_readings_in_short,
        "depth": tables.show_depth_gaps,
        "ties": tables.show_ties_in_short,
        "with and without reuse": tables.show_with_and_without,
        "agreement": tables.show_agreement,
        "skill": figures.skill,
        "table 3": printed.show_table_3,
        "figure 1": figures.figure_1,
        "two rows": figures.two_rows,
        "table 4": tables.show_table_4,
        "other rivals": tables.show_other_rivals,
        "other forests": tables.show_other_forests,
        "image put right": tables.show_defect,
        "figure 2": figures.figure_2,
        "reuse": tables.show_reuse,
        "figure 3": lambda chapter: figures.figure_3(chapter, 0),
        "figure 3 on another set": lambda chapter: figures.figure_3(chapter, 1),
        "figure 3 in numbers": tables.show_growth,
        "figure 4": figures.figure_4,
        "table 5": tables.show_table_5,
        "departures": tables.show_all_settings,
        "contradictions": printed.show_contradictions,
    }

    def is_own(self, method):
        return method in ("MLDF", experiments.C45)

    def records_of_tables(self):
        shown = ["tables", "table_5"] + ["tables_large"] * (self.profile == "paper")
        records = [tables.own_measures(self.records[name]) for name in shown]
        return pd.concat(records, ignore_index=True)

    @cached_property
    def staged(self):
        """Records of Table 4's methods as they are: a row for each MLDF of a fit."""
        large = [self.records["tables_large"]] * (self.profile == "paper")
        return pd.concat([self.records["tables"], *large], ignore_index=True)

    @cached_property
    def table_4(self):
        """Printed numbers of Table 4."""
        return self.printed[self.printed.table == 4]

    @cached_property
    def table_5(self):
        """Printed numbers of Table 5."""
        return self.printed[self.printed.table == 5]

    @cached_property
    def table_4_beside_ours(self):
        """Printed numbers of Table 4, none in the quick profile, whose records are synthetic."""
        return self.table_4 if self.profile == "paper" else self.table_4[:0]

    def judge(self):
        return claims.claims(self)

    def cause_options(self):
        return {"own": tables.own_measures, "more": tables.causes_studied(self)}

    def answer(self):
        row = confusion_of(self).loc["MLDF"]
        pair = [("MLDF", NO_REUSE)]
        without, _ = claims.worse_and_level(self.tables, pair)
        matched = "few" if row["MLDF"].ratio < 0.5 else "most"
        mostly = without > wins(self.tables, pair, experiments.MEASURES).cells / 2
        return (
            f"MLDF as printed matches {matched} numbers. Without reusing earlier scores it matches "
            f"{row[NO_REUSE].ratio:.0%} of the informative ones on small data sets, and "
            f"{'mostly predicts' if mostly else 'does not mostly predict'} better."
        )

    def findings(self):
        return {
            "first-place": self._first_places(),
            "by-measure": self._grown_for_the_measure(),
            "reuse-helps": self._reuse(),
            "deeper-is-better": self._growth(),
            "uses-correlations": self._correlations(),
        }

    def _first_places(self):
        means = self.ours[self.ours.method.isin(METHODS)]
        best = means[firsts(means)]
        number = means.groupby(["dataset", "measure"]).ngroups
        places = best.method.value_counts()
        others = places.drop("MLDF", errors="ignore")
        share = "All" if len(others) <= 2 else "Most of the"
        said = self.table_4[self.table_4.dataset.isin(means.dataset)]
        printed = said.method.value_counts()
        few = {m: n for m in METHODS if (n := printed.get(m, 0)) < printed.max()}
        without = self.ours[self.ours.method.isin([*METHODS[1:], NO_REUSE])]
        would = without[firsts(without)].method.eq(NO_REUSE).sum()
        return (
            "MLDF has the best mean, alone or with others, in "
            f"{Share(places.get('MLDF', 0), number)} comparisons, one for each data set and "
            f"measure. In print it is first in {claims.first_places(said)}{_known_of(few)}. "
            f"{share} other first places go to "
            f"{' and '.join(others.index[:2])}. Without reuse MLDF would be first in {would}."
        )

    def _grown_for_the_measure(self):
        further, pairs = claims.grown_for_others(self.staged)
        found = wins(further, pairs, experiments.MEASURES)
        worse, level = claims.worse_and_level(further, pairs)
        fought = claims.relative_gains(further, pairs)
        tested, once = fought[fought.p.notna()], fought[fought.p.isna()]
        gains, losses = (tested.relative > 0).sum(), (tested.relative < 0).sum()
        what = "worse" if losses > gains else "better"
        return (
            f"The cascade grown for the measure is better in {Share(found.better, found.cells)} "
            f"comparisons, worse in {worse} and level in {level}. On {self._named(tested)} "
            f"together it is more often {what}: {found.worse.plain} of {losses} losses and "
            f"{found.shown.plain} of {gains} gains are significant, by Holm {found.worse.holm} "
            f"and {found.shown.holm}. Losses there reach {-tested.relative.min():.0%}, gains "
            f"{tested.relative.max():.0%}. On {self._named(once)}, with one split, it is better "
            f"in {Share.of(once.relative > 0)}."
        )

    def _named(self, rows):
        """Names of the data sets of some rows: "CAL500, enron and image"."""
        *first, last = [self.names[dataset] for dataset in rows.dataset.unique()]
        return f"{', '.join(first)} and {last}" if first else last

    def _reuse(self):
        found = wins(self.tables, [("MLDF", NO_REUSE)], experiments.MEASURES)
        row = confusion_of(self).loc["MLDF"]
        verb = "helps" if found.ratio > 0.5 else "costs more than it helps"
        worse, level = claims.worse_and_level(self.tables, [("MLDF", NO_REUSE)])
        favour = "favours" if found.shown.plain < 2 else "favour"
        go = "goes" if found.worse.plain == 1 else "go"
        return (
            f"Reuse {verb}: with it MLDF is better in {Share(found.better, found.cells)} "
            f"comparisons, worse in {worse} and exactly level in {level}. Where ten splits "
            f"allow a corrected t-test, {found.shown.plain or 'none'} {favour} reuse and "
            f"{found.worse.plain or 'none'} {go} against it. With reuse "
            f"our numbers match {_of(row['MLDF'])} informative printed ones, without it "
            f"{_of(row[NO_REUSE])}. This is reuse as we read the paper's algorithms, on trees "
            f"of the printed depth.{self._reuse_on_deep_trees()}"
        )

    def _reuse_on_deep_trees(self):
        found = tables.matched_by_reading(self)
        deep = "reuse as printed, deep trees"
        if deep not in found.index:
            return ""
        matched = _of(found[deep])
        return f" On trees [ten times as deep](#mldf-readings) MLDF with reuse matches {matched}."

    def _growth(self):
        deeper = claims.curves(self).deeper.groupby(level=0, sort=False)
        (first, of_first), *others = [(self.names[d], Share.of(some)) for d, some in deeper]
        more = "".join(f" On {name} it does in {share}." for name, share in others)
        return (
            f"On {first}, the one data set of the paper's Figure 3, the kept layer beats the first "
            f"in {of_first} curves. These are three splits by six measures, so not independent."
            f"{more} There mostly the first layer is kept."
        )

    def _correlations(self):
        labels = self.study("label_drop")["labels"]
        lost, gained, pairs, _ = claims.lost_and_gained(labels, "accuracy")
        auc_lost, auc_gained, _, _ = claims.lost_and_gained(labels, "auc")
        so, auc_so = (
            "so" if down.bh > up.bh else "not so"
            for down, up in ((lost, gained), (auc_lost, auc_gained))
        )
        accuracy = tables.decreases(labels, "accuracy")[0].drop(OTHER_NUMBERS)
        largest = max(accuracy.loc[a, b] for a in accuracy for b in accuracy if a != b)
        return (
            "The paper claims *some* correlations, so we ask whether more pairs lose than gain. By "
            f"accuracy on scene that is {so}: {lost.plain} of {pairs} pairs of labels lose and "
            f"{gained.plain or 'none'} gain, by single paired t-tests. BH leaves {lost.bh} of "
            f"these losses, Holm {lost.holm or 'none'} ([corrections](../book/reading.md) for many "
            f"tests). By AUC that is {auc_so}: {auc_lost.plain} lose and "
            f"{auc_gained.plain} gain. All is small: the largest loss is {largest:.1f}% of a "
            "label's accuracy."
        )


def _known_of(few):
    """How many printed numbers are known of methods of whose rows most are lost: {method: n}."""
    known = " and ".join(f"{n or 'none'} of {method}'s numbers" for method, n in few.items())
    return f". There we know {known}" if few else ""


def _of(found):
    return f"{found.agree} of {found.tell}"
