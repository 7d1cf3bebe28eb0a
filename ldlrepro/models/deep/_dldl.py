"""DLDL: a convolutional network with a softmax under the K-L divergence."""

from ldlrepro.models.deep._estimator import DeepLDL


class DLDL(DeepLDL):
    """Deep label distribution learning, DLDL (Gao, Xing, Xie, Wu, Geng 2017 [1]_).

    A trunk of convolutions, one linear layer with an output for each label, a softmax; all weights
    are learned on the K-L divergence between distributions given and predicted. The LDLF paper
    [2]_ (section 4.2) has it as its deep rival.

    Parameters
    ----------
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
        Seeds the weights at the start, the mini-batches and the validation rows.

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
    DeepLDLForest : Trees in place of the softmax.
    SABFGS : The same model on features.

    Notes
    -----
    Departures: the paper takes networks trained before on faces; here weights are random unless a
    file is named, and AlexNet is torchvision's. Adam with a falling rate in place of plain steps.

    References
    ----------
    .. [1] Gao, Xing, Xie, Wu, Geng, "Deep label distribution learning with label ambiguity", IEEE
       Transactions on Image Processing 2017.
    .. [2] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017.

    Examples
    --------
    >>> from ldlrepro import DLDL, datasets
    >>> data = datasets.make_scenes(20, random_state=0)  # synthetic
    >>> model = DLDL(size=32, epochs=1, random_state=0).fit(data.X, data.D)
    >>> model.predict(data.X[:2]).shape
    (2, 4)
    """

    def __init__(
        self,
        *,
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

    def head(self, width, n_labels, phi):
        """The head: see `_heads.Softmax`."""
        from ldlrepro.models.deep._heads import Softmax

        return Softmax(width, n_labels)
