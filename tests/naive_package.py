"""Slow, obvious twins of the variants that follow released code: loops over rows and labels."""

import naive_ldlf
import numpy as np


def released_forest(X, D, seed, layer, iterations, trees, depth, outputs, batch, every, steps):
    """Theta and leaves of `ReleasedLDLForest`, with its generator: (theta of used outputs, leaves).

    One row after another; what a row's splits were is kept as its outputs F.
    """
    rng = np.random.RandomState(seed)
    splits = 2 ** (depth - 1) - 1
    phi = np.stack([rng.permutation(outputs)[:splits] for _ in range(trees)])
    used, phi = np.unique(phi, return_inverse=True)
    phi = phi.reshape(trees, splits)
    reach = (3 / X.shape[1]) ** 0.5
    theta = np.vstack([rng.uniform(-reach, reach, (X.shape[1], len(used))), np.zeros(len(used))])
    leaves = np.full((trees, splits + 1, D.shape[1]), 1 / D.shape[1])
    velocity, kept = np.zeros_like(theta), []
    batches = int(np.ceil(len(X) / batch))
    for iteration in range(1, iterations + 1):
        rows = rng.choice(len(X), batch)
        inputs = [[*X[i], 1.0] for i in rows]
        F = np.array([np.array(x) @ theta for x in inputs]).T
        kept = [*kept, (F, D[rows].T)][-batches:]
        if iteration >= every:
            G = naive_ldlf.slope(F, phi, leaves, D[rows].T)
            summed = sum(np.outer(x, G[:, r]) for r, x in enumerate(inputs))
            velocity = 0.9 * velocity + 100 * summed / (batch * (outputs if layer == "gpu" else 1))
            theta = theta - velocity
        if iteration % every == 0:
            F = np.hstack([f for f, _ in kept])
            target = np.hstack([d for _, d in kept])
            for _ in range(steps):
                leaves = np.array(
                    [
                        naive_ldlf.leaf_update(F, tree, q, target, np.ones(F.shape[1]))
                        for tree, q in zip(phi, leaves, strict=True)
                    ]
                )
    return theta, leaves


def cpnn_slopes(X, D, inner, outer):
    """Slopes of the package's CPNN: (of the inner weights, of the outer)."""
    of_inner, of_outer = np.zeros_like(inner), np.zeros_like(outer)
    for x, d in zip(X, D, strict=True):
        inputs = [np.array([*x, y + 1, 1]) for y in range(len(d))]
        units = [1 / (1 + np.exp(-inner @ i)) for i in inputs]
        f = np.exp([outer @ u for u in units])
        for y, (i, u) in enumerate(zip(inputs, units, strict=True)):
            wrong = f[y] / f.sum() - d[y]
            of_outer += wrong * u
            for k, unit in enumerate(u):
                of_inner[k] += wrong * outer.sum() * unit * (1 - unit) * i
    return of_inner, of_outer


def rprop(slopes):
    """Where RProp leaves one weight that starts at 0, after slopes one after another."""
    weight, size, last = 0.0, 0.1, 0.1
    for slope in slopes:
        if slope * last > 0:
            size = min(1.2 * size, 50)
        if slope * last < 0:
            size, last = max(0.5 * size, np.exp(-6)), 0.0
        else:
            weight, last = weight - np.sign(slope) * size, slope
    return weight
