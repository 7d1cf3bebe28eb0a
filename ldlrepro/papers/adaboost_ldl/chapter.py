"""The chapter on Adaboost-LDL."""

from ldlrepro.papers.adaboost_ldl import claims, experiments, tables
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.compare import wins
from ldlrepro.report.tables import summary


class AdaBoostLDL(Chapter):
    """Boosted label distribution learners (Shen et al. 2020)."""

    paper = experiments.PAPER
    title = "Adaboost-LDL (Shen et al. 2020)"
    place = 4
    measures = experiments.MEASURES
    printed_tables = tuple(experiments.TABLE_OF)

    def is_own(self, method):
        return method.endswith(", boosted")

    def matching(self):
        """Boosted records beside plain ones made as flat."""
        return tables.matched(self.counted, self.records["shrunk"], experiments.LEARNERS)

    def judge(self):
        return claims.claims(self, self.matching(), experiments.LEARNERS)

    def cause_options(self):
        return {"stands_for": tables.WITH_GRADIENT, "more": tables.causes_studied(self)}

    def findings(self):
        learners = experiments.LEARNERS
        ours = tables.ratios_to_plain(
            summary(self.counted, measures=experiments.MEASURES), learners
        )
        loss = ours[(ours.measure == "sort_loss") & (ours.kind == "boosted")].ratio
        matching = self.matching()
        starts = tables.agreement_of_public_start(self).loc["SA-IIS, boosted"]
        zero, public = (f"{o.agree} of {o.tell}" for o in starts.iloc[:2])
        pairs = tables.against_bagging(learners)
        found = wins(self.counted, pairs, ["kl_divergence"])
        return [
            f"Boosting lowers SortLoss in {(loss < 1).sum()} of {len(loss)} cells, but plain "
            f"predictions made just as flat have {1 / matching.by_order.mean():.0%} of the boosted "
            "ones' on average: what falls is sharpness, and the uniform predictor has none at all.",
            f"Boosted SA-IIS comes out in {public} cells once it starts and stops as in public code "
            f"({zero} from zero); the plain learner does not from any start tried.",
            f"By K-L five plain bootstrap models are shown better than boosting in {found.worse} of "
            f"{found.cells} cells, and worse in {found.shown}.",
        ]
