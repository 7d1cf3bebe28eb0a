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
"""


def tables(found):
    """HTML of a `Comparison`: skill, means, ranks, and each of your methods against the others."""
    label = MEASURES[found.main].label
    parts = [f"<p>{escape(line)}</p>" for line in found.said()]
    table = found.table().rename_axis("method")
    if len(found.names) == 1:
        summary = found.summary()[["gain", "p"]].rename_axis("method")
        summary.insert(1, label, table.iloc[:, 0])
        caption = (
            f"Gain: share of {found.null}'s loss removed. {label}: mean±standard deviation over "
            "the folds. p: below 0.05 a method is significantly worse than the first (corrected "
            "t-test, Holm)"
        )
        form = {"gain": "{:.3f}", label: "{:.4f}", "p": "{:.3f}"}
        parts.append(_wide(show(summary, caption, form=form)))
    else:
        skill = found.skill().rename(columns=found.names).rename_axis("method")
        caption = f"Share of {found.null}'s loss removed ({label}); 1 is perfect, 0 learns nothing"
        parts.append(_wide(show(skill, caption, form="{:.3f}")))
        caption = f"{label}: mean±standard deviation over the folds"
        parts.append(_wide(show(table, caption, form="{:.4f}")))
    for dataset, shown in found.names.items():
        caption = f"All measures on {shown}: means over the folds"
        frame = found.measures_table(dataset).rename_axis("method")
        parts.append(_wide(show(frame, caption, form="{:.4f}")))
    for name in found.mine or [found.skill().index[0]]:
        caption = f"{name} against the others, by {label}; Holm and BH count all tests of the table"
        parts.append(_wide(show(found.against(name), caption, False, form="{:+.1%}")))
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
    text = (
        "<!doctype html><html lang='en'><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>Methods on {escape(names)}</title><style>{_STYLE}</style>"
        f"<h1>Methods on {escape(names)}</h1>"
        f"<p>{_protocol(found)} <a download='records.csv' href='data:text/csv;base64,"
        f"{_base64(records.getvalue().encode())}'>Every fit as CSV</a>.</p>"
        f"{pictures[0]}{tables(found)}{pictures[1]}{pictures[2]}</html>"
    )
    write_whole(paths.target(path), text)


def _protocol(found):
    folds = found.records.groupby(["dataset", "method"]).fold.nunique()
    number = f"{folds.min()}" if folds.min() == folds.max() else f"{folds.min()} to {folds.max()}"
    test = f"A difference is significant where the corrected t-test has p below {LEVEL:.0%}"
    return f"Means over {number} folds. {test}."


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
