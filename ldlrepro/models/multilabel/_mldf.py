"""MLDF: the multi-label deep forest, a cascade of forests guided by one measure."""

from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import chain

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from ldlrepro.entrance import public
from ldlrepro.metrics import MULTILABEL
from ldlrepro.models._threads import in_threads
from ldlrepro.models.multilabel._base import MultiLabelEstimator, check_whole
from ldlrepro.models.multilabel._confidence import (
    LABEL_BASED,
    better,
    check_measure,
    log_confidence,
    measure_items,
)
from ldlrepro.models.multilabel._trees import Columns, LabelForest, grow_forest, label_rows

BLOCKS = {"pct": False, "c45": True}  # whether the criterion is the entropy


def reuse(measure, H, G, log_threshold, sort=True):
    """Algorithm 1: H (n, 2c) with the parts of low confidence taken from G, the layer before.

    Both halves of H, one a forest, are replaced together; the confidence is that of their mean.
    """
    low = log_confidence(measure, mean(H), sort) < log_threshold
    if measure in LABEL_BASED:
        return np.where(np.tile(low, 2), G, H)
    return np.where(low[:, None], G, H)


def log_threshold(measure, Y, H, G, sort=True):
    """Algorithm 2: log of the mean confidence where H is worse than the layer before, G.

    -inf, no reuse, where nothing is worse.
    """
    worse = better(measure, measure_items(measure, Y, mean(G)), measure_items(measure, Y, mean(H)))
    if not worse.any():
        return -np.inf
    return logsumexp(log_confidence(measure, mean(H), sort)[worse]) - np.log(worse.sum())


def best_layer(measure, performance, patience, min_gain=0.0):
    """Lines 7 to 12 of Algorithm 3: (L from 1, whether to stop) after these layers."""
    best = 0
    gain = min_gain if MULTILABEL[measure].greater_is_better else -min_gain
    for t in range(1, len(performance)):
        if better(measure, performance[t], performance[best] + gain):
            best = t
    return best + 1, len(performance) - 1 - best >= patience


def mean(H):
    """Mean (n, c) of the two forests' halves of H (n, 2c)."""
    c = H.shape[1] // 2
    return (H[:, :c] + H[:, c:]) / 2


@dataclass
class _Cascade:
    """The layers of one measure: forests (RF, ERF), thresholds and performances."""

    measure: str
    layers: list = field(default_factory=list)
    log_thresholds: list = field(default_factory=list)
    performance: list = field(default_factory=list)
    best: int = 0
    G: np.ndarray | None = None


