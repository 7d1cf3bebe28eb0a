"""The book as it was built: links lead somewhere, nothing comes from the network, all have names.

Run by ``make pages``, after ``make book``.
"""

import re
import shlex
from collections import Counter
from functools import cache
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from ldlrepro import paths
from ldlrepro.papers import get_paper

HTML = paths.PACKAGE.parent / "_build" / "html"
#: All but index.html, which only leads to the first page.
PAGES = {*HTML.glob("*.html"), *HTML.glob("[!_]*/**/*.html"), *HTML.glob("_modules/**/*.html")}
PAGES = sorted(PAGES - {HTML / "index.html"})
CHAPTERS = ["structrf", "ldlf", "mslp", "adaboost_ldl", "mldf"]
MEGABYTE = 2**20

pytestmark = pytest.mark.skipif(not PAGES, reason="the book is not built: make book")


@cache
def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(path):
    return {tag["id"] for tag in soup(path).find_all(id=True)}


#: Kinds of <link> that a browser loads with the page.
LOADED = {"stylesheet", "icon", "preload", "shortcut"}


def references(path):
    """Addresses that a page names: (tag, address)."""
    for tag in soup(path).find_all(["a", "img", "link", "script", "source", "iframe"]):
        address = tag.get("href") or tag.get("src")
        if address:
            yield tag, address


def loaded(tag):
    """Whether the browser loads what a tag names, unasked."""
    return tag.name != "a" and (tag.name != "link" or LOADED & set(tag.get("rel", [])))


def to_file(page, address):
    """The file of an address of the book."""
    path = unquote(urlsplit(address).path)
    found = (page.parent / path).resolve() if path else page
    return found / "index.html" if found.is_dir() else found


def everywhere(found):
    """Findings of all pages, those of the first few in words."""
    assert not found, f"{len(found)}: {found[:8]}"


def test_links_and_anchors_lead_somewhere():
    lost = []
    for page in PAGES:
        for _tag, address in references(page):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = to_file(page, address)
            if not target.exists():
                lost.append((page.name, address))
            elif parts.fragment and target.suffix == ".html":
                if unquote(parts.fragment) not in anchors(target):
                    lost.append((page.name, address))
    everywhere(lost)


def test_nothing_is_loaded_from_the_network():
    everywhere(
        [
            (page.name, address)
            for page in PAGES
            for tag, address in references(page)
            if loaded(tag) and urlsplit(address).scheme in ("http", "https")
        ]
    )


def test_a_page_is_under_3_megabytes_and_the_book_under_120():
    size = {path: path.stat().st_size for path in HTML.rglob("*") if path.is_file()}
    heavy = []
    for page in PAGES:
        files = {to_file(page, address) for tag, address in references(page) if loaded(tag)}
        files |= {HTML / "_static" / "mathjax" / f"{part}.js" for part in of_mathjax(page)}
        total = size[page] + sum(size.get(path, 0) for path in files)
        if total > 3 * MEGABYTE:
            heavy.append((page.name, total))
    everywhere(heavy)
    # The archive stands beside the pages, not among them.
    assert sum(size.values()) < 120 * MEGABYTE


def of_mathjax(page):
    """What MathJax's own loader brings to a page, beside the file that the page names."""
    text = page.read_text(encoding="utf-8")
    if "/mathjax/startup.js" not in text:
        return set()
    (named,) = re.findall(r'"load": \[(.*?)\]', text)
    return {"core", "loader", "output/chtml/fonts/tex", *re.findall(r'"(.*?)"', named)}


def test_numbers_of_equations_stand_where_mathjax_takes_them():
    """Sphinx puts an equation with two lines into `split`, which takes no number."""
    texts = ((p.name, m.get_text()) for p in PAGES for m in soup(p).select("div.math"))
    everywhere([t for t in texts if "\\tag" in t[1] and "\\begin{split}" in t[1]])


def test_figures_say_what_they_show():
    everywhere(
        [
            (page.name, image.get("alt"))
            for page in PAGES
            for image in soup(page).find_all("img")
            if len(image.get("alt", "").split()) < 2 or "/" in image["alt"]
        ]
    )


def test_ids_are_unique_and_pages_have_one_title():
    twice, untitled = [], []
    for page in PAGES:
        count = Counter(tag["id"] for tag in soup(page).find_all(id=True))
        twice += [(page.name, one) for one, times in count.items() if times > 1]
        if not (soup(page).title and soup(page).html.get("lang")):
            untitled.append(page.name)
        if page.name not in ("genindex.html", "search.html"):
            if len(soup(page).select("article h1")) != 1:
                untitled.append(page.name)
    everywhere(twice)
    everywhere(untitled)


def test_fields_and_buttons_have_names():
    nameless = []
    for page in PAGES:
        for tag in soup(page).find_all(["input", "button", "select", "summary"]):
            said = tag.get("aria-label") or tag.get("title") or tag.get("placeholder")
            if tag.get("type") == "hidden" or said or tag.get_text(strip=True):
                continue
            # ldlrepro.js gives the theme's toggles their name.
            if tag.find_parent("label") is None and tag.select_one(".toctree-toggle") is None:
                nameless.append((page.name, str(tag)[:80]))
    everywhere(nameless)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_sections_of_chapters_open_and_hold_what_they_say(chapter):
    page = soup(HTML / "notebooks" / f"{chapter}.html")
    folds = page.select("details.section-fold")
    assert len(folds) >= 5
    for fold in folds:
        said = fold.summary.get_text()
        tables, figures = len(fold.find_all("table")), len(fold.find_all("figure"))
        assert fold.find_parent("section").find("h2") is not None
        assert said == "Show the text" or any(word in said for word in ("table", "figure"))
        assert ("table" in said) == bool(tables), said
        assert ("figure" in said) == bool(figures), said
    for title in ("The method", "Does it hold?", "Why some", "Is the idea", "Try it"):
        heading = next(h for h in page.find_all("h2") if h.get_text().startswith(title))
        assert heading.find_parent("details") is None
        assert heading.parent.select_one("details.section-fold") is None


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_command_of_a_cell_names_what_is_declared(chapter):
    """What ldlrepro.js puts together: the row's run and a data set of the table."""
    tables = soup(HTML / "notebooks" / f"{chapter}.html").select("table[data-datasets]")
    assert tables
    unknown = []
    for table in tables:
        for row in table.tbody.find_all("tr"):
            paper, _option, experiment, _option, method = shlex.split(row.th["data-run"])
            declared = get_paper(paper).experiment(experiment)
            for cell, dataset in zip(row.find_all("td"), of_cells(table), strict=True):
                if cell.get_text() == "not run":
                    continue
                there = {one.name for one in declared.methods_on(dataset)}
                if dataset not in declared.datasets or method not in there:
                    unknown.append((paper, experiment, dataset, method))
    everywhere(unknown)


def of_cells(table):
    """The data set of each cell of a row."""
    names, columns = table["data-datasets"].split(), len(table.thead.find_all("th")) - 1
    return names if len(names) > 1 else names * columns
