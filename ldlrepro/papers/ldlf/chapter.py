"""The chapter on label distribution learning forests."""

from functools import cached_property

from ldlrepro.papers.ldlf import claims, experiments, figures, tables
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.compare import wins


class LDLF(Chapter):
    """Label distribution learning forests (Shen et al. 2017)."""

    paper = experiments.PAPER
    title = "LDLF (Shen et al. 2017)"
    place = 2
    measures = experiments.MEASURES
    own_method = "sLDLF"
    printed_tables = (1,)
    exhibits = {
        "figure 1": figures.figure_1,
        "figure 2": lambda chapter: figures.figure_2(),
        "skill": figures.skill,
        "soft tree": lambda chapter: figures.soft_tree(),
        "table 1": tables.show_table_1,
        "all data sets": tables.show_all_data_sets,
        "rivals": tables.show_rivals,
        "ranks": figures.rank_diagram,
        "four protocols": tables.show_four_protocols,
        "copies and iterations": tables.show_copies_and_iterations,
        "movie": figures.movie,
        "iterations, drawn": figures.iterations,
        "figure 4": figures.figure_4_on_movie,
        "section 4.4": tables.show_section_4_4,
        "figure 4 in numbers": tables.show_figure_4,
        "updates of the leaves, drawn": figures.leaf_updates,
        "updates of the leaves": tables.show_leaf_updates,
        "times": figures.times,
    }

    @property
    def order(self):
        return list(tables.ORDER)

    def records_of_tables(self):
        return tables.with_rivals(self)

    def judge(self):
        return claims.claims(self)

    def cause_options(self):
        return {"more": list(tables.causes_of_rivals(self)), "stages": "iterations"}

    @cached_property
    def protocol_records(self):
        """Records of clean splits and of duplicated rows, the released script's among them."""
        return tables.protocol_records(self.records)

    @cached_property
    def protocol_cells(self):
        """K-L of every method under the four protocols."""
        return tables.protocol_cells(self.protocol_records)

    @cached_property
    def printed_kl(self):
        """K-L printed for sLDLF on the data sets that are the original files: {data set: K-L}."""
        kl = self.counting(self.printed)
        kl = kl[(kl.measure == "kl_divergence") & (kl.method == "sLDLF")]
        return kl.set_index("dataset")["mean"].to_dict()

    @cached_property
    def grid(self):
        """Records of every experiment on Figure 4 with columns strategy, trees and depth."""
        return figures.grid_of(self.records)

    def evidence(self):
        """The picture at the head: the methods of Table 1 on Movie, the one set that counts."""
        there = self.compared[(self.compared.dataset == "Movie") & self.compared.ours.notna()]
        return figures.evidence(self) if len(there) else super().evidence()

    def answer(self):
        low, printed = claims.lowest_on_movie(self.protocol_cells), self.printed_kl["Movie"]
        clean, leaked = (low[rows] <= printed for rows in (tables.CLEAN_SPLIT, tables.DUPLICATED))
        return (
            f"{'A' if clean else 'No'} clean split reaches the printed error of {printed:.3f} on "
            f"Movie. {'Some' if leaked else 'No'} runs do, once copies of training rows leak into "
            "the test set."
        )

    def findings(self):
        return {
            "kl-on-movie": self._on_the_printed(),
            "best-on-movie": self._on_rivals(),
            "leaf-update-falls": self._on_leaves(),
            "trees-help": self._on_trees(),
            "ndf-worse": self._on_turns(),
        }

    def _on_the_printed(self):
        low, printed = claims.lowest_on_movie(self.protocol_cells), self.printed_kl["Movie"]
        clean, leaked = low[tables.CLEAN_SPLIT], low[tables.DUPLICATED]
        script = tables.script_on_movie(self.protocol_cells)
        return (
            f"On a clean split the lowest K-L of any sLDLF that we tried is {clean:.4f}. With "
            f"duplicated rows, which leak into the test set, the lowest is {leaked:.4f}. The "
            f"authors' own script {'reaches' if script.min() <= printed else 'does not reach'} "
            f"{printed:.3f} then: its lowest is {script.min():.4f}."
        )

    def _on_rivals(self):
        movie = self.counted[self.counted.dataset == "Movie"]
        means = movie.groupby("method")["kl_divergence"].mean()
        theirs = means[["sLDLF", *claims.RIVALS.values()]].sort_values()
        place = list(theirs.index).index("sLDLF") + 1
        bfgs, structrf = (
            wins(self.counted, [("sLDLF", rival)], self.measures)
            for rival in ("BFGS-LDL", "StructRF")
        )
        return (
            f"By K-L, sLDLF is number {place} of the {len(theirs)} methods in Table 1, and "
            f"{theirs.index[0]} is first. A comparison takes one measure on one data set. Over all "
            f"of them sLDLF is better than BFGS-LDL in {bfgs.better} of {bfgs.cells}, and better "
            f"than StructRF in {structrf.better} of {structrf.cells}."
        )

    def _on_leaves(self):
        study = self.study("leaf_updates")["leaf_updates"]
        steps = int((study.step > 0).sum())
        return (
            f"We followed {steps} steps on {study.dataset.nunique()} data sets, and "
            f"{tables.leaf_rises(study) or 'none'} of them raised the loss."
        )

    def _on_trees(self):
        line = figures.line_of(self.grid, "sLDLF")
        chosen = figures.line_of(self.grid, "sLDLF, rate chosen")
        return (
            f"At one learning rate, {(line.iloc[1:] < line.iloc[0]).sum()} of {len(line) - 1} "
            f"forests predict better than a single tree. With the learning rate chosen for each "
            f"size, one tree has a K-L of {chosen[1]:.4f}. Five trees have {chosen[5]:.4f}, and a "
            f"hundred trees {chosen[100]:.4f}."
        )

    def _on_turns(self):
        shared = figures.line_of(self.grid, "sNDF-LDL")
        each = figures.line_of(self.grid, "sNDF-LDL, each its own iterations")
        chosen = figures.line_of(self.grid, "sNDF-LDL, rate chosen")
        worse, later = (line.index[line > line.iloc[0]].min() for line in (shared, chosen))
        ahead = int((each.iloc[1:] < each.iloc[0]).sum())
        return (
            "It depends on the number of trees and on their iterations. At one learning rate, a "
            f"forest is worse than one tree from {worse:.0f} trees on. With the learning rate "
            f"chosen for each size, only one with {later:.0f} trees is. Where each tree gets all "
            f"iterations, at one learning rate, {ahead} of {len(each) - 1} forests are better than "
            "one tree. The paper does not say whether trees share the iterations."
        )
