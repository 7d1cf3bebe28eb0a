"""Learners as the papers, or the code they came from, run them: defaults are for users.

Each is called like its class and takes the same parameters.
"""

import inspect

import ldlrepro
from ldlrepro.models.maxent import PublishedLCLDL as _PublishedLCLDL


def _with(model, **settings):
    """The class ``model`` with other defaults."""
    names = list(inspect.signature(model).parameters)

    def make(*args, **given):
        return model(**settings | dict(zip(names, args, strict=False)) | given)

    return make


#: Neither paper penalises or scales; steps are what regularises.
SABFGS = _with(ldlrepro.SABFGS, penalty=0.0, scale=None)
SAIIS = _with(ldlrepro.SAIIS, max_iter=200, scale=None)
#: The lambdas of public code.
LCLDL = _with(ldlrepro.LCLDL, lambda1=0.1, scale=None)
PublishedLCLDL = _with(_PublishedLCLDL, lambda1=0.1, scale=None)
LDLLCLR = _with(ldlrepro.LDLLCLR, lambda1=1e-3, scale=None)
LDLSF = _with(ldlrepro.LDLSF, lambda1=1e-4, lambda2=1e-2, rho=1e-3, scale=None, floor=0.0)
#: Nets that start near uniform and are stopped by their number of steps alone.
CPNN = _with(ldlrepro.CPNN, prior=False, validation_fraction=0.0)
AABP = _with(ldlrepro.AABP, epochs=100, learning_rate=0.003, penalty=0.0)
PTBayes = _with(ldlrepro.PTBayes, variance_floor=1e-9)
#: On labels that are drawn, as many as there are labels.
PTSVM = _with(ldlrepro.PTSVM, draws="labels")
#: Forests that nothing stops, on features as they are.
_NOT_STOPPED = {
    "max_iter": 1000,
    "scale": None,
    "validation_fraction": 0.0,
    "n_iter_no_change": 10,
}
LDLForest = _with(ldlrepro.LDLForest, **_NOT_STOPPED)
NDFLDL = _with(ldlrepro.NDFLDL, **_NOT_STOPPED)
#: Chosen from 5, 10 and 15 where a grid is printed.
AAKNN = _with(ldlrepro.AAKNN, n_neighbors=5)
EmbeddingKNN = _with(ldlrepro.EmbeddingKNN, n_neighbors=5)
MSLP = _with(ldlrepro.MSLP, n_neighbors=5)
