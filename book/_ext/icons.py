"""Sphinx extension: the theme's 1.5 MB of icons become those that the pages use."""

import re
from pathlib import Path

#: One icon: name, width, height, other names, code point, outline (or two).
_ICON = re.compile(r'"?([\w-]+)"?:\[\d+,\d+,\[([^\]]*)\],"[0-9a-f]*",(?:"[^"]*"|\[[^\]]*\])\],?')


def trimmed(script, used):
    """The script of icons without those whose names, or other names, are not in ``used``."""

    def kept(icon):
        names = {icon[1], *re.findall(r"[\w-]+", icon[2])}
        return icon[0] if names & used else ""

    return _ICON.sub(kept, script)


def trim(app, error):
    """Leave out the icons that no page and no script of the theme names."""
    static = Path(app.outdir) / "_static"
    scripts = [p for p in static.rglob("*.js") if p.name != "fontawesome.js"]
    files = [*Path(app.outdir).rglob("*.html"), *scripts]
    used = {
        name
        for file in files
        for name in re.findall(r"fa-([a-z0-9-]+)", file.read_text(encoding="utf-8"))
    }
    for path in static.rglob("fontawesome.js"):
        path.write_text(trimmed(path.read_text(encoding="utf-8"), used), encoding="utf-8")


def setup(app):
    """Called by Sphinx."""
    app.connect("build-finished", trim)
    return {"parallel_read_safe": True}
