"""Random numbers: splitmix64, whose state is an array of one uint64 and is advanced in place."""

import numpy as np

from ldlrepro.kernels._jit import kernel


@kernel
def uniform(state):
    """Draw a float64 in [0, 1)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def pick(weight, total, state):
    """Draw an index with probability weight / total; weight (n,), ``total`` its sum."""
    target = uniform(state) * total
    last = 0
    for i in range(weight.shape[0]):
        if weight[i] > 0.0:
            target -= weight[i]
            last = i
            if target < 0.0:
                return i
    return last


@kernel
def shuffled(items, i, state):
    """The i-th of ``items`` in a random order: one step of Fisher and Yates's shuffle, in place."""
    j = i + int(uniform(state) * (items.shape[0] - i))
    items[i], items[j] = items[j], items[i]
    return items[i]
