"""Threads that share the work of a fit."""

from concurrent.futures import ThreadPoolExecutor

from joblib import effective_n_jobs


def in_threads(function, items, n_jobs):
    """List function(item) of each item, in their order, on ``n_jobs`` threads, as joblib has it.

    joblib's own pool of threads looks every ten milliseconds whether they are done, which is a
    tenth of a small forest's fit.
    """
    n_threads = effective_n_jobs(n_jobs)
    if n_threads == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, items))
