"""Sphinx extension of the API reference: links to chapters.

The families of the reference are the tables of `book/reference/*.md`; from these, autosummary
writes a page for each name at every build.
"""

import inspect
import re
import shutil
from functools import cache
from pathlib import Path

import ldlrepro
from ldlrepro.discovery import all_estimators
from ldlrepro.papers import get_paper, paper_names

BOOK = Path(__file__).parents[1]
PAGES = BOOK / "reference"
GENERATED = PAGES / "generated"

#: Chapters that are no notebooks of their own name.
PAGE_OF = {"images": "book/photographs"}

#: Classes whose chapter has their algorithm in 40 lines: label of its section.
TAUGHT = {
    "StructRF": "structrf-method",
    "LDLForest": "ldlf-method",
    "MSLP": "mslp-method",
    "AdaBoostLDL": "ada-method",
    "MLDF": "mldf-method",
}

#: As numpydoc writes it, with the parentheses around it.
_CITATION = re.compile(r" \([^()]*\[\w+-\d+\]_[^()]*\)| \[\w+-\d+\]_")


def families():
    """Names listed in each page of the reference: {page: [name with its package, ...]}."""
    found = {}
    for page in sorted(PAGES.glob("*.md")):
        text, names, module = page.read_text(encoding="utf-8"), [], None
        for line in text.splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.split()[-1]
            elif entry := re.fullmatch(r"   (\w[\w.]*)", line):
                names.append(f"{module}.{entry[1]}")
        found[page.stem] = names
    return found


@cache
def chapters():
    """Where each estimator is run: {its name: {page of the book: other names of it there}}."""
    found = {}
    for paper in map(get_paper, paper_names()):
        for experiment in paper.experiments:
            page = PAGE_OF.get(paper.name, f"notebooks/{paper.name}")
            page = "book/age" if experiment.name.startswith("age") else page
            if not any((BOOK.parent / page).with_suffix(s).exists() for s in (".ipynb", ".md")):
                continue
            for method in experiment.methods:
                names = list(_estimators(method.estimator))
                for name in names:
                    found.setdefault(name, {}).setdefault(page, [])
                # The innermost has the method's name; a variant's name tells its settings.
                label = method.settings.get("learner", "" if method.settings else method.name)
                if names and label not in ("", names[-1], *found[names[-1]][page]):
                    found[names[-1]][page].append(label)
    return found


def _estimators(estimator):
    """Public names of an estimator's class and of those inside it, from the outside in."""
    for cls in type(estimator).__mro__:
        if getattr(ldlrepro, cls.__name__, None) is cls:
            yield cls.__name__
            break
    for value in estimator.get_params(deep=False).values():
        if hasattr(value, "get_params") and not isinstance(value, type):
            yield from _estimators(value)


def own_signature(app, what, name, thing, options, signature, returns):
    """Of a measure, what its decorator takes: `per_row` too."""
    inner = getattr(thing, "__wrapped__", None)  # `public` wraps all that users call
    if hasattr(inner, "__wrapped__"):
        return str(inspect.signature(inner, follow_wrapped=False)), returns
    return None


def add_chapters(app, what, name, thing, options, lines):
    """Below an estimator: its model in one equation, where the book runs it, under which names."""
    estimator = name.removeprefix("ldlrepro.")
    if what == "class" and estimator in dict(all_estimators()):
        lines += ["", ".. rubric:: In the book", ""]
        lines.append(f"- :ref:`Its model in one equation <method-{estimator.lower()}>`")
        if estimator in TAUGHT:
            text = "Its equations, and its code in 40 lines of NumPy"
            lines.append(f"- :ref:`{text} <{TAUGHT[estimator]}>`")
        for page, shown in chapters().get(estimator, {}).items():
            lines.append(f"- :doc:`/{page}`" + (f", as {', '.join(shown)}" if shown else ""))
        lines.append("")


def without_citations(app, what, name, thing, options, lines):
    """In the table of a family: the references are on the pages."""
    if GENERATED.name not in app.env.docname:
        lines[:] = [_CITATION.sub("", line) for line in lines]


def start_afresh(app, config):
    """Remove pages of names that may be gone, before files outside _toc.yml are excluded."""
    shutil.rmtree(GENERATED, ignore_errors=True)


#: A link from a source back to its page, when viewcode names another module than the page does.
_BACK = re.compile(r"(generated/((?:\w+\.)+)(\w+)\.html#)ldlrepro\.\3\b")


def mend_back_links(app, error):
    """Let links from sources lead to the names that their pages have."""
    for path in (Path(app.outdir) / "_modules").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        path.write_text(_BACK.sub(r"\1\2\3", text), encoding="utf-8")


def setup(app):
    """Connect; docstrings after numpydoc (500)."""
    app.connect("build-finished", mend_back_links)
    app.connect("config-inited", start_afresh, priority=100)
    app.connect("autodoc-process-signature", own_signature)
    app.connect("autodoc-process-docstring", without_citations, priority=600)
    app.connect("autodoc-process-docstring", add_chapters, priority=600)
    return {"parallel_read_safe": True}
