"""The neighbour decoder that follows an embedding, and EmbeddingKNN, one with any transformer."""

from abc import abstractmethod

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_array

from ldlrepro.base import LDLEstimator
from ldlrepro.entrance import public
from ldlrepro.models.embedding._base import Embedding, Embeds
from ldlrepro.models.embedding._pca import PCA
from ldlrepro.models.embedding._solver import dimensions
from ldlrepro.models.neighbors import neighbours_of
from ldlrepro.validation import check_distributions


class NeighbourDecoder(Embeds, LDLEstimator):
    """Mean distribution of the ``n_neighbors`` training rows nearest in an embedding.

    Authors write ``_learn(X, D, shared)`` and ``_embed(X)``; ``shared`` is a dict that outlives
    one fit where many parameters are tried on the same rows.
    """

    ratio_name = "ratio"

    @abstractmethod
    def _learn(self, X, D, shared): ...

    @abstractmethod
    def _embed(self, X): ...

    def _fit(self, X, D):
        k = neighbours_of(self.n_neighbors, len(X))
        self._learn(X, D, {})
        self.D_ = D
        self.search_ = NearestNeighbors(n_neighbors=k).fit(self._embed(X))

    def _predict(self, X):
        rows = self.search_.kneighbors(self._embed(X), return_distance=False)
        return self.D_[rows].mean(axis=1)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "search_")  # a parameter like lambda_ looks fitted by its name

    @public
    def predict_grid(self, X, D, X_new, grid):
        """Predict with every point of a grid, sharing what the points have in common.

        The dimensions of an embedding are nested, and so are the neighbours: one fit serves every
        ratio and every number of neighbours.

        Parameters
        ----------
        X : (n, q)
            Features.
        D : (n, c)
            Training rows.
        X_new : (m, q)
            Features of new rows.
        grid : dict of lists of parameters
            As for scikit-learn's ParameterGrid.

        Yields
        ------
        (parameters, predictions)
            A dict and (m, c), the same as from a clone with these parameters fitted on its own;
            each point once, in no promised order.

        Raises
        ------
        ValueError
            As ``fit`` and ``predict`` do.
        """
        model = clone(self)
        X = model._check_X(X, reset=True)
        X_new = model._check_X(X_new, reset=False)
        D = check_distributions(check_array(D, dtype="float64"))
        has_ratio = self.ratio_name in self.get_params()
        inner = {name: grid[name] for name in (self.ratio_name, "n_neighbors") if name in grid}
        if not has_ratio:
            inner.pop(self.ratio_name, None)
        outer = {name: values for name, values in grid.items() if name not in inner}
        ks = inner.get("n_neighbors", [self.n_neighbors])
        ks = [neighbours_of(k, len(X)) for k in ks]
        largest = {name: max(values) for name, values in inner.items()}
        shared = {}
        for point in ParameterGrid(outer):
            model = clone(model).set_params(**point, **largest)
            model._learn(X, D, shared)
            Z, Z_new = model._embed(X), model._embed(X_new)
            for chosen in ParameterGrid({k: v for k, v in inner.items() if k != "n_neighbors"}):
                count = Z.shape[1]
                if chosen:
                    count = dimensions(chosen[self.ratio_name], X.shape[1], count)
                search = NearestNeighbors(n_neighbors=max(ks)).fit(Z[:, :count])
                rows = search.kneighbors(Z_new[:, :count], return_distance=False)
                for k in ks:
                    neighbors = {"n_neighbors": k} if "n_neighbors" in inner else {}
                    yield {**point, **chosen, **neighbors}, D[rows[:, :k]].mean(axis=1)


class EmbeddingKNN(NeighbourDecoder):
    """An embedding of the features followed by AA-kNN (MSLP paper [1]_).

    Parameters
    ----------
    transformer : scikit-learn transformer
        Fitted on (X, D) as a clone; None for PCA().
    n_neighbors : int or None
        The k of the decoder; no more than the training rows. None for 30, or all rows where there
        are fewer (the MSLP paper: 5, 10 or 15).

    Attributes
    ----------
    transformer_
        The fitted transformer.

    Raises
    ------
    ValueError
        At ``fit``, when k is larger than the number of rows, or as the transformer does.

    See Also
    --------
    AAKNN : The decoder without an embedding.
    MSLP : An embedding with this decoder.

    References
    ----------
    .. [1] Peng, Tao, Geng, "Label embedding based on multi-scale locality preservation", IJCAI
       2018, section 3.1.

    Examples
    --------
    >>> from ldlrepro import LPP, EmbeddingKNN, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> EmbeddingKNN(LPP(ratio=0.6)).fit(toy.X, toy.D).predict(toy.X_test).shape
    (2601, 3)
    """

    ratio_name = "transformer__ratio"

    def __init__(self, transformer=None, n_neighbors=None):
        self.transformer = transformer
        self.n_neighbors = n_neighbors

    def _learn(self, X, D, shared):
        self.transformer_ = PCA() if self.transformer is None else clone(self.transformer)
        if isinstance(self.transformer_, Embedding):
            self.transformer_.fit_sharing(X, D, shared)
        else:
            self.transformer_.fit(X, D)

    def _embed(self, X):
        return self.transformer_.transform(X)
