"""Threads of BLAS inside fits and predictions."""

import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ldlrepro import threads
from ldlrepro.base import LDLEstimator
from ldlrepro.models._threads import in_threads
from ldlrepro.models.multilabel._base import MultiLabelEstimator


def blas_threads():
    return {i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"}


class _Sees:
    def _fit(self, X, Y):
        self.fitted_with_ = blas_threads()

    def _predict(self, X):
        self.predicted_with_ = blas_threads()
        return np.full((len(X), 2), 0.5)

    _predict_proba = _predict


class Distributions(_Sees, LDLEstimator):
    """Sees threads."""


class Labels(_Sees, MultiLabelEstimator):
    """Sees threads."""


X, Y = np.arange(12.0).reshape(6, 2), np.eye(2)[[0, 1, 0, 1, 0, 1]]


@pytest.mark.parametrize("kind", [Distributions, Labels])
@pytest.mark.parametrize("small, inside", [(12, {1}), (11, {2})])
def test_small_data_have_one_thread_and_threads_are_given_back(kind, small, inside, monkeypatch):
    monkeypatch.setattr(threads, "SMALL", small)
    with threadpool_limits(2, user_api="blas"):
        model = kind().fit(X, Y)
        assert model.fitted_with_ == inside and blas_threads() == {2}
        model.predict(X)
        assert model.predicted_with_ == inside and blas_threads() == {2}


def test_threads_are_given_back_after_an_error():
    class Fails(Distributions):
        def _fit(self, X, D):
            raise ValueError("no")

    with threadpool_limits(2, user_api="blas"):
        with pytest.raises(ValueError, match="no"):
            Fails().fit(X, Y)
        assert blas_threads() == {2}


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_shared_work_keeps_its_order_and_its_errors(n_jobs):
    def square(i):
        time.sleep((i % 3) / 1000)
        if i == 13:
            raise ValueError("thirteen")
        return i * i

    assert in_threads(square, (i for i in range(12)), n_jobs) == [i * i for i in range(12)]
    with pytest.raises(ValueError, match="thirteen"):
        in_threads(square, range(20), n_jobs)
