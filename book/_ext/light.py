"""Sphinx extension: lighter pages, by pictures in a palette and by MathJax without its menu."""

from pathlib import Path

from PIL import Image


def shrink(app, error):
    """Write each PNG again where a palette makes it smaller; colours are not dithered."""
    if error or app.builder.format != "html":
        return
    for path in Path(app.outdir, "_images").glob("*.png"):
        with Image.open(path) as picture:
            if picture.mode == "P":
                continue
            few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        small = path.with_suffix(".small")
        few.save(small, format="png", optimize=True)
        if small.stat().st_size < path.stat().st_size:
            small.replace(path)
        else:
            small.unlink()


def light_mathjax(app, config):
    """Let MathJax load the parts that `mathjax3_config` names; its menu is a third of the whole."""
    config.mathjax_path = "mathjax/startup.js"


def setup(app):
    """Connect to Sphinx."""
    app.connect("config-inited", light_mathjax, priority=900)
    app.connect("build-finished", shrink)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
