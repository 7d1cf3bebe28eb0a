"""The tables of the book's page on methods, from the committed records. No network.

    python tools/methods.py

A test compares what is written with the records.
"""

import numpy as np
import pandas as pd

import ldlrepro
from ldlrepro import paths
from ldlrepro.papers import get_paper
from ldlrepro.papers.comparison import matrix
from ldlrepro.papers.comparison.matrix import LEAST, NULLS
from ldlrepro.papers.images.tables import DEEP, LABELS, image_records
from ldlrepro.papers.ldlf.age.tables import ARGMAX, pooled
from ldlrepro.protocols.store import write_whole
from ldlrepro.report.chapter import read

FOLDER = paths.PACKAGE.parent / "book" / "methods"
#: Measure of the skills for multi-label methods; the others have the K-L divergence.
MULTILABEL_MEASURE = "ranking_loss"


def label(name):
    """The target on the page that a class's section has."""
    return f"method-{name.lower()}"


def class_of(method):
    """Name of a method's public class, None without one; of EmbeddingKNN that of the embedding."""
    estimator = method.estimator
    if isinstance(estimator, ldlrepro.EmbeddingKNN):
        estimator = estimator.transformer
    names = (cls.__name__ for cls in type(estimator).__mro__)
    return next((name for name in names if hasattr(ldlrepro, name)), None)


def distributions():
    """Skill by K-L on every data set with label distributions: a row a class, best first."""
    paper = get_paper("comparison")
    experiment, null = paper.experiment("tables"), NULLS["ldl"]
    records, names = matrix.open_matrix(paper, "tables")
    run = set(zip(records.method, records.dataset, strict=True))
    filled = matrix.filled(records, experiment, null)
    table = _skills(filled, null, "kl_divergence", names, run)
    table["seconds of a fit"] = _seconds(matrix.in_time(records, experiment))
    return _one_a_class(table, experiment.methods)


def multilabel():
    """Skill by the ranking loss on the multi-label sets: a row a class, best first."""
    paper = get_paper("comparison")
    records, names = matrix.open_multilabel(paper)
    run = set(zip(records.method, records.dataset, strict=True))
    table = _skills(records, NULLS["multilabel"], MULTILABEL_MEASURE, names, run)
    table["seconds of a fit"] = _seconds(records)
    return _one_a_class(table, paper.experiment("multilabel").methods)


def ages():
    """Skill by K-L and the mean absolute error on FG-Net, persons apart: a row a class."""
    paper = get_paper("ldlf")
    records = read(paper, "age_persons", "paper", ["FG-Net"])
    means = pooled(records, ("kl_divergence", ARGMAX))
    loss = means.kl_divergence
    table = pd.DataFrame(
        {"skill": 1 - loss / loss[NULLS["ldl"]], "mean error, years": means[ARGMAX]}
    )
    table["seconds of a fit"] = _seconds(records)
    return _one_a_class(table, paper.experiment("age_persons").methods)


def photographs():
    """Skill by K-L on the natural scenes, with labels of two kinds: a row a class."""
    paper = get_paper("images")
    records = image_records(paper)
    loss = matrix.means(records, "kl_divergence")
    skill = 1 - loss / loss.loc[NULLS["ldl"]]
    table = pd.DataFrame({f"labels {name}": skill[name] for name in LABELS.values()})
    table.insert(0, "skill", table.mean(axis=1))
    table["learns from"] = ["pixels" if m in DEEP else "features" for m in table.index]
    table["seconds of a fit"] = _seconds(records)
    return _one_a_class(table, [m for e in paper.experiments for m in e.methods])


def _skills(records, null, measure, names, run):
    """Mean over families of `matrix.skill`, each at least `LEAST`, and the best and the worst.

    ``run`` holds the (method, data set) pairs that have records of their own.
    """
    skills = matrix.skill(records, null, measure)
    mean = matrix.by_families(skills.clip(lower=LEAST)).mean(axis=1)
    own = pd.DataFrame([[(m, d) in run for d in skills] for m in skills.index], dtype=bool)
    families = matrix.by_families(skills.where(own.to_numpy()))
    table = pd.DataFrame({"skill": mean})
    for head, where in (
        ("best on", families.idxmax(axis=1)),
        ("worst on", families.idxmin(axis=1)),
    ):
        table[head] = [
            f"{_short(names.get(f, f))} {families.at[m, f]:z.2f}" for m, f in where.items()
        ]
    table.loc[null, ["best on", "worst on"]] = ""  # 0 on all
    return table


def _short(name):
    """A data set's name without what stands in brackets."""
    return name.split(" (")[0]


def _seconds(records):
    """Seconds of a fit, by method: the geometric mean over families of the median."""
    time = records.groupby(["method", "dataset"], sort=False).fit_seconds.median().unstack()
    return np.exp(matrix.by_families(np.log(time)).mean(axis=1))


def _one_a_class(table, methods):
    """Of each class the row of the highest skill, as it is written; the best class first."""
    classes = {m.name: class_of(m) for m in methods}
    table = table[[classes[m] is not None for m in table.index]]
    table = table.sort_values("skill", ascending=False, kind="stable")
    found = [classes[m] for m in table.index]
    table["class"] = [f"{{py:class}}`~ldlrepro.{name}`" for name in found]
    table.index = [f"{{ref}}`{m} <{label(c)}>`" for m, c in zip(table.index, found, strict=True)]
    table = table[~table["class"].duplicated()].rename_axis("method")
    head = "seconds of a fit"
    table[head] = [
        np.format_float_positional(s, 2, fractional=False, trim="-") for s in table[head]
    ]
    return table


TABLES = {f.__name__: f for f in (distributions, multilabel, ages, photographs)}


def text(table):
    """A table as the lines of its file."""
    return table.to_csv(float_format="{:z.2f}".format, lineterminator="\n")


def main():
    """Write the tables."""
    FOLDER.mkdir(exist_ok=True)
    for name, make in TABLES.items():
        write_whole(FOLDER / f"{name}.csv", text(make()))


if __name__ == "__main__":
    main()
