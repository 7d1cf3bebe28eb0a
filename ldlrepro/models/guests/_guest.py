"""A method of python-ldl as an estimator: its backend, seeds, threads and predictions in order."""

import inspect
import io
import os
import random
import warnings
from contextlib import contextmanager, redirect_stdout
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator
from ldlrepro.errors import (
    MissingPackageError,
    ProjectedWarning,
    UnknownNameError,
    command_for,
    outside,
)
from ldlrepro.threads import one_at_a_time, one_thread
from ldlrepro.validation import check_kind, on_simplex

#: The release of python-ldl that records are made with, as pyproject.toml pins it. It counts in the
#: marks of records: another release makes those of its methods stale.
RELEASE = "0.1.2"
#: What names of its methods begin with, in declarations and on the command line.
PREFIX = "python-ldl:"
_PACKAGE = "python-ldl"
_BACKEND = "KERAS_BACKEND"


class Guest(LDLEstimator):
    """A label-distribution method of the package python-ldl.

    The method is that package's code, unchanged; the extra ``guests`` installs it. Keras runs on
    torch and on the CPU, BLAS and torch have one thread, and what the method prints is not shown.
    The random numbers of Python, numpy and torch start from ``random_state``, and are put back
    afterwards. A net reads the rows of a batch at once, not one by one: the same numbers, sooner.
    Predictions off the simplex are put on it: negative degrees become 0, rows are divided by their
    sum, and a row of zeros becomes uniform.

    Parameters
    ----------
    name : str
        The class in ``pyldl.algorithms``: "LDL_LRR".
    parameters : dict or None
        Arguments of the class and of its ``fit`` by name; all others are as released.
    scale : {None, "standard"}
        "standard" brings features to mean 0 and variance 1, and adds a column of ones. Most of the
        package's methods have no intercept, and features of mean 0 alone let their penalty pull
        predictions to the uniform distribution.
    random_state : int, RandomState or None
        Seeds what is drawn.

    Attributes
    ----------
    fitted_
        The fitted object of python-ldl.
    off_simplex_ : float
        Share of the rows of the last prediction that were off the simplex.

    Raises
    ------
    MissingPackageError
        From ``fit``: python-ldl, Keras or torch is not installed, or another release of python-ldl
        than `RELEASE` is.
    UnknownNameError
        From ``fit``: python-ldl has no such method, or the method no such parameter.

    Warns
    -----
    ProjectedWarning
        When predictions were off the simplex.

    References
    ----------
    python-ldl 0.1.2, a package of label distribution learning.

    See Also
    --------
    guest_named : The guest of a name as the command line takes it.
    ldlrepro.user.foreign.OnSimplex : The same for an object of your own.
    """

    #: Packages whose versions stand in its records besides the usual ones.
    packages = (_PACKAGE, "keras", "torch")

    def __init__(self, name="LDL_LRR", parameters=None, scale=None, random_state=None):
        self.name, self.parameters, self.scale = name, parameters, scale
        self.random_state = random_state

    def _fit(self, X, D):
        if self.scale not in (None, "standard"):
            raise ValueError(f"scale must be None or 'standard', got {self.scale!r}.")
        self.scaler_ = None if self.scale is None else StandardScaler().fit(X)
        self.seed_ = int(check_random_state(self.random_state).randint(2**31 - 1))
        with _apart(self.seed_):
            kind = _class_of(self.name)
            of_class, of_fit = _arguments(kind, self.parameters or {})
            self.fitted_ = kind(**of_class)
            if hasattr(self.fitted_, "_make_dataset"):  # it learns from batches
                self.fitted_._make_dataset = partial(_batches, self.fitted_)
            self.fitted_.fit(self._scaled(X), D, **of_fit)

    def _predict(self, X):
        with _apart(self.seed_):
            P = np.asarray(self.fitted_.predict(self._scaled(X)))
        check_kind(P, "P")
        expected = len(X), self.n_labels_
        if P.shape != expected:
            raise ValueError(
                f"{PREFIX}{self.name} predicted shape {P.shape}: expected {expected}, (n, c)."
            )
        P = P.astype(float)
        if not np.isfinite(P).all():
            row = int(np.argmin(np.isfinite(P).all(axis=1)))
            raise ValueError(f"{PREFIX}{self.name} predicted NaN or inf in row {row} of X.")
        P, off = on_simplex(P)
        self.off_simplex_ = float(off.mean())
        if off.any():
            warnings.warn(
                f"{off.sum()} of {len(P)} predictions off the simplex: negative degrees were set "
                "to 0, rows divided by their sum",
                ProjectedWarning,
                stacklevel=outside(),
            )
        return P

    def _scaled(self, X):
        if self.scaler_ is None:
            return X
        return np.column_stack([self.scaler_.transform(X), np.ones(len(X))])


