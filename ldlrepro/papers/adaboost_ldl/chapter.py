"""The chapter on Adaboost-LDL."""

from functools import cached_property

from ldlrepro.papers.adaboost_ldl import claims, experiments, figures, findings, tables
from ldlrepro.papers.adaboost_ldl.experiments import LEARNERS
from ldlrepro.papers.adaboost_ldl.tables import boosted
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.claims import NEAR, PARTLY, REPRODUCED
from ldlrepro.report.tables import summary
from ldlrepro.report.values import Outcomes


class AdaBoostLDL(Chapter):
    """Boosted label distribution learners (Shen et al. 2020)."""

    paper = experiments.PAPER
    title = "Adaboost-LDL (Shen et al. 2020)"
    place = 4
    measures = experiments.MEASURES
    printed_tables = tuple(experiments.TABLE_OF)
    exhibits = {
        "three rounds": figures.three_rounds,
        "agreement": tables.show_agreement,
        "averages": tables.show_averages,
        "public code": tables.show_public_code,
        "skill": figures.skill_of_plain,
        "tables 4-6": tables.show_tables_4_to_6,
        "share left": tables.show_share_left,
        "means by kind": tables.show_means_by_kind,
        "flatness": figures.flatness_and_order,
        "drawn to the mean": figures.drawn_to_the_mean,
        "order or flatness": tables.show_order_or_flatness,
        "K-L made as flat": tables.show_k_l_made_as_flat,
        "bagging": tables.show_against_bagging,
        "draws and warm start": tables.show_draws_and_warm_start,
        "settings": tables.show_tried_settings,
        "drawn labels": tables.show_drawn_labels,
        "public start": tables.show_public_start,
        "first package": tables.show_first_package,
        "starts of SA-IIS": tables.show_starts,
        "tested shares": tables.show_tested_shares,
    }

    def is_own(self, method):
        boosted = (m for m in self.paper.experiment("tables").methods if _is_boosted(m))
        return method in {m.name for m in boosted}

    def judge(self):
        return claims.claims(self)

    @cached_property
    def printed_and_counted(self):
        """Printed numbers of the data sets that are the original files."""
        return self.printed[~self.printed.dataset.isin(self.excluded_datasets)]

    @cached_property
    def ratios(self):
        """`tables.ratios_to_plain` of the records that totals count."""
        return tables.ratios_to_plain(summary(self.counted, measures=self.measures))

    @cached_property
    def printed_ratios(self):
        """`tables.ratios_to_plain` of the printed numbers that totals count."""
        return tables.ratios_to_plain(self.printed_and_counted)

    @cached_property
    def matched(self):
        """Boosted records beside plain ones made as flat."""
        return tables.matched(self.counted, self.records["shrunk"])

    @cached_property
    def public_start(self):
        """Records of learners as public code starts them, under the names of printed rows."""
        return tables.named_as_printed(self.records["public_start"])

    def cause_options(self):
        return {"stands_for": tables.WITH_GRADIENT, "more": tables.causes_studied(self)}

    def answer(self):
        ours = tables.in_print(self.ratios, self.printed_and_counted)
        loss, printed = (
            tables.left_by_boosting(ratios, "sort_loss") for ratios in (ours, self.printed_ratios)
        )
        often = "nearly always" if (loss < 1).mean() >= REPRODUCED else "mostly"
        less = "less" if loss.mean() > printed.mean() else "no less"
        as_good = (self.matched.by_order >= 1 - NEAR).mean()
        flat = "as much" if as_good > PARTLY else "less"
        found = tables.agreement_by_measure(self.tables, self.printed_and_counted)["all"]
        found = sum(found[[*LEARNERS, *map(boosted, LEARNERS)]], Outcomes(0, 0, 0, 0))
        differ = "Testable printed numbers mostly differ. " if found.ratio < 0.5 else ""
        return (
            f"{differ}Boosting {often} lowers the ranking error, on average {less} than printed. "
            f"Flattening plain predictions mostly lowers it {flat}."
        )

    def findings(self):
        return findings.findings(self)

    def evidence(self):
        return figures.what_boosting_leaves(self)


def _is_boosted(method):
    return method.settings.get("form") == "boosted"
