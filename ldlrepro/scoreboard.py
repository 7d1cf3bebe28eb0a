"""How close the reproduction is, paper by paper: page one of the book, from what chapters show."""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from ldlrepro.papers import adaboost_ldl, ldlf, mldf, mslp, structrf
from ldlrepro.report.adaboost_ldl import claims as adaboost_claims
from ldlrepro.report.adaboost_ldl import tables as adaboost_tables
from ldlrepro.report.chapter import read_chapter
from ldlrepro.report.ldlf import claims as ldlf_claims
from ldlrepro.report.ldlf import figures as ldlf_figures
from ldlrepro.report.ldlf import tables as ldlf_tables
from ldlrepro.report.mldf import claims as mldf_claims
from ldlrepro.report.mldf import tables as mldf_tables
from ldlrepro.report.mslp import claims as mslp_claims
from ldlrepro.report.mslp import tables as mslp_tables
from ldlrepro.report.settings import with_settings
from ldlrepro.report.structrf import claims as structrf_claims
from ldlrepro.report.structrf import figures as structrf_figures
from ldlrepro.report.tables import summary
from ldlrepro.report.yardstick import confusion_of, total

#: Lines of README.md between which `in_markdown` stands.
MARKERS = "<!-- scoreboard -->", "<!-- end of scoreboard -->"
VERDICTS = ("reproduced", "partly", "not", "not run")


class Board(NamedTuple):
    """How the notebook of a paper opens its chapter and judges its claims.

    ``own`` says which printed rows are those of the paper's own method.
    """

    title: str
    own: Callable
    open: Callable
    claims: Callable


def _open_structrf():
    return read_chapter(structrf.PAPER, structrf.MEASURES, structrf.TABLE_OF.values())


def _claims_of_structrf(chapter):
    records = chapter.records
    return structrf_claims.claims(
        chapter.counted,
        chapter.joined("boosting", ["StructRF"]),
        structrf_figures.grid_of_figure_4(records["figure_4"]),
        records["times"],
        with_settings(records["iterations"]),
        structrf.MEASURES,
        structrf.MEASURES_19,
    )


def _open_ldlf():
    chapter = read_chapter(ldlf.PAPER, ldlf.MEASURES, [1])
    return ldlf_tables.with_rivals(chapter, structrf.PAPER, ldlf.RIVALS)


def _claims_of_ldlf(chapter):
    records = ldlf_tables.protocol_records(chapter.records, ldlf.STOPPED)
    return ldlf_claims.claims(
        chapter.counted,
        ldlf_tables.protocol_cells(records),
        ldlf_figures.grid_of_figure_4(chapter.records["figure_4"]),
        ldlf_tables.printed_kl(chapter)["Movie"],
        ldlf.MEASURES,
    )


def _open_mslp():
    return read_chapter(mslp.PAPER, mslp.MEASURES, [1, 2, 3])


def _claims_of_mslp(chapter):
    return mslp_claims.claims(
        {name: chapter.counting(mine) for name, mine in chapter.records.items()},
        chapter.study("embedding")["trustworthiness"],
        mslp.MEASURES,
        mslp_tables.methods_of_paper(chapter),
    )


def _open_adaboost():
    return read_chapter(adaboost_ldl.PAPER, adaboost_ldl.MEASURES, adaboost_ldl.TABLE_OF)


def _claims_of_adaboost(chapter):
    learners = adaboost_ldl.LEARNERS
    ours = adaboost_tables.ratios_to_plain(
        summary(chapter.counted, measures=adaboost_ldl.MEASURES), learners
    )
    printed = adaboost_tables.ratios_to_plain(chapter.printed, learners)
    return adaboost_claims.claims(
        ours,
        printed[~printed.dataset.isin(chapter.apart)],
        chapter.counted,
        adaboost_tables.matched(chapter.counted, chapter.records["shrunk"], learners),
        learners,
    )


