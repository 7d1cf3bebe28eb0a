"""How far rounding alone moves a number: the spread over kernel sets and row orders.

The spreads come from the study of the same name; a difference that is smaller is not interpreted.
"""

import pandas as pd

from ldlrepro import paths


def name_of(estimator):
    """Class of an estimator, with those of the estimators in its parameters."""
    inner = [
        name_of(value)
        for _, value in sorted(estimator.get_params(deep=False).items())
        if hasattr(value, "get_params") and not isinstance(value, type)
    ]
    name = type(estimator).__name__
    return f"{name}({', '.join(inner)})" if inner else name


class Spreads:
    """The stated spreads, as read once from data/results/rounding/spread.csv."""

    def __init__(self):
        path = paths.results() / "rounding" / "spread.csv"
        columns = ["estimator", "dataset", "measure", "spread"]
        self.table = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=columns)
        self._largest = self.table.groupby(["estimator", "dataset", "measure"])["spread"].max()

    def of(self, estimator, dataset):
        """Relative spread of an estimator on a data set: {measure: float}, none where not run."""
        key = name_of(estimator), dataset
        return dict(self._largest.loc[key]) if key in self._largest.index.droplevel(2) else {}