def guest_named(text, parameters=None):
    """The `Guest` that "python-ldl:LDL_LRR" names, with released defaults but for some parameters.

    ``scale`` among them is the guest's, unless the method has one of its own.

    Raises
    ------
    MissingPackageError
        The extra ``guests`` is not installed.
    UnknownNameError
        python-ldl has no such method: the nearest names. Or the method no such parameter.

    See Also
    --------
    guest_names : All there are.
    """
    name = text.removeprefix(PREFIX)
    kind, parameters = _class_of(name), dict(parameters or {})
    known = _named(kind, "__init__") | _named(kind, "fit")
    scale = None if "scale" in known else parameters.pop("scale", None)
    _arguments(kind, parameters)
    return Guest(name, parameters or None, scale)


def guest_names():
    """Names of the label-distribution methods of the installed python-ldl, as it orders them.

    Some are named there and cannot be run; `guest_named` does not tell which.

    Raises
    ------
    MissingPackageError
        The extra ``guests`` is not installed.
    """
    algorithms, _, _ = _libraries()
    return [name for name in algorithms._ldl__ if not name.startswith("_")]


def _class_of(name):
    """The class of python-ldl; UnknownNameError for a name that it does not have."""
    known = guest_names()
    if name not in known:
        lower = {other.lower(): other for other in known}
        near = [lower[n] for n in get_close_matches(str(name).lower(), lower, n=3)]
        hint = f"Did you mean {' or '.join(near)}? " if near else ""
        raise UnknownNameError(
            f"python-ldl {RELEASE} has no method {name!r} that learns label distributions from "
            f"rows of features. {hint}There are: {', '.join(known)}."
        )
    algorithms, _, _ = _libraries()
    try:
        return getattr(algorithms, name)
    except ImportError as error:
        raise MissingPackageError(
            f"python-ldl {RELEASE} names {name}, and cannot import it: {error}."
        ) from error


def _arguments(kind, parameters):
    """Parameters for a class of python-ldl and for its ``fit``, apart: two dicts.

    Raises
    ------
    UnknownNameError
        A parameter that neither of them has.
    """
    of_class, of_fit = _named(kind, "__init__"), _named(kind, "fit")
    for name in parameters:
        if name not in of_class | of_fit:
            raise UnknownNameError(
                f"{PREFIX}{kind.__name__} has no parameter {name!r}; it has: "
                f"{', '.join(sorted(of_class | of_fit))}."
            )
    inside = {n: value for n, value in parameters.items() if n in of_fit}
    return {n: value for n, value in parameters.items() if n not in of_fit}, inside


def _named(kind, method):
    """Names that a method of a class takes; those of the base classes count, as it hands them on.

    Rows and seeds are left out: `Guest` gives them.
    """
    names = set()
    for base in kind.__mro__:
        if base.__module__.partition(".")[0] == "pyldl" and method in vars(base):
            parts = inspect.signature(vars(base)[method]).parameters.values()
            names |= {p.name for p in parts if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
    return names - {"self", "X", "D", "Y", "y", "target", "random_state"}


def _batches(model, X, Y):
    """The batches of a net of python-ldl, in order, each a pair of tensors.

    As released, the rows of a batch are read one by one and then stacked. This reads them at once:
    the same tensors, and the same random numbers are drawn.
    """
    data = import_module("torch.utils.data")
    rows = data.SequentialSampler(range(len(X)))
    batches = data.BatchSampler(rows, model._batch_size, drop_last=False)
    return data.DataLoader(data.TensorDataset(X, Y), sampler=batches, batch_size=None)


def _libraries():
    """pyldl.algorithms, Keras on torch, and torch; MissingPackageError where one is not there."""
    try:
        there = version(_PACKAGE)
    except PackageNotFoundError:
        raise MissingPackageError(
            f"Methods named {PREFIX}... are those of a package that is not installed: "
            f"{command_for('guests')}."
        ) from None
    if there != RELEASE:
        raise MissingPackageError(
            f"python-ldl {there} is installed, and this package runs {RELEASE}: "
            f"{command_for('guests')}."
        )
    before = os.environ.get(_BACKEND)
    os.environ[_BACKEND] = "torch"  # Keras reads it at its first import
    try:
        keras, torch = import_module("keras"), import_module("torch")
        algorithms = import_module("pyldl.algorithms")
    except ImportError as error:
        raise MissingPackageError(
            f"python-ldl cannot be used ({error}): {command_for('guests')}."
        ) from error
    finally:
        if before is None:
            del os.environ[_BACKEND]
        else:
            os.environ[_BACKEND] = before
    if keras.backend.backend() != "torch":
        raise MissingPackageError(
            f"Keras was imported with the backend {keras.backend.backend()}: set {_BACKEND}=torch "
            "before this process imports it."
        )
    return algorithms, keras, torch


@one_at_a_time
@contextmanager
def _apart(seed):
    """Run python-ldl's code: seeded, on one thread of the CPU, silent; all put back afterwards."""
    _, keras, torch = _libraries()
    # python-ldl draws from numpy's global state.
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    threads, kind, epsilon = torch.get_num_threads(), keras.config.floatx(), keras.config.epsilon()
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    keras.config.set_floatx("float32")
    keras.config.set_epsilon(1e-7)
    try:
        with one_thread(), keras.device("cpu"), redirect_stdout(io.StringIO()):
            yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
        torch.set_rng_state(states[2])
        torch.set_num_threads(threads)
        keras.config.set_floatx(kind)
        keras.config.set_epsilon(epsilon)
