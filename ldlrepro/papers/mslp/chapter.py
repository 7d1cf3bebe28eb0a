"""The chapter on MSLP."""

from copy import copy
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from ldlrepro import datasets
from ldlrepro.papers.mslp import claims, experiments, figures, tables
from ldlrepro.papers.mslp.studies.embedding import UNPENALISED
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.claims import verdict
from ldlrepro.report.compare import wins
from ldlrepro.report.evidence import evidence_picture
from ldlrepro.report.values import Share

#: What becomes of printed numbers, by the rule for claims: what share of them matches.
_WORDS = {
    "holds": "matches",
    "holds in part": "partly matches",
    "does not hold": "mostly misses",
}


class Against(NamedTuple):
    """MSLP against other methods: better means, significant ones, and those the other way."""

    share: Share
    won: int
    lost: int

    def __str__(self):
        if not self.won + self.lost:
            return "No difference is significant."
        return f"It is significantly better in {self.won}, significantly worse in {self.lost}."


def _on_expressions(records):
    return records[records.dataset.isin(tables.EXPRESSIONS)]


def _on_faces(expressions, every):
    """Comparisons on the expressions alone, and their verdict where it is another."""
    word = verdict(expressions.share.ratio)
    other = "" if word == verdict(every.share.ratio) else f", which alone would be “{word}”"
    return f"On facial expressions alone it is better in {expressions.share}{other}."