class _Cascades(BaseEstimator):
    """Growing and walking the cascades of some measures side by side.

    A layer depends on the measure by its input alone: within a layer number, measures whose
    representations are equal share the forests.
    """

    def __init__(
        self,
        *,
        block="pct",
        max_layers=20,
        patience=3,
        n_folds=5,
        n_estimators=40,
        more_estimators=20,
        max_estimators=100,
        more_depth=3,
        reuse=True,
        reuse_from=3,
        sort_scores=True,
        growth=True,
        min_gain=0.0,
        drop_label=None,
        random_state=None,
        n_jobs=None,
    ):
        self.block = block
        self.max_layers = max_layers
        self.patience = patience
        self.n_folds = n_folds
        self.n_estimators = n_estimators
        self.more_estimators = more_estimators
        self.max_estimators = max_estimators
        self.more_depth = more_depth
        self.reuse = reuse
        self.reuse_from = reuse_from
        self.sort_scores = sort_scores
        self.growth = growth
        self.min_gain = min_gain
        self.drop_label = drop_label
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _grow(self, X, Y, measures):
        self._check_parameters(len(X), Y.shape[1])
        rng = check_random_state(self.random_state)
        self._folds = np.array_split(rng.permutation(len(X)), self.n_folds)
        self._seeds = rng.randint(2**31, size=(self.max_layers, 2, self.n_folds))
        columns, labels, truth = Columns(X), label_rows(Y), Y > 0
        rule = self.reuse
        if not callable(rule):
            rule = partial(log_threshold, sort=self.sort_scores)
        cascades = [_Cascade(measure) for measure in measures]
        growing = list(cascades)
        for t in range(1, self.max_layers + 1):
            grown = {}
            for cascade in growing:
                key = _digest(cascade.G)
                if key not in grown:
                    grown[key] = self._layer(t, X, columns, labels, cascade.G)
                layer, H = grown[key]
                threshold, G = -np.inf, H
                if self.reuse and t >= self.reuse_from:
                    threshold = rule(cascade.measure, truth, H, cascade.G)
                    G = reuse(cascade.measure, H, cascade.G, threshold, self.sort_scores)
                items = measure_items(cascade.measure, truth, mean(G))
                items = items[np.isfinite(items)]
                cascade.layers.append(layer)
                cascade.log_thresholds.append(threshold)
                cascade.performance.append(float(items.mean()) if len(items) else float("nan"))
                cascade.G = G
            still = []
            for cascade in growing:
                cascade.best, stop = best_layer(
                    cascade.measure, cascade.performance, self.patience, self.min_gain
                )
                if not (self.growth and (stop or t == self.max_layers)):
                    still.append(cascade)
                else:
                    del cascade.layers[cascade.best :], cascade.log_thresholds[cascade.best :]
            growing = still
        for cascade in cascades:
            cascade.G = None
        del self._folds, self._seeds
        return cascades

    def _layer(self, t, X, columns, labels, G):
        """Grow the forests of layer t: ((RF, ERF), H (n, 2c) out of fold)."""
        n, c = len(X), self.n_labels_
        more = [] if G is None else [self._representation(t, G)]
        Z = np.ascontiguousarray(np.hstack([X, *more]))
        for part in more:
            columns = columns | Columns(part)
        H = np.empty((n, 2 * c))
        n_estimators = self.n_estimators + (t - 1) * self.more_estimators

        def one(forest):
            """The trees of a forest that one fold is left out of; its rows of H."""
            kind, number = forest
            fold = self._folds[number]
            kept = np.ones(n, bool)
            kept[fold] = False
            forest = grow_forest(
                columns,
                labels,
                c,
                np.flatnonzero(kept),
                seed=self._seeds[t - 1, kind, number],
                n_estimators=min(n_estimators, self.max_estimators),
                entropy=BLOCKS[self.block],
                random_cut=kind == 1,
                bootstrap=kind == 0,
                max_depth=self.more_depth * t,
            )
            H[fold, kind * c : (kind + 1) * c] = forest.predict(Z[fold])
            return forest.trees

        each = [(kind, number) for kind in range(2) for number in range(self.n_folds)]
        trees = in_threads(one, each, self.n_jobs)
        halves = trees[: self.n_folds], trees[self.n_folds :]
        forests = [LabelForest(list(chain.from_iterable(half)), c) for half in halves]
        return forests, H

    def _representation(self, t, G):
        """What layer t gets of the representation before it."""
        if t != 2 or self.drop_label is None:
            return G
        return np.delete(G, [self.drop_label, self.drop_label + self.n_labels_], axis=1)

    def _walk(self, X, cascade, walked):
        """Yield the scores (n, c) after each layer; ``walked`` keeps what equal inputs share."""
        G = None
        for t, (forests, threshold) in enumerate(
            zip(cascade.layers, cascade.log_thresholds, strict=True), 1
        ):
            key = id(forests), _digest(G)
            if key not in walked:
                Z = X if G is None else np.hstack([X, self._representation(t, G)])
                walked[key] = np.hstack([forest.predict(Z) for forest in forests])
            H = walked[key]
            if G is not None:
                H = reuse(cascade.measure, H, G, threshold, self.sort_scores)
            G = H
            yield mean(G)

    def _check_parameters(self, n, c):
        least = dict.fromkeys(
            ("max_layers", "patience", "n_estimators", "max_estimators", "more_depth"), 1
        )
        check_whole(self, least | {"n_folds": 2, "more_estimators": 0})
        if not self.min_gain >= 0:
            raise ValueError(f"min_gain is {self.min_gain!r}: expected 0 or more.")
        if self.n_folds > n:
            raise ValueError(
                f"n_folds={self.n_folds} with n_samples={n}: more folds than rows; "
                f"set n_folds to at most {n}."
            )
        if self.block not in BLOCKS:
            raise ValueError(f"block is {self.block!r}: expected one of {', '.join(BLOCKS)}.")
        if self.drop_label is not None and not 0 <= self.drop_label < c:
            raise ValueError(f"drop_label is {self.drop_label!r}: labels are 0 to {c - 1}.")


