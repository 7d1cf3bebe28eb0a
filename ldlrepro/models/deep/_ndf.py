"""dNDF-LDL: differentiable trees on a convolutional network, trained by turns."""

import numpy as np

from ldlrepro.models.deep._estimator import DeepTrees


class DeepNDFLDL(DeepTrees):
    """DeepLDLForest's trees with the strategy of dNDFs (LDLF paper [1]_, sections 2 and 4.4).

    Deep neural decision forests (Kontschieder et al. 2015 [2]_) have a loss of a tree only: each
    mini-batch trains one tree, drawn at random, and the trunk below it. No output is shared: each
    split node of each tree has its own. Leaves are those of LDLFs (Eq. 12), of each tree on all
    mini-batches. Predictions are averaged.

    Parameters
    ----------
    n_estimators : int >= 1
        Trees K; mini-batches are shared among them.
    depth : int >= 2
        Depth h: 2^(h-1) - 1 split nodes, each with an output, and 2^(h-1) leaves a tree.
    leaf_iter : int >= 1
        Times that Eq. 12 is applied in an update of the leaves.
    leaf_batches : int >= 1
        Mini-batches between updates of the leaves.
    refresh : bool
        Whether the leaves are updated on outputs of the network as it is then, each row taken once
        and weighted by the number of the mini-batches that hold it (a forward pass more), or on the
        outputs that these mini-batches had.
    trunk : {"small", "alexnet", "vgg16", None}
        The network under the head. "small" has nine convolutions, for images of 64 to 128 pixels;
        the others are the paper's kinds, slow on a CPU; AlexNet in one column, as torchvision has
        it. None: rows of features are passed, not images.
    weights : path or None
        A file with the weights of the trunk that ``torch.save`` wrote of a dictionary
        of tensors; for AlexNet and VGG-16 with torchvision's names, and for images scaled as
        torchvision does, by the channels' means and deviations over ImageNet. It is read with
        ``weights_only=True``, so that it cannot run code. None: random weights, and images scaled
        by the channels of the training rows.
    size : int
        Side in pixels to which images are brought.
    epochs : int >= 1
        Passes over the training rows at most.
    batch_size : int >= 1
        Rows of a mini-batch at most; none has a single row.
    optimizer : {"adam", "sgd"}
        Adam with decoupled decay of weights, or steps with momentum.
    learning_rate : float > 0
        Step size of the optimizer.
    momentum : float in [0, 1)
        Of "sgd".
    weight_decay : float >= 0
        Share by which a step shrinks the weights.
    schedule : {"cosine", None}
        Whether the rate falls to 0 along half a cosine over all epochs.
    augment : bool
        Whether training images are mirrored and shifted at random.
    validation_fraction : float in [0, 1)
        Share of the rows on which the K-L divergence is watched after each epoch; the best weights
        are kept. With 0, the last ones are.
    n_iter_no_change : int >= 1
        Epochs without a better one after which to stop.
    checkpoint : path or None
        A file written after each epoch. A fit that finds it goes on from there, on
        the same machine with the same bits as without the interruption.
    device : {"auto", "cpu", "cuda"}
        "auto" takes CUDA where there is one. The two round otherwise, which training amplifies.
    n_threads : int >= 1
        Threads of torch during a fit; numbers may depend on it.
    progress : bool
        Whether a bar on standard error counts the epochs.
    random_state : int, RandomState or None
        Seeds the weights at the start, the mini-batches and their trees, the validation rows.

    Attributes
    ----------
    network_
        The trained torch module, on the CPU.
    n_iter_ : int
        Epochs run.
    best_iter_ : int
        The epoch whose weights are kept.
    loss_curve_ : (``n_iter_``,)
        Mean loss of the mini-batches of each epoch.
    validation_curve_ : (``n_iter_``,)
        K-L divergence of the held-out rows after each epoch, (0,) without such rows.

    Raises
    ------
    MissingPackageError
        At ``fit``: torch is not installed; the command is in the message.
    ValueError
        At ``fit``: a parameter out of range; see there for data.

    Warns
    -----
    ConvergenceWarning
        The loss is no finite number any more, with the epoch; the best weights before are kept.

    See Also
    --------
    NDFLDL : The shallow form.
    DeepLDLForest : One loss for the forest, and shared outputs.

    Notes
    -----
    The paper's dNDFs-LDL (section 4.4) has the depth and the number of outputs of its dLDLFs. All
    trees stand on one trunk; a mini-batch is for one of them, drawn at random.

    Departures: those of `DeepLDLForest`; and as no output is shared there are as many as split
    nodes, K (2^(h-1) - 1), where the paper has as many as for its dLDLFs.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017.
    .. [2] Kontschieder, Fiterau, Criminisi, Rota Bulo, "Deep neural decision forests", ICCV 2015.

    Examples
    --------
    >>> from ldlrepro import DeepNDFLDL, datasets
    >>> data = datasets.make_scenes(20, random_state=0)  # synthetic
    >>> model = DeepNDFLDL(2, depth=3, size=32, epochs=1, random_state=0)
    >>> model = model.fit(data.X, data.D)
    >>> model.predict(data.X[:2]).shape
    (2, 4)
    """

    by_turns = True

    def __init__(
        self,
        n_estimators=5,
        *,
        depth=7,
        leaf_iter=20,
        leaf_batches=33,
        refresh=False,
        trunk="small",
        weights=None,
        size=64,
        epochs=30,
        batch_size=50,
        optimizer="adam",
        learning_rate=0.001,
        momentum=0.9,
        weight_decay=0.01,
        schedule="cosine",
        augment=True,
        validation_fraction=0.1,
        n_iter_no_change=10,
        checkpoint=None,
        device="auto",
        n_threads=1,
        progress=False,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.depth = depth
        self.leaf_iter = leaf_iter
        self.leaf_batches = leaf_batches
        self.refresh = refresh
        self.trunk = trunk
        self.weights = weights
        self.size = size
        self.epochs = epochs
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.augment = augment
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.checkpoint = checkpoint
        self.device = device
        self.n_threads = n_threads
        self.progress = progress
        self.random_state = random_state

    def index_functions(self, rng):
        """phi (K, splits): an output for each split node of each tree."""
        return np.arange(self.n_estimators * (2 ** (self.depth - 1) - 1)).reshape(
            self.n_estimators, -1
        )
