"""The chapter on MLDF."""

from functools import cached_property

import pandas as pd

import ldlrepro
from ldlrepro.papers.mldf import claims, experiments, figures, printed, tables
from ldlrepro.papers.mldf.experiments import DEEP, MORE_TREES, NO_REUSE
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.compare import wins
from ldlrepro.report.departures import show_departures
from ldlrepro.report.yardstick import confusion_of


class MLDF(Chapter):
    """Multi-label deep forests (Yang et al. 2020)."""

    paper = experiments.PAPER
    title = "MLDF (Yang et al. 2020)"
    place = 5
    measures = experiments.MEASURES
    own_method = "MLDF"
    lead_measure = "average_precision"
    null_in_words = "label frequencies"
    printed_tables = (4, 5)
    exhibits = {
        "agreement": tables.show_agreement,
        "skill": figures.skill,
        "table 3": printed.show_table_3,
        "figure 1": figures.figure_1,
        "two rows": figures.two_rows,
        "table 4": tables.show_table_4,
        "votes and cuts": tables.show_cuts,
        "nets": tables.show_nets,
        "depths of trees": tables.show_depths,
        "trees and ties": tables.show_ties,
        "forests by fold": tables.show_forests_by_fold,
        "reuse": tables.show_reuse,
        "reuse by measure": tables.show_reuse_by_measure,
        "thresholds": tables.show_thresholds,
        "figure 2": figures.figure_2,
        "readings of reuse": tables.show_readings,
        "rivals": tables.show_rivals,
        "table 5": tables.show_table_5,
        "figure 3": figures.figure_3,
        "figure 3 in numbers": tables.show_growth,
        "figure 4": figures.figure_4,
        "image put right": tables.show_defect,
        "departures": lambda chapter: show_departures(chapter, [ldlrepro.MLDF()]),
        "contradictions": printed.show_contradictions,
    }

    def is_own(self, method):
        return method in ("MLDF", experiments.C45)

    def records_of_tables(self):
        shown = ["tables", "table_5"] + ["tables_large"] * (self.profile == "paper")
        records = [tables.own_measures(self.records[name]) for name in shown]
        return pd.concat(records, ignore_index=True)

    @cached_property
    def table_4(self):
        """Printed cells of Table 4."""
        return self.printed[self.printed.table == 4]

    @cached_property
    def table_5(self):
        """Printed cells of Table 5."""
        return self.printed[self.printed.table == 5]

    @cached_property
    def table_4_beside_ours(self):
        """Printed cells of Table 4, none in the quick profile, whose numbers are synthetic."""
        return self.table_4 if self.profile == "paper" else self.table_4[:0]

    def judge(self):
        return claims.claims(self)

    def cause_options(self):
        return {"own": tables.own_measures, "more": tables.causes_studied(self)}

    def answer(self):
        row = confusion_of(self).loc["MLDF"]
        reuse = wins(self.tables, [("MLDF", NO_REUSE)], experiments.MEASURES)
        matched = "few" if row["MLDF"].ratio < 0.5 else "most"
        predicts = "worse" if reuse.shown > reuse.worse else "no worse"
        return (
            f"MLDF matches {matched} of its printed numbers. Without its new idea, reusing earlier "
            f"layers, it matches {row[NO_REUSE].ratio:.0%} of them and predicts {predicts}."
        )

    def findings(self):
        table = confusion_of(self)
        found = wins(self.tables, [("MLDF", NO_REUSE)], experiments.MEASURES)
        return [
            f"Measure-aware reuse, as we read the algorithms, does not help: {found}.",
            f"MLDF's printed row comes out in {_of(table, 'MLDF')} cells with reuse, in "
            f"{_of(table, 'MLDF', NO_REUSE)} without, in {_of(table, 'MLDF', DEEP)} without "
            "and with trees hardly bounded in depth.",
            f"RF-PCT's row comes out in {_of(table, 'RF-PCT')} cells with the 100 trees that the "
            f"paper names and in {_of(table, 'RF-PCT', MORE_TREES)} with 500.",
        ]


def _of(table, row, column=None):
    found = table.loc[row, column or row]
    return f"{found.agree} of {found.tell}"