def _digest(G):
    return None if G is None else blake2b(np.ascontiguousarray(G)).digest()


class MLDF(_Cascades, MultiLabelEstimator):
    """Multi-label deep forest: layers of forests, guided by one measure.

    Every layer holds a random forest and an extremely random forest; it sees the features and the
    label scores of the layer before. Where the scores are of low confidence the earlier ones are
    kept, and layers are added as long as the measure gets better on the training rows.

    Parameters
    ----------
    measure : str
        "hamming_loss", "one_error", "coverage", "ranking_loss", "average_precision" or "macro_auc",
        which confidence and growth follow.
    block : {"pct", "c45"}
        Forests of a layer: RFPCT and ERFPCT, or RFMLC45 and ERFMLC45.
    max_layers : int >= 1
        T of Algorithm 3.
    patience : int >= 1
        Layers without a better measure after which growth stops.
    n_folds : int >= 2
        Folds of the out-of-fold representations.
    n_estimators : int >= 1
        Trees of a forest in the first layer (a fold each).
    more_estimators : int >= 0
        Trees more in each further layer.
    max_estimators : int >= 1
        Up to this many.
    more_depth : int >= 1
        Layer t has trees of depth t times this.
    reuse : bool or callable
        Whether to reuse the layer before (Algorithms 1 and 2); or a function in place of
        Algorithm 2, called as ``log_threshold``.
    reuse_from : int >= 2
        The first layer that may reuse (Algorithm 3: 3; released code: 2).
    sort_scores : bool
        Whether confidences sort the scores first, as Table 2 has it; False takes them by the
        columns, as released code does.
    growth : bool
        Whether to stop by Algorithm 3; False keeps all ``max_layers`` layers.
    min_gain : float >= 0
        By more than this a layer must better the measure (released code: 1e-4).
    drop_label : int or None
        A label whose scores the second layer does not see (section 4.5).
    random_state : int, RandomState or None
        Seeds what is drawn.
    n_jobs : int or None
        Threads of ``fit``; the forests of a layer are grown side by side. Numbers do not depend on
        it.

    Attributes
    ----------
    n_layers_ : int
        Layers kept.
    layer_index_ : int
        From 1: L of Algorithm 3, which is ``n_layers_``; with ``growth=False`` the best, on the
        training rows, of all layers grown (the first of equals), without patience.
    performance_ : list of float
        The measure on the training rows after every layer grown.
    thresholds_ : (``n_layers_``,) float64
        Of the confidence, 0 for no reuse.

    Raises
    ------
    UnknownNameError
        In ``fit``, for another measure; it lists the six.
    ValueError
        In ``fit``, for a parameter out of range, as more folds than rows.

    See Also
    --------
    MLDFSuite : All six measures at once.
    RFPCT : The forests of a layer, with `ERFPCT`.

    Notes
    -----
    Yang, Wu, Jiang and Zhou 2020 [1]_, Algorithms 1-3, Table 2 and the settings of section 4.1.
    Scores are the mean over the two forests of layer L's representation G, with ``growth=False`` of
    the last layer's.

    What the paper leaves open: new rows go through all ``n_folds`` forests of a block, averaged;
    the rows are parted into folds once, for all layers; the extremely random forest sees all rows,
    the other bootstrap samples; a layer is "worse" for a row or label where the measure on H is
    worse than on G of the layer before, which is what would be reused. As printed (Algorithm 3,
    line 5) thresholds are determined from the third layer on.
    Confidences of label-based measures run over the rows predicted together: scores for hamming
    loss and macro-AUC depend on the other rows of X, and macro-AUC's confidence on their number.

    A label that no training row has gets the score 0, one that all have 1.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020.

    Examples
    --------
    >>> from ldlrepro import MLDF, datasets
    >>> data = datasets.make_standin("yeast", 60, random_state=0)  # synthetic
    >>> model = MLDF("one_error", n_estimators=5, max_layers=3, random_state=0)
    >>> model = model.fit(data.X, data.Y)
    >>> model.n_layers_ <= 3
    True
    """

    def __init__(
        self,
        measure="hamming_loss",
        *,
        block="pct",
        max_layers=20,
        patience=3,
        n_folds=5,
        n_estimators=40,
        more_estimators=20,
        max_estimators=100,
        more_depth=3,
        reuse=True,
        reuse_from=3,
        sort_scores=True,
        growth=True,
        min_gain=0.0,
        drop_label=None,
        random_state=None,
        n_jobs=None,
    ):
        self.measure = measure
        super().__init__(
            block=block,
            max_layers=max_layers,
            patience=patience,
            n_folds=n_folds,
            n_estimators=n_estimators,
            more_estimators=more_estimators,
            max_estimators=max_estimators,
            more_depth=more_depth,
            reuse=reuse,
            reuse_from=reuse_from,
            sort_scores=sort_scores,
            growth=growth,
            min_gain=min_gain,
            drop_label=drop_label,
            random_state=random_state,
            n_jobs=n_jobs,
        )

    def _fit(self, X, Y):
        check_measure(self.measure)
        (self.cascade_,) = self._grow(X, Y, [self.measure])
        self.n_layers_ = len(self.cascade_.layers)
        self.layer_index_ = self.cascade_.best
        self.performance_ = self.cascade_.performance
        self.thresholds_ = np.exp(self.cascade_.log_thresholds)

    def _predict_proba(self, X):
        for P in self._walk(X, self.cascade_, {}):
            last = P
        return last

    @public
    def staged_predict_proba(self, X):
        """Yield the scores (n, c) after each kept layer; X (n, q), errors as in predict_proba."""
        yield from self._walk(self._check_new(X), self.cascade_, {})


