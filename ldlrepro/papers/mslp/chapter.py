"""The chapter on MSLP."""

from copy import copy

import pandas as pd

from ldlrepro.papers.mslp import claims, experiments, tables
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.compare import wins


class MSLP(Chapter):
    """Multi-scale locality preserving (Peng et al. 2018)."""

    paper = experiments.PAPER
    title = "MSLP (Peng et al. 2018)"
    place = 3
    measures = experiments.MEASURES
    printed_tables = (1, 2, 3)

    def is_own(self, method):
        return method == "MSLP"

    def judge(self):
        return claims.claims(
            {name: self.counting(mine) for name, mine in self.records.items()},
            self.study("embedding")["trustworthiness"],
            self.study("faces")["distances"],
            self.study("toys")["toys"],
            experiments.MEASURES,
            tables.methods_of_paper(self),
        )

    def own_by_kind(self):
        """The features of one kind say nothing."""
        found = tables.agreement_by_kind(self).loc["MSLP"]
        return ", ".join(f"{k.partition(' (')[0]} {o.agree} of {o.tell}" for k, o in found.items())

    def parts(self):
        there = set(self.printed.dataset) - set(self.excluded_datasets)
        copies = set(tables.OTHER_COPIES)
        return [
            (what, self._counting_only(some))
            for what, some in (
                ("sets of expressions", there - copies),
                ("sets of beauty, other copies", there & copies),
                ("both", there),
            )
        ]

    def _counting_only(self, some):
        """The chapter with no data sets but these counted."""
        chapter = copy(self)
        chapter.excluded_datasets = sorted(set(self.printed.dataset) - some)
        return chapter

    def findings(self):
        kinds = tables.agreement_by_kind(self).loc["MSLP"]
        expressions, beauty = (f"{o.agree} of {o.tell}" for o in kinds)
        methods = tables.methods_of_paper(self)
        places = tables.first_places(self.counted, experiments.MEASURES, methods).set_index(
            "method"
        )
        printed = tables.first_as_printed(self.printed, "MSLP")
        beaten = tables.beaten_by_mean(self, "M2B")
        linear = tables.forms_of_cca(self)["CCA, all components, linear"]
        linear = tables.places_with_cca(self, linear)
        faces = self.counted[self.counted.dataset.isin(["SJAFFE", "SBU_3DFE"])]
        faces = tables.first_places(faces, experiments.MEASURES, methods).set_index("method")
        both = pd.concat([self.counted, self.counting(self.records["terms"])])
        found = wins(both, [("MSLP", "MSLP, attraction only")], experiments.MEASURES)
        return [
            f"MSLP's own row comes out in {expressions} cells on the two sets of expressions and in "
            f"{beauty} on the two of beauty. On M2B our mean predictor beats every printed method by "
            f"{beaten} measures, though all of them look at the features: probably another copy.",
            f"MSLP is first in {printed} printed cells; here, chosen inside the fold, in "
            f"{places.ours['MSLP']} of {places.cells['MSLP']}, {places.ours.idxmax()} in "
            f"{places.ours.max()} (linear CCA on all components, without a step that the paper does "
            f"not name, in {linear.ours['CCA']}). On the expressions alone MSLP is first in "
            f"{faces.ours['MSLP']} of {faces.cells['MSLP']}.",
            f"Parting hetero-neighbours, the paper's idea, is not shown to help: {found}.",
        ]
