"""The chapter on MLDF."""

from ldlrepro.papers.mldf import claims, experiments, tables
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.compare import wins
from ldlrepro.report.yardstick import confusion_of


class MLDF(Chapter):
    """Multi-label deep forests (Yang et al. 2020)."""

    paper = experiments.PAPER
    title = "MLDF (Yang et al. 2020)"
    place = 5
    measures = experiments.MEASURES
    printed_tables = (4, 5)

    def is_own(self, method):
        return method in ("MLDF", experiments.C45)

    def records_of_tables(self):
        return tables.records_by_own_measures(self)

    def judge(self):
        growth, labels = self.study("layers"), self.study("label_drop")["labels"]
        return claims.claims(
            self, growth, labels, experiments.METHODS, experiments.C45, experiments.NO_REUSE
        )

    def cause_options(self):
        return {"own": tables.own_measures, "more": tables.causes_studied(self)}

    def findings(self):
        table = confusion_of(self)
        found = wins(self.tables, [("MLDF", experiments.NO_REUSE)], experiments.MEASURES)
        return [
            f"Measure-aware reuse, as we read the algorithms, does not help: {found}.",
            f"MLDF's printed row comes out in {_of(table, 'MLDF')} cells with reuse, in "
            f"{_of(table, 'MLDF', experiments.NO_REUSE)} without, in {_of(table, 'MLDF', experiments.DEEP)} without "
            "and with trees hardly bounded in depth.",
            f"RF-PCT's row comes out in {_of(table, 'RF-PCT')} cells with the 100 trees that the paper "
            f"names and in {_of(table, 'RF-PCT', 'RF-PCT, 500 trees')} with 500.",
        ]


def _of(table, row, column=None):
    found = table.loc[row, column or row]
    return f"{found.agree} of {found.tell}"