class MLDFSuite(_Cascades, MultiLabelEstimator):
    """MLDF [1]_ for each of the six measures at once, sharing the layers that are equal.

    The scores are those of six `MLDF` with this ``random_state``. The first layers do not depend on
    the measure and are grown once, and without reuse all layers are.

    Parameters
    ----------
    block, max_layers, patience, n_folds, n_estimators, more_estimators
        As for `MLDF`.
    max_estimators, more_depth, reuse, reuse_from, sort_scores
        As for `MLDF`.
    growth, min_gain, drop_label, random_state, n_jobs
        As for `MLDF`.

    Attributes
    ----------
    cascades_ : list
        For each measure: ``measure``, ``best`` (as ``layer_index_`` of `MLDF`), ``performance``
        (list of float) and the kept ``layers``.

    See Also
    --------
    MLDF : For one measure, with its parameters told.

    Notes
    -----
    ``predict_proba`` and ``predict`` are those for hamming loss. As in `MLDF`, a label that no
    training row has gets the score 0, one that all have 1.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020.

    Examples
    --------
    >>> from ldlrepro import MLDFSuite, datasets
    >>> data = datasets.make_standin("yeast", 60, random_state=0)  # synthetic
    >>> model = MLDFSuite(n_estimators=5, max_layers=2, random_state=0)
    >>> model = model.fit(data.X, data.Y)
    >>> [cascade.measure for cascade in model.cascades_][:2]
    ['hamming_loss', 'one_error']
    """

    def _fit(self, X, Y):
        self.cascades_ = self._grow(X, Y, list(MULTILABEL))

    def _predict_proba(self, X):
        for P in self._walk(X, self.cascades_[0], {}):
            last = P
        return last

    @public
    def staged_predict(self, X):
        """Yield (measure, scores (n, c)) for the six measures; X (n, q)."""
        X = self._check_new(X)
        walked = {}
        for cascade in self.cascades_:
            for P in self._walk(X, cascade, walked):
                last = P
            yield cascade.measure, last
