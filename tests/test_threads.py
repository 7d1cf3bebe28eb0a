"""Threads of BLAS inside fits and predictions."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ldlrepro import AAKNN, SABFGS, threads
from ldlrepro.base import LDLEstimator
from ldlrepro.datasets import make_toy
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


toy = make_toy(n_train=40, random_state=0)
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


@pytest.mark.parametrize("context", [lambda: threads.one_blas_thread(X), threads.one_thread])
def test_overlapping_limits_leave_the_process_as_it_was(context):
    """The first in is not the last out: thread 0 enters and leaves before the others leave."""
    steps = [Barrier(4) for _ in range(8)]

    def overlap(number):
        seen = None
        for at in range(8):
            steps[at].wait(10)
            if at == number:
                entered = context()
                entered.__enter__()
            if at == 3:
                steps[at].wait(10)
                seen = blas_threads()
            if at == number + 4:
                entered.__exit__(None, None, None)
        return seen

    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(4) as pool:
        assert list(pool.map(overlap, range(4))) == [{1}] * 4
        assert blas_threads() == {2}


def test_fits_in_threads_leave_the_process_as_it_was():
    with threadpool_limits(2, user_api="blas"):
        one = AAKNN().fit(toy.X, toy.D).predict(toy.X)
        with ThreadPoolExecutor(4) as pool:
            fits = pool.map(lambda _: SABFGS(max_iter=5).fit(toy.X, toy.D).coef_, range(40))
            assert len({coef.tobytes() for coef in fits}) == 1
        assert blas_threads() == {2}
        np.testing.assert_array_equal(AAKNN().fit(toy.X, toy.D).predict(toy.X), one)


def test_contexts_of_the_whole_process_take_turns():
    inside = []

    @threads.one_at_a_time
    @contextmanager
    def context(number):
        inside.append(number)
        yield number
        assert inside.pop() == number

    def work(number):
        with context(number) as entered, context(number):  # one thread may enter twice
            time.sleep(0.005)
            return entered

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8))) == list(range(8))
