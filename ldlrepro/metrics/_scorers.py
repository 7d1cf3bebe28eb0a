"""scikit-learn's scorers for the measures: for `cross_val_score` and `GridSearchCV`."""

from sklearn.metrics import make_scorer

from ldlrepro.errors import unknown


def scorer(name, measures, function):
    """Scorer of a measure, larger is better; a loss has "neg_" before its name.

    Parameters
    ----------
    name : str
        "intersection", "neg_kl_divergence" and so on.
    measures : dict of Measure
        Measures by name.
    function : callable
        Gives the function of a measure by its name.

    Raises
    ------
    UnknownNameError
        No such measure, or a loss without "neg_".
    """
    known = {("" if m.greater_is_better else "neg_") + n: m for n, m in measures.items()}
    if not isinstance(name, str) or name not in known:
        raise unknown("scorer", name, known)
    measure = known[name]
    return make_scorer(
        function(measure.name),
        greater_is_better=measure.greater_is_better,
        response_method="predict",
    )
