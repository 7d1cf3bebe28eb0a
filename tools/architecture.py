"""The picture of the package's layers, from the table in book/architecture.md.

    python tools/architecture.py

tests/test_layers.py holds the imports to the same table, and the picture to what this makes of it.
"""

import re
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "book" / "architecture.md"
PICTURE = ROOT / "book" / "_static" / "architecture.svg"
_WIDTH, _HEIGHT, _GAP, _LEFT = 720, 44, 10, 150


def layers():
    """(layer, name, modules, what it does) of each row of the table, the top layer first."""
    row = re.compile(r"^\| (\d) \| \*\*(.+?)\*\* \| (.+?) \| (.+?) \|$", re.M)
    rows = row.findall(PAGE.read_text(encoding="utf-8"))
    return [(int(n), name, re.findall(r"`([\w.]+)`", m), words) for n, name, m, words in rows]


def svg():
    """The layers as boxes; the modules of one stand in its box."""
    boxes, top = [], _GAP
    for _, name, modules, _ in layers():
        lines = _wrapped(modules)
        height = _HEIGHT + 18 * (len(lines) - 1)
        text = "".join(
            f'<text x="{_LEFT}" y="{top + 27 + 18 * i}" class="m">{escape(line)}</text>'
            for i, line in enumerate(lines)
        )
        boxes.append(
            f'<rect x="1" y="{top}" width="{_WIDTH - 2}" height="{height}" rx="6"/>'
            f'<text x="14" y="{top + 27}" class="n">{escape(name)}</text>{text}'
        )
        top += height + _GAP
    style = (
        "rect{fill:#1f6f8b;fill-opacity:.12;stroke:#1f6f8b}text{fill:#222;font-family:sans-serif}"
        ".n{font-size:15px;font-weight:bold}.m{font-size:14px}"
        "@media(prefers-color-scheme:dark){text{fill:#ddd}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top}" role="img" '
        f'aria-label="Layers of the package: each imports from those below it">'
        f"<style>{style}</style>{''.join(boxes)}</svg>\n"
    )


def _wrapped(modules, most=62):
    lines = [""]
    for name in modules:
        if len(lines[-1]) + len(name) > most:
            lines.append("")
        lines[-1] += ("   " if lines[-1] else "") + name
    return lines


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
