"""How close the reproduction is, paper by paper: what the chapters show in full."""

import pandas as pd

from ldlrepro.papers import adaboost_ldl, ldlf, mldf, mslp, structrf
from ldlrepro.report.chapter import read_chapter
from ldlrepro.report.ldlf.tables import with_rivals
from ldlrepro.report.mldf.tables import with_own_measures
from ldlrepro.report.yardstick import confusion, total


def _structrf():
    return read_chapter(structrf.PAPER, structrf.MEASURES, structrf.TABLE_OF.values())


def _ldlf():
    chapter = read_chapter(ldlf.PAPER, ldlf.MEASURES, [1])
    return with_rivals(chapter, structrf.PAPER, ldlf.RIVALS)


def _mslp():
    return read_chapter(mslp.PAPER, mslp.MEASURES, [1, 2, 3])


def _adaboost_ldl():
    return read_chapter(adaboost_ldl.PAPER, adaboost_ldl.MEASURES, adaboost_ldl.TABLE_OF)


def _mldf():
    return with_own_measures(read_chapter(mldf.PAPER, mldf.MEASURES, [4, 5]))


#: Chapters as their notebooks open them, in the order of the book.
CHAPTERS = {
    "structrf": _structrf,
    "ldlf": _ldlf,
    "mslp": _mslp,
    "adaboost_ldl": _adaboost_ldl,
    "mldf": _mldf,
}


def confusion_of(chapter, more=None):
    """`confusion` of a chapter: its printed rows, the methods of its tables, and ``more`` records.

    Parameters
    ----------
    more : records of further methods to stand in columns of their own, or None
    """
    records = chapter.tables if more is None else pd.concat([chapter.tables, more])
    methods = list(dict.fromkeys(records.method))
    return confusion(records, chapter.printed, methods, chapter.apart)


def agreement_of_paper(paper):
    """`confusion_of` the chapter of a paper; StructRF's with the regression forest on D."""
    chapter = CHAPTERS[paper.name]()
    more = chapter.records.get("criteria")
    return confusion_of(chapter, more[more.method == "RF on D"] if more is not None else None)


def cells_of_paper(chapter):
    """Printed cells of a chapter's tables: agree, differ, cannot tell, not run.

    Cells that another one determines, and those of data sets that are not the original files, are
    counted in none of them.

    Returns
    -------
    dict of int, "cannot tell" with those in which ours is outside the tolerance
    """
    compared = chapter.compared
    counted = compared[~compared.repeated & ~compared.dataset.isin(chapter.apart)]
    found = total(confusion_of(chapter))
    return {
        "agree": found.agree,
        "differ": found.tell - found.agree,
        "cannot tell": found.untold,
        "of these outside": found.untold - found.within,
        "not run": int(counted.within.isna().sum()),
    }
