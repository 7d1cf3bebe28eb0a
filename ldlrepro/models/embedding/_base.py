"""What the embeddings of features share, as scikit-learn transformers."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA as LinearComponents
from sklearn.decomposition import KernelPCA as KernelComponents
from sklearn.utils.validation import check_consistent_length

from ldlrepro.base import ChecksX
from ldlrepro.entrance import public
from ldlrepro.memory import check_square
from ldlrepro.models._rbf import kernel_width
from ldlrepro.models.embedding._names import NamesOut
from ldlrepro.models.embedding._solver import dimensions
from ldlrepro.parameter_types import check_parameter_types

_ROUNDING = 1e-14  # variances below this share of the largest are rounding, as are kernel values


class Embeds(NamesOut, ChecksX, TransformerMixin):
    """Public ``transform`` around what authors write, ``_embed(X)``."""

    @public
    def transform(self, X):
        """Embed rows: (n, q) in, (n, l) out, l the rounded share ``ratio`` of the features.

        ``set_output`` and scikit-learn's ``transform_output`` say what comes out, an array or a
        DataFrame. Errors are those of ``predict``.
        """
        return self._embed(self._check_new(X))


class Embedding(Embeds, BaseEstimator):
    """Principal components, then directions among them; authors write ``_directions``.

    Subclasses have ``ratio``, ``variance``, ``kernel`` and ``width``, as parameters or attributes.
    With the rbf kernel the components are the kernel's, at most as many as there are features.
    """

    needs_D = False

    @public
    def fit(self, X, D=None):
        """Learn the embedding.

        Parameters
        ----------
        X : (n, q) array-like of finite numbers, n >= 2
            Features.
        D : (n, c) or (n,) array-like
            Only CCA looks at it.

        Returns
        -------
        self : object
            Fitted, with ``components_`` and ``directions_``.

        Raises
        ------
        ValueError
            Bad X or D, or a parameter out of range, by its name.
        TypeError
            A parameter of a wrong type, by its name.
        """
        return self.fit_sharing(X, D, {})

    @public
    def fit_sharing(self, X, D, shared):
        """As `fit`; ``shared`` is a dict that keeps the components between fits on the same X."""
        check_parameter_types(self)
        X = self._check_X(X, reset=True)
        if D is None and self.needs_D:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: give D."
            )
        if D is not None:
            check_consistent_length(X, D)
            D = np.asarray(D, dtype="float64").reshape(len(X), -1)
        if not 0 < self.variance <= 1:
            raise ValueError(f"variance={self.variance}: choose a share above 0 and at most 1.")
        if self.kernel not in ("linear", "rbf"):
            raise ValueError(f'kernel={self.kernel!r}: choose "linear" or "rbf".')
        n, q = X.shape
        step = self.kernel, self.width
        if step not in shared:
            with np.errstate(
                invalid="ignore"
            ):  # scikit-learn divides by the variance of equal rows
                components = self._first_step(X).fit(X)
            shared[step] = components, components.transform(X)
        self.components_, Z = shared[step]
        rounding = _ROUNDING if self.kernel == "rbf" else (_ROUNDING * np.abs(X).max()) ** 2
        kept = _leading(Z.var(axis=0), self.variance, rounding)
        count = dimensions(self.ratio, q, kept)
        # Identical rows have no component: they are embedded at 0 in one dimension.
        self.directions_ = np.zeros((Z.shape[1], max(count, 1)))
        if kept:
            found = self._directions(X, Z[:, :kept], D, count)
            self.directions_ = np.zeros((Z.shape[1], found.shape[1]))
            self.directions_[:kept] = found
        return self

    def _embed(self, X):
        return self.components_.transform(X) @ self.directions_

    def _first_step(self, X):
        n, q = X.shape
        if self.kernel == "linear":
            return LinearComponents(min(n, q), svd_solver="full")
        check_square(self, n, 3)
        width = kernel_width(self.width, X)
        return KernelComponents(
            min(n - 1, q), kernel="rbf", gamma=0.5 / width**2, eigen_solver="dense"
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.needs_D
        return tags


class GraphEmbedding(Embedding):
    """An embedding that links each row to its nearest rows: LPP and NPE."""

    def __init__(self, n_neighbors=5, *, ratio=0.1, variance=0.98, kernel="linear", width=None):
        self.n_neighbors = n_neighbors
        self.ratio = ratio
        self.variance = variance
        self.kernel = kernel
        self.width = width


def _leading(variances, share, rounding):
    """How many leading components hold a share of the variance, without those of rounding."""
    real = variances[variances > max(rounding, _ROUNDING * variances.max(initial=0))]
    if not real.size:
        return 0
    total = real.cumsum()
    return int(np.searchsorted(total, share * total[-1] * (1 - 1e-12))) + 1
