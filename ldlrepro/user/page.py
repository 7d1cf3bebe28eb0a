"""A comparison as one HTML page that needs no other file."""

import base64
import io
import warnings
from html import escape

from ldlrepro import paths
from ldlrepro.metrics import MEASURES
from ldlrepro.protocols.store import write_whole
from ldlrepro.report.compare import LEVEL, family
from ldlrepro.report.plots import plt, style, with_names
from ldlrepro.report.tables import show
from ldlrepro.report.values import in_text
from ldlrepro.user import text

_STYLE = """
:root { color-scheme: light dark; --line: #8884; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
.wide { overflow-x: auto; margin: 1.5rem 0; }
.title, summary { font-weight: 600; }
.links { font-size: .85rem; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .6rem 0 .3rem; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-top: 1px solid var(--line); }
th:first-child, td:first-child { position: sticky; left: 0; background: Canvas; }
img, svg { max-width: 100%; height: auto; background: #fff; }
figure { margin: 1.5rem 0; overflow-x: auto; }
@media (max-width: 600px) { figure img, figure svg { max-width: none; width: 40rem; } }
"""


def tables(found):
    """HTML of a `Comparison`: skill, means, ranks, and each of your methods against the others."""
    label = MEASURES[found.main].label
    parts = [f"<p>{escape(line)}</p>" for line in (found.about, *found.said()) if line]
    if len(found.names) == 1:
        summary, lines = text.summary(found)
        parts.append(_wide(show(summary.rename_axis("method"), "The best method first")))
        parts.append(f"<p>{'<br>'.join(map(escape, lines))}</p>")
    else:
        skill = found.skill().rename(columns=found.names).rename_axis("method")
        caption = f"Share of {found.null}'s loss removed ({label}); 1 is perfect, 0 learns nothing"
        parts.append(_wide(show(skill, caption, form="{:.3f}")))
        caption = f"{label}: mean±standard deviation over the folds"
        parts.append(_wide(show(found.table().rename_axis("method"), caption, form="{:.4f}")))
    larger = in_text([MEASURES[m].label for m in found.measures if MEASURES[m].greater_is_better])
    for dataset, shown in found.names.items():
        caption = f"All measures on {shown}: means over the folds. Larger is better for {larger}"
        frame = found.measures_table(dataset).rename_axis("method")
        parts.append(_wide(show(frame, caption, form="{:.4f}")))
    best = [found.skill().index[0]] if len(found.names) > 1 else []
    for name in found.mine or best:
        caption = f"{name} against the others, by {label}"
        several = "Holm and BH count all tests of the table"
        caption += f"; {several if len(found.names) > 1 else text.DIFFER}"
        parts.append(_wide(show(text.against(found, name), caption, False)))
    if len(found.names) > 1:
        ranks = found.ranks()
        groups = len({family(d) for d in found.names})
        caption = f"Average ranks by {label} over {groups} groups of related data sets"
        frame = ranks.rename("rank").rename_axis("method").reset_index()
        parts.append(_wide(show(frame, caption, False, form="{:.2f}")))
    time = found.records.groupby(["method", "dataset"], sort=False).fit_seconds.median().unstack()
    time = time.rename(columns=found.names).rename_axis("method")
    parts.append(_wide(show(time, "Seconds of a fit, median over the folds", form="{:.3f}")))
    return "".join(parts)


def write(found, path):
    """Write the page of a `Comparison`: pictures, its `tables`, and all records as CSV."""
    records = io.StringIO()
    found.to_csv(records)
    names = ", ".join(found.names.values())
    share = f"the share of {found.null}'s loss that each method removes"
    # Names are no TeX, and the style is ours alone.
    with plt.rc_context({"text.usetex": False}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # a box is drawn; the tables have the sign
        style()
        pictures = (
            _image(found.picture(), f"Heat map of {share} on {names}"),
            _image(found.folds_picture(), f"Dots of {share}, one for a fold"),
            with_names(found.time_picture(), f"Marks of {share} against seconds of a fit").data,
        )
    captions = (
        "A dot is a fold of a data set, the bar of a method its gain.",
        "A mark is a method. The line joins those that none is both faster and better than. "
        "Diamonds are your methods, and names that are not written show under the pointer.",
    )
    figures = [
        f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"
        for picture, caption in zip(pictures[1:], captions, strict=True)
    ]
    page = (
        "<!doctype html><html lang='en'><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>Methods on {escape(names)}</title><style>{_STYLE}</style>"
        f"<h1>Methods on {escape(names)}</h1>"
        f"<p>{_protocol(found)} <a download='records.csv' href='data:text/csv;base64,"
        f"{_base64(records.getvalue().encode())}'>Every fit as CSV</a>.</p>"
        f"{pictures[0]}{tables(found)}"
        f"{''.join(figures)}</html>"
    )
    write_whole(paths.target(path), page)


def _protocol(found):
    folds = found.records.groupby(["dataset", "method"]).fold.nunique()
    number = f"{folds.min()}" if folds.min() == folds.max() else f"{folds.min()} to {folds.max()}"
    test = f"A difference is significant where the corrected t-test has p below {LEVEL:.0%}"
    return f"Means over {number} folds. {test}; Holm and BH are corrections for several tests."


def _image(figure, alt):
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=110)
    plt.close(figure)
    content = _base64(image.getvalue())
    return f"<img alt='{escape(alt, quote=True)}' src='data:image/png;base64,{content}'>"


def _wide(table):
    return f"<div class='wide'>{table.data}</div>"


def _base64(content):
    return base64.b64encode(content).decode()
