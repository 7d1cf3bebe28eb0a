"""What the deep estimators share: checks, and fit and predict around the training loop."""

import numpy as np
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator
from ldlrepro.entrance import public
from ldlrepro.models.deep._checks import check_some, check_two_classes
from ldlrepro.models.deep._cuda import repeatable
from ldlrepro.models.deep._images import check_images
from ldlrepro.models.deep._packages import device_of, needed, own_state

#: The smallest side of an image, in pixels.
_SMALLEST = {"small": 16, "alexnet": 63, "vgg16": 32, None: 1}


class DeepLDL(LDLEstimator):
    """Images in, label distributions out; subclasses have the parameters of DLDL and give a head.

    The head is ``head(width, n_labels, phi)``.
    """

    #: Parameters of trees, for heads without.
    leaf_batches = None

    @public
    def fit(self, images, D):
        """Learn from images and label distributions.

        Parameters
        ----------
        images : (n, h, w, 3) uint8 array, list of n paths, or (n, q) array, n >= 2
            Photographs, or their files; with ``trunk=None`` rows of features, finite numbers.
        D : (n, c) array-like, c >= 2, degrees >= 0
            Rows that do not sum to 1 are normalised.

        Returns
        -------
        self : object
            Fitted.

        Raises
        ------
        ValueError
            Naming the file, row or parameter: grey images, an unreadable file, another shape or
            dtype, NaN in D, fewer than two labels, one label with all of the degree in every row;
            a checkpoint or weights of something else.
        MissingPackageError
            Without torch (or Pillow, where it is needed), with the command that installs it.
        """
        return super().fit(images, D)

    @public
    def predict(self, images):
        """Predict label distributions: images as in `fit`, (n, c) rows on the simplex out.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            As in ``fit``.
        """
        return super().predict(images)

    def _check_X(self, X, reset):
        if self.trunk not in _SMALLEST:
            raise ValueError(f"trunk must be one of {tuple(_SMALLEST)}, got {self.trunk!r}.")
        if self.trunk is None:
            return super()._check_X(X, reset)
        if not self.size >= _SMALLEST[self.trunk]:
            raise ValueError(
                f"size must be {_SMALLEST[self.trunk]} or more for trunk={self.trunk!r}, got "
                f"{self.size!r}."
            )
        X = check_images(X, self.size)
        check_some(X)
        if reset and len(X) < 2:
            raise ValueError(f"images: found {len(X)} (1 sample at most), at least 2 are needed.")
        return X

    def _check(self):
        for name in ("epochs", "batch_size", "n_iter_no_change", "n_threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)!r}.")
        if not 0 < self.learning_rate < np.inf:
            raise ValueError(f"learning_rate must be positive, got {self.learning_rate!r}.")
        if not 0 <= self.weight_decay < np.inf:
            raise ValueError(f"weight_decay must be 0 or more, got {self.weight_decay!r}.")
        for name in ("momentum", "validation_fraction"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} must be in [0, 1), got {getattr(self, name)!r}.")
        for name, known in (("optimizer", ("adam", "sgd")), ("schedule", (None, "cosine"))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {known}, got {getattr(self, name)!r}.")
        if self.weights is not None and self.trunk is None:
            raise ValueError(f"weights={self.weights!r} are for a trunk, and trunk is None.")

    def generator(self):
        """The generator of random numbers of a fit."""
        rng = check_random_state(self.random_state)
        if rng is self.random_state or self.random_state is None:  # not the one that others use
            rng = np.random.RandomState(rng.randint(2**32, dtype=np.uint32))
        return rng

    def index_functions(self, rng):
        """phi (K, splits) into the outputs, for heads of trees; None for others."""
        return None

    def _fit(self, X, D):
        needed("torch")
        from ldlrepro.models.deep._training import Trainer

        self._check()
        check_two_classes(D)
        with own_state(self.n_threads), repeatable(self.device):
            trainer = Trainer(self, X, D, device_of(self.device))
            trainer.run()
        self.network_ = trainer.network.cpu()
        self.n_iter_, self.best_iter_ = trainer.epoch, trainer.best
        self.loss_curve_ = np.array(trainer.losses)
        self.validation_curve_ = np.array(trainer.validated)

    def _predict(self, X):
        with own_state(self.n_threads), repeatable(self.device):
            network = self.network_.to(device_of(self.device))
            try:
                return network.predict(X)
            finally:
                network.cpu()


class DeepTrees(DeepLDL):
    """Differentiable trees on a trunk; subclasses say how the trees share outputs and loss."""

    by_turns = False

    def _check(self):
        super()._check()
        for name in ("n_estimators", "leaf_iter", "leaf_batches"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)!r}.")
        if self.depth < 2:
            raise ValueError(f"depth must be 2 (one split) or more, got {self.depth!r}.")

    def head(self, width, n_labels, phi):
        """The head: see `_heads.Trees`."""
        from ldlrepro.models.deep._heads import Trees

        return Trees(width, n_labels, phi, self.trunk is not None, self.by_turns)
