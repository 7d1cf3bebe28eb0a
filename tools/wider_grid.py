"""What more penalty would do where python-ldl's tuned methods choose the strongest of their grid.

    python tools/wider_grid.py [--dataset NAME ...]

Fits the last point of each grid, and the same with ten and a hundred times its penalty, on the
training part of the first fold, with features as given and scaled. Writes the K-L on the
validation and on the test part to ldlrepro/papers/later/wider_grid.csv. Needs the data and the
extra ``guests``.
"""

import argparse
import time

import numpy as np
import pandas as pd
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from ldlrepro import datasets
from ldlrepro.metrics import kl_divergence
from ldlrepro.papers.later.experiments import TIMES, TUNED, WIDER_GRID
from ldlrepro.protocols import environment, job
from ldlrepro.protocols.split import partition
from ldlrepro.protocols.store import write_whole


def tried(dataset):
    """Yield a row a method, times its penalty and kind of features."""
    data = datasets.load(dataset)
    train, validation, test = partition(TUNED, len(data.X), TUNED.folds)[0]
    for method in TUNED.methods:
        last = method.grid["parameters"][-1]
        for times in TIMES if last else ():
            for scale in method.grid["scale"]:
                parameters = {name: times * value for name, value in last.items()}
                model = clone(method.estimator)
                model.set_params(scale=scale, parameters=parameters)
                model.set_params(random_state=job.seed_of(TUNED, 0))
                row = {"dataset": dataset, "method": method.name, "times": times}
                row |= {"scale": scale or "", "validation": np.nan, "test": np.nan}
                try:
                    model.fit(data.X[train], data.D[train])
                    for part, rows in (("validation", validation), ("test", test)):
                        row[part] = kl_divergence(data.D[rows], model.predict(data.X[rows]))
                except IndexError:  # of the line search
                    pass
                yield row | {"machine": environment.machine(), "date": time.strftime("%Y-%m-%d")}


def main():
    """Fit all, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", action="append")
    options = parser.parse_args()
    rows = []
    with threadpool_limits(1):
        for dataset in options.dataset or TUNED.datasets:
            for row in tried(dataset):
                rows.append(row)
                print(*row.values(), flush=True)
    table = pd.DataFrame(rows).round({"validation": 6, "test": 6})
    write_whole(WIDER_GRID, table.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    main()