def _open_mldf():
    return mldf_tables.with_own_measures(read_chapter(mldf.PAPER, mldf.MEASURES, [4, 5]))


def _claims_of_mldf(chapter):
    growth = chapter.study("layers")
    return mldf_claims.claims(
        chapter.tables,
        mldf_tables.of_table(chapter, 4),
        growth["layers"],
        growth["forests"],
        chapter.study("label_drop")["labels"],
        mldf.METHODS,
        mldf.C45,
        mldf.NO_REUSE,
    )


#: In the order of the book.
BOARDS = {
    "structrf": Board(
        "StructRF (Chen et al. 2018)",
        lambda method: method == "StructRF",
        _open_structrf,
        _claims_of_structrf,
    ),
    "ldlf": Board(
        "LDLF (Shen et al. 2017)",
        lambda method: method == "sLDLF",
        _open_ldlf,
        _claims_of_ldlf,
    ),
    "mslp": Board(
        "MSLP (Peng et al. 2018)",
        lambda method: method == "MSLP",
        _open_mslp,
        _claims_of_mslp,
    ),
    "adaboost_ldl": Board(
        "Adaboost-LDL (Shen et al. 2020)",
        lambda method: method.endswith(", boosted"),
        _open_adaboost,
        _claims_of_adaboost,
    ),
    "mldf": Board(
        "MLDF (Yang et al. 2020)",
        lambda method: method in ("MLDF", mldf.C45),
        _open_mldf,
        _claims_of_mldf,
    ),
}


def agreement_of(name):
    """`confusion_of` a paper's chapter; StructRF's with the regression forest on D beside it."""
    chapter = BOARDS[name].open()
    more = chapter.records.get("criteria")
    return confusion_of(chapter, more[more.method == "RF on D"] if more is not None else None)


def cells_of(chapter, own):
    """Printed cells of a chapter's tables by outcome, each method against its own row.

    Sets that are not the original files, and measures that another one determines, are left out.

    Parameters
    ----------
    own : as of `Board`

    Returns
    -------
    dict: "own" and "rivals" (`Outcomes` of the rows of the paper's method and of the others),
    "not run" (int)
    """
    table = confusion_of(chapter)
    mine = table.index.map(own).to_numpy(bool)
    compared = chapter.compared[~chapter.compared.repeated]
    there = compared[~compared.dataset.isin(chapter.apart)]
    return {
        "own": total(table[mine]),
        "rivals": total(table[~mine]),
        "not run": int(there.within.isna().sum()),
    }


def scoreboard():
    """Cells and claims of every paper.

    Returns
    -------
    DataFrame, a row a paper: paper, own and rivals (`Outcomes`), not run, and the number of the
    paper's claims by verdict
    """
    rows = []
    for board in BOARDS.values():
        chapter = board.open()
        claims = board.claims(chapter)
        verdicts = claims.verdict[~claims.ours].value_counts()
        claims = {f"claims {v}": int(verdicts.get(v, 0)) for v in VERDICTS}
        rows.append({"paper": board.title} | cells_of(chapter, board.own) | claims)
    return pd.DataFrame(rows)


def for_readers(board):
    """`scoreboard` as page one shows it: a row a paper, texts and numbers."""
    both = [own + rivals for own, rivals in zip(board.own, board.rivals, strict=True)]
    return pd.DataFrame(
        {
            "paper": board.paper,
            "its method: cells that agree": [f"{o.agree} of {o.tell}" for o in board.own],
            "its rivals": [f"{o.agree} of {o.tell}" for o in board.rivals],
            "cannot tell": [o.untold for o in both],
            "not run": board["not run"],
            "claims reproduced": board["claims reproduced"],
            "partly": board["claims partly"],
            "not": board["claims not"],
        }
    )


def in_markdown(board):
    """`for_readers` as a table of README.md."""
    shown = for_readers(board)
    lines = [shown.columns, ["---"] * len(shown.columns), *shown.to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
