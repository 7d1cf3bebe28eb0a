"""Runs single jobs for `ldlrepro verify`: requests as JSON lines on standard input, answers out.

A process of its own, so that the code of another revision can run beside that of the working tree.

    {"paper", "experiment", "dataset", "method", "fold"} -> {"fingerprint", "records", "blas"}
    {"dataset", "source", "images" or not}               -> {"fingerprint", "digest", "blas"}
    {"paper", "study"}                                   -> {"fingerprint", "tables", "blas"}

The digest is of the arrays; a study runs in the quick profile.
"""

import hashlib
import json
import sys

import numpy as np
from threadpoolctl import threadpool_limits

from ldlrepro import datasets
from ldlrepro.papers import get_paper
from ldlrepro.protocols import environment, job
from ldlrepro.protocols.fingerprint import fingerprint, of_data, of_function


def answer(request):
    """Return the answer to one request, both dicts."""
    with threadpool_limits(1):
        if "fold" in request:
            return _job(**request)
        if "study" in request:
            return _study(**request)
        return _data(**request)


def _job(paper, experiment, dataset, method, fold):
    experiment = get_paper(paper).experiment(experiment)
    (method,) = [m for m in experiment.methods if m.name == method]
    data = job.data_of(experiment, dataset)
    return {
        "fingerprint": fingerprint(method, experiment.folds, experiment, dataset, data.source),
        "records": job.compute(experiment, method, data, experiment.folds, fold),
    }


def _data(dataset, source, images=None):
    data = datasets.load_images(**images) if images else datasets.load(dataset, source)
    digest = hashlib.sha256()
    for array in (data.X, data.D if "D" in data else data.Y):
        array = np.ascontiguousarray(array)
        digest.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return {"fingerprint": of_data(data.name, source, images), "digest": digest.hexdigest()}


def _study(paper, study):
    (function,) = [s.function for s in get_paper(paper).studies if s.name == study]
    tables = function(quick=True)
    return {
        "fingerprint": of_function(function),
        "tables": {
            name: frame.reset_index(drop=True).to_json(double_precision=15)
            for name, frame in tables.items()
        },
    }


def main():
    """Answer each line of standard input by a line on standard output."""
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line)) | {"blas": environment.blas()}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply, default=float), flush=True)


if __name__ == "__main__":
    main()
