"""Words and sentences of the book's pages as a reader sees them: folded parts do not count.

    python tools/words.py              every chapter and page
    python tools/words.py structrf     one, with its longest sentences

It reads the built pages (`make book`). Tables, code, output, mathematics and captions of figures do
not count. The method sections of chapters stand in a column of their own.
"""

import re
import sys
from pathlib import Path

from bs4 import BeautifulSoup

HTML = Path(__file__).parents[1] / "_build" / "html"
#: What is no prose, or opens only with a click.
LEFT_OUT = "details, table, pre, .cell_output pre, .math, script, style, nav, .admonition.dropdown"
LEFT_OUT += ", .ldl, .docutils.caption, .prev-next-area, .headerlink, figure, .toctree-wrapper"
LONG = 35


def sentences(node):
    """Sentences of the paragraphs and items of a part of a page."""
    found = []
    for block in node.find_all(["p", "li", "dd"]):
        if block.find(["p", "li"]):  # its parts count
            continue
        text = " ".join(block.get_text().split())
        found += [s for s in re.split(r"(?<=[.!?:])\s+(?=[A-Z“\"(0-9])", text) if s]
    return found


def page(name):
    """(sentences outside the method section, sentences of the method section) of a page."""
    (path,) = [p for p in HTML.glob(f"*/{name}.html")]
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    article = soup.select_one("article")
    for one in article.select(LEFT_OUT):
        one.extract()
    method = [s.extract() for s in article.select("section") if heading(s) == "The method"]
    return sentences(article), [s for one in method for s in sentences(one)]


def heading(section):
    """The title of a section."""
    title = section.find(["h1", "h2", "h3"])
    return title.get_text().strip() if title else ""


def main(names):
    """Print a line a page; for a single one its longest sentences too."""
    print(f"{'page':18}{'words':>7}{'method':>8}{'words a sentence':>18}{f'over {LONG}':>9}")
    for name in names:
        text, method = page(name)
        lengths = [len(s.split()) for s in text]
        mean = sum(lengths) / max(len(lengths), 1)
        words = sum(len(s.split()) for s in method)
        long = sum(n > LONG for n in lengths)
        print(f"{name:18}{sum(lengths):7}{words:8}{mean:18.1f}{long:9}")
        if len(names) == 1:
            for one in sorted(text, key=lambda s: -len(s.split()))[:20]:
                print(f"\n{len(one.split())}: {one}")


if __name__ == "__main__":
    every = [
        p.stem for folder in ("notebooks", "book") for p in sorted(HTML.glob(f"{folder}/*.html"))
    ]
    main(sys.argv[1:] or every)