class MSLP(Chapter):
    """Multi-scale locality preserving (Peng et al. 2018)."""

    paper = experiments.PAPER
    title = "MSLP (Peng et al. 2018)"
    place = 3
    measures = experiments.MEASURES
    own_method = "MSLP"
    printed_tables = (1, 2, 3)
    remarks = {"hetero-neighbours": claims.HARDLY_TESTED}
    exhibits = {
        "agreement": tables.show_agreement,
        "who matches": tables.show_who_matches,
        "features": tables.show_features,
        "figures 1 and 4": figures.figures_1_and_4,
        "one row": lambda chapter: figures.one_row(datasets.make_standin("SJAFFE"), True),
        "one row of s-JAFFE": lambda chapter: figures.one_row(chapter.bunch("SJAFFE")),
        "figures 2 and 3": figures.figures_2_and_3,
        "figures 5 and 6": figures.figures_5_and_6,
        "figure 7": figures.figure_7,
        "kept neighbours": tables.show_kept_neighbours,
        "faces": figures.faces,
        "tables 1-3": tables.show_tables_1_to_3,
        "who is first": figures.who_is_first,
        "first places": tables.show_first_places,
        "best dimensions": tables.show_best_dimensions,
        "sensitivity": figures.sensitivity,
        "skill": figures.skill,
        "skill of embeddings": lambda chapter: figures.skill(chapter, embeddings=True),
        "claims": claims.show_at_the_level_of_the_paper,
        "one part changed": figures.one_part_changed,
        "terms": tables.show_terms,
        "settings": tables.show_nearest_settings,
        "permuted row": tables.show_permuted_row,
        "uniform row": tables.show_uniform_row,
    }

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

    def evidence(self):
        """The picture at the head, with how many numbers match on each kind of data."""
        expressions, beauty = tables.agreement_by_kind(self).loc["MSLP"]
        title = (
            f"MSLP: ours match {expressions.agree} of {expressions.tell} informative\n"
            f"numbers on expressions, {beauty.agree} of {beauty.tell} on beauty"
        )
        return evidence_picture(self, "MSLP", self.lead_measure, self.null_in_words, title)

    def answer(self):
        kinds = tables.agreement_by_kind(self).loc["MSLP"]
        expressions, beauty = (_WORDS[verdict(found.ratio)] for found in kinds)
        places = tables.first_places(self, self.counted)
        first, of = places.ours["MSLP"], places.cells["MSLP"]
        place = f"comes first in {first} of {of} comparisons" if first else "never leads"
        return (
            f"MSLP {expressions} print on expressions and {beauty} it on beauty."
            f"{self._against_the_mean()} Tuned inside the fold, MSLP {place}."
        )

    def _against_the_mean(self):
        """That the mean predictor beats MSLP by K-L on the sets of beauty, where it does."""
        rows = self.ours[self.ours.measure == self.lead_measure]
        wide = rows[rows.dataset.isin(tables.BEAUTY)].pivot(
            index="dataset", columns="method", values="mean"
        )
        if not len(wide) or not (wide["MeanPredictor"] < wide["MSLP"]).all():
            return ""
        return " The mean predictor's K-L is lower there."

    def findings(self):
        places = tables.first_places(self, self.counted)
        faces = tables.first_places(self, _on_expressions(self.counted))
        earlier, earlier_on_faces = (
            self._against(records, claims.OF_LDL)
            for records in (self.counted, _on_expressions(self.counted))
        )
        strongest = max(claims.OF_LDL, key=lambda m: self._against(self.counted, [m]).lost)
        terms = self.counting(self.terms)
        (pushed, pushed_on_faces), (near, near_on_faces) = (
            [
                self._against(records, tables.methods_with(terms, **without))
                for records in (terms, _on_expressions(terms))
            ]
            for without in ({"beta": 1}, {"alpha": 1e9})
        )
        kept = tables.kept_faces(self)
        free = kept.loc[list(UNPENALISED)]
        study = self.study("embedding")["trustworthiness"]
        fitted, new, with_penalty = (
            Share.of(claims.better_than_lpp(study[study.dataset == "SJAFFE"], methods, rows))
            for methods, rows in (
                (UNPENALISED, ("all", "fitted")),
                (UNPENALISED, ("new",)),
                (["MSLP"], ("all", "fitted", "new")),
            )
        )
        return {
            "first-place": (
                f"Here it is first in {Share(places.ours['MSLP'], places.cells['MSLP'])} "
                f"comparisons, in print in {places.printed['MSLP']} of the same. "
                f"{places.ours.idxmax()} is most often first here, in {places.ours.max()}. On "
                "facial expressions alone, MSLP is first in "
                f"{Share(faces.ours['MSLP'], faces.cells['MSLP'])}."
            ),
            "beats-ldl": (
                f"It has the better mean in {earlier.share} comparisons, significantly in "
                f"{earlier.won}. {_on_faces(earlier_on_faces, earlier)} The strongest of the "
                f"eight here is {strongest}: MSLP is better than it in "
                f"{self._against(self.counted, [strongest]).share}."
            ),
            "hetero-neighbours": (
                "These data can hardly test it. On expressions, with a penalty, K-L hardly "
                "depends on the push. On beauty there is little to gain. The claim is our reading "
                "of sections 2 and 4. With the push MSLP is better than "
                f"without it in {pushed.share} comparisons. "
                f"{_on_faces(pushed_on_faces, pushed)} {pushed}"
            ),
            "neighbours-in-features": (
                f"With the rule MSLP is better than without it in {near.share} comparisons. {near} "
                f"{_on_faces(near_on_faces, near)} Without the rule few rows are pushed, so "
                "this run cannot tell the two ideas apart."
            ),
            "jaffe": (
                "Each setting is fitted on all faces and on five random halves. Over four settings "
                f"without a penalty, MSLP is ahead in {fitted} embeddings of fitted faces, and in "
                f"{new} of new ones. With a penalty it is ahead in {with_penalty}. The verdict "
                "counts all of these. Without "
                f"one, trustworthiness is {free['fitted'].mean():.2f} for a fitted half, "
                f"and {kept['fitted']['LPP']:.2f} for LPP (1 is perfect, 0.5 is chance). For new "
                f"faces it is {free['new'].mean():.2f}, and {kept['new']['LPP']:.2f} for LPP."
            ),
        }

    def _against(self, records, others):
        """MSLP against others at the level of the paper, in numbers."""
        pairs = [("MSLP", other) for other in others]
        found = wins(records, pairs, self.measures, tables.LEVEL_OF_PAPER)
        return Against(Share(found.better, found.cells), found.shown.plain, found.worse.plain)
