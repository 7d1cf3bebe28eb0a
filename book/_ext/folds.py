"""Sphinx extension: what only a sceptic needs opens with a click."""

from docutils import nodes

#: A page with this section is a chapter.
MARK = "Does it hold?"
#: Sections of a chapter that are open.
OPEN = {
    "The method",
    MARK,
    "Why some numbers differ",
    "Is the idea what helps?",
    "Try it",
}
#: Sections that open with a click on other pages.
FOLDED = {"Every number and test", "What was left out", "How these numbers were made"}


def fold(app, doctree, docname):
    """Put all but the first paragraph of some sections into an element that opens."""
    if app.builder.format != "html":
        return
    sections = [s for top in doctree.findall(is_top) for s in top.children if is_section(s)]
    titles = [section.next_node(nodes.title).astext() for section in sections]
    folded = set(titles) - OPEN if MARK in titles else FOLDED
    for section, title in zip(sections, titles, strict=True):
        if title in folded:
            fold_one(section)


def is_section(node):
    """Whether a node is a section."""
    return isinstance(node, nodes.section)


def is_top(node):
    """Whether a node is the section of the page's title."""
    return is_section(node) and isinstance(node.parent, nodes.document)


def fold_one(section):
    """Put what follows the first paragraph of a section into <details>."""
    at = next(i for i, child in enumerate(section) if isinstance(child, nodes.title)) + 1
    at += at < len(section) and isinstance(section[at], nodes.paragraph)
    inside = section[at:]
    if not inside:
        return
    opening = f"<details class='section-fold'><summary>{contents(inside)}</summary>"
    section[at:] = [raw(opening), *inside, raw("</details>")]


def contents(inside):
    """What a fold holds, in words."""
    tables = figures = 0
    for node in inside:
        figures += len(list(node.findall(nodes.figure)))
        for output in node.findall(nodes.raw):
            tables += output.astext().count("class='ldl'")
        tables += len(list(node.findall(nodes.table)))
    found = [
        f"{count} {word}{'s' if count > 1 else ''}"
        for count, word in ((tables, "table"), (figures, "figure"))
        if count
    ]
    return "Show " + (" and ".join(found) if found else "the text")


def raw(text):
    """A piece of HTML."""
    return nodes.raw("", text, format="html")


def setup(app):
    """Called by Sphinx."""
    app.connect("doctree-resolved", fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
