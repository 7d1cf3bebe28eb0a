"""The chapter on MSLP."""

from copy import copy
from functools import cached_property

import pandas as pd

from ldlrepro.papers.mslp import claims, experiments, figures, tables
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.claims import verdict
from ldlrepro.report.compare import wins
from ldlrepro.report.settings import declared

#: What a verdict says of printed numbers.
_WORDS = {"holds": "hold", "holds in part": "hold in part", "does not hold": "mostly fail"}


class MSLP(Chapter):
    """Multi-scale locality preserving (Peng et al. 2018)."""

    paper = experiments.PAPER
    title = "MSLP (Peng et al. 2018)"
    place = 3
    measures = experiments.MEASURES
    own_method = "MSLP"
    printed_tables = (1, 2, 3)
    exhibits = {
        "agreement": tables.show_agreement,
        "kinds of data": tables.show_kinds,
        "features": tables.show_features,
        "figures 1 and 4": figures.figures_1_and_4,
        "one row": figures.one_row,
        "figures 2 and 3": figures.figures_2_and_3,
        "tables 1-3": lambda c: tables.show_tables_1_to_3(c, "tables"),
        "tables 1-3, best on test": lambda c: tables.show_tables_1_to_3(c, "best_on_test"),
        "two protocols": tables.show_two_protocols,
        "settings": lambda c: tables.show_nearest_settings(c, "settings"),
        "first package": lambda c: tables.show_nearest_settings(c, "first_package"),
        "permuted row": tables.show_permuted_row,
        "uniform row": tables.show_uniform_row,
        "first places": tables.show_first_places,
        "forms of CCA": tables.show_forms_of_cca,
        "figures 5 and 6": figures.figures_5_and_6,
        "figure 7": figures.figure_7,
        "kept neighbours": tables.show_kept_neighbours,
        "sensitivity": figures.sensitivity,
        "best dimensions": tables.show_best_dimensions,
        "terms": tables.show_terms,
    }

    def is_own(self, method):
        return method == "MSLP"

    def judge(self):
        return claims.claims(self)

    @property
    def printed_methods(self):
        """Methods of the tables that the paper prints, in its order."""
        printed = set(self.printed.method)
        return [m for m in self.order if m in printed]

    @cached_property
    def best_on_test(self):
        """Records with everything chosen on the test folds; methods without a grid as they are."""
        best = self.records["best_on_test"]
        return pd.concat([best, self.tables[~self.tables.method.isin(best.method)]])

    @cached_property
    def terms(self):
        """Records with one part changed, below those of the methods in the tables."""
        return self.with_methods("terms", ["MSLP", "PCA", "CCA", "CPNN"])

    def parts(self):
        counted = set(self.printed.dataset) - set(self.excluded_datasets)
        beauty = set(tables.BEAUTY)
        return [
            ("sets of expressions", self._counting_only(counted - beauty)),
            ("sets of beauty, other copies", self._counting_only(counted & beauty)),
            ("both", self._counting_only(counted)),
        ]

    def _counting_only(self, datasets):
        """The chapter with no data sets but these counted."""
        chapter = copy(self)
        chapter.excluded_datasets = sorted(set(self.printed.dataset) - datasets)
        return chapter

    def answer(self):
        kinds = tables.agreement_by_kind(self).loc["MSLP"]
        expressions, beauty = (_WORDS[verdict(found.ratio)] for found in kinds)
        places = tables.first_places(self, self.counted)
        return (
            f"The printed numbers {expressions} for facial expressions and {beauty} for beauty. "
            f"MSLP comes first in {places.ours['MSLP'] or 'none'} of our "
            f"{places.cells['MSLP']} comparisons."
        )

    def findings(self):
        kinds = tables.agreement_by_kind(self).loc["MSLP"]
        expressions, beauty = (f"{o.agree} of {o.tell}" for o in kinds)
        printed = tables.first_as_printed(self)
        beaten = tables.beaten_by_mean(self, "M2B")
        terms = self.counting(self.terms)
        linear = tables.places_with_cca(self, terms[declared(terms, "kernel") == "linear"])
        places = tables.first_places(self, self.counted)
        on_faces = self.counted[self.counted.dataset.isin(tables.EXPRESSIONS)]
        faces = tables.first_places(self, on_faces)
        attraction = [("MSLP", m) for m in tables.methods_with(terms, beta=1)]
        found = wins(terms, attraction, self.measures)
        return [
            f"MSLP's own row comes out in {expressions} cells on the two sets of expressions and "
            f"in {beauty} on the two of beauty. On M2B our mean predictor beats every printed "
            f"method by {beaten} measures, though all of them look at the features: probably "
            "another copy.",
            f"MSLP is first in {printed} printed cells; here, chosen inside the fold, in "
            f"{places.ours['MSLP']} of {places.cells['MSLP']}, {places.ours.idxmax()} in "
            f"{places.ours.max()} (linear CCA on all components, without a step that the paper "
            f"does not name, in {linear.ours['CCA']}). On the expressions alone MSLP is first in "
            f"{faces.ours['MSLP']} of {faces.cells['MSLP']}.",
            f"Parting hetero-neighbours, the paper's idea, is not shown to help: {found}.",
        ]
