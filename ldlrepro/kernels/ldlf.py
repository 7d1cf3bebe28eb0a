"""Differentiable trees: routing, gradient and leaf update (Shen et al., NIPS 2017).

Nodes of a tree are numbered as in a heap: the root is 0, the children of n are 2 n + 1 (left) and
2 n + 2 (right), split nodes are 0 .. N - 1 and leaves N .. 2 N. Arrays over rows are row-minor,
(outputs, n) and (c, n), so that inner loops run over rows next to each other in memory; they take
WIDTH rows at a time, whose nodes stay in the cache. All arrays of floats have one dtype.
"""

import numpy as np

from ldlrepro.kernels._jit import bare, kernel

WIDTH = 64
TILE = 128  # outputs


@bare
def _product(indptr, indices, data, rows, m, tile, part):
    """part = X[rows] tile for compressed rows X (n, q), in m columns of both.

    tile (q, TILE), part (WIDTH, TILE)
    """
    for r in range(len(rows)):
        for t in range(m):
            part[r, t] = 0
        for j in range(indptr[rows[r]], indptr[rows[r] + 1]):
            x, source = data[j], indices[j]
            for t in range(m):
                part[r, t] += x * tile[source, t]


@kernel
def sparse_product(indptr, indices, data, rows, T, offset, out):
    """out = T^T X[rows]^T - offset for compressed rows X (n, q), T (q, t) and an offset (t,).

    ``out`` (t, len(rows)). TILE columns of T at a time stay in the cache over the rows.
    """
    tile, part = np.zeros((len(T), TILE), T.dtype), np.empty((WIDTH, TILE), T.dtype)
    for a in range(0, T.shape[1], TILE):
        m = min(TILE, T.shape[1] - a)
        tile[:, :m] = T[:, a : a + m]
        for i in range(0, len(rows), WIDTH):
            here = rows[i : i + WIDTH]
            _product(indptr, indices, data, here, m, tile, part)
            for t in range(m):
                for r in range(len(here)):
                    out[a + t, i + r] = part[r, t] - offset[a + t]


@kernel
def sparse_back(indptr, indices, data, rows, G, shift, total, out):
    """out = X[rows]^T G^T - shift total^T for compressed rows X (n, q) and G (t, len(rows)).

    shift (q,), total (t,); ``out`` (q, t). In tiles as in `sparse_product`.
    """
    tile, part = np.empty((len(out), TILE), G.dtype), np.zeros((WIDTH, TILE), G.dtype)
    for a in range(0, len(G), TILE):
        m = min(TILE, len(G) - a)
        tile[:] = 0
        for i in range(0, len(rows), WIDTH):
            here = rows[i : i + WIDTH]
            for t in range(m):
                for r in range(len(here)):
                    part[r, t] = G[a + t, i + r]
            for r in range(len(here)):
                source = part[r]
                for j in range(indptr[here[r]], indptr[here[r] + 1]):
                    x, target = data[j], tile[indices[j]]
                    for t in range(m):
                        target[t] += x * source[t]
        for j in range(len(out)):
            for t in range(m):
                out[j, a + t] = tile[j, t] - shift[j] * total[a + t]


@kernel
def _route(S, outputs, i, w, p):
    """Eq. 1 for rows i .. i + w: the probability of reaching each node, into p (2 N + 1, WIDTH)."""
    p[0, :w] = 1
    for n in range(len(outputs)):
        s, here, left, right = S[outputs[n], i : i + w], p[n], p[2 * n + 1], p[2 * n + 2]
        for r in range(w):
            left[r] = here[r] * s[r]
            right[r] = here[r] - left[r]


@kernel
def _mix(p, Q, w, g):
    """Eq. 2: the mixture g (c, WIDTH) of the leaves Q (L, c)."""
    g[:, :w] = 0
    first = len(p) - len(Q)
    for leaf in range(len(Q)):
        here = p[first + leaf]
        for c in range(Q.shape[1]):
            q, out = Q[leaf, c], g[c]
            for r in range(w):
                out[r] += here[r] * q


@kernel
def _mixtures(S, outputs, Q, i, w, p, g):
    """Eqs. 1 and 2 of a tree for rows i .. i + w: p and g as in `_route` and `_mix`."""
    _route(S, outputs, i, w, p)
    _mix(p, Q, w, g)


@kernel
def _divide(D, i, w, floor, g):
    """Turn mixtures g (c, WIDTH) of the rows i .. i + w into d / g."""
    for c in range(len(g)):
        d, here = D[c, i : i + w], g[c]
        for r in range(w):
            here[r] = d[r] / max(here[r], floor)


@kernel
def _weigh(p, Q, ratio, w, v):
    """Multiply the leaves of p by v = sum_c q_lc ratio_c; ratio (c, WIDTH), v (WIDTH,) scratch."""
    first = len(p) - len(Q)
    for leaf in range(len(Q)):
        here = p[first + leaf]
        v[:w] = 0
        for c in range(Q.shape[1]):
            q, source = Q[leaf, c], ratio[c]
            for r in range(w):
                v[r] += source[r] * q
        for r in range(w):
            here[r] *= v[r]


@kernel
def _climb(S, outputs, i, w, p, G):
    """Eq. 6 from the weighted leaves in p to the root, added to G (t, n)."""
    for n in range(len(outputs) - 1, -1, -1):
        s, down = S[outputs[n], i : i + w], G[outputs[n], i : i + w]
        here, left, right = p[n], p[2 * n + 1], p[2 * n + 2]
        for r in range(w):
            here[r] = left[r] + right[r]
            down[r] += s[r] * here[r] - left[r]  # s right - (1 - s) left


@kernel
def predict(S, phi, Q, out):
    """Predictions of each tree, ``out`` (K, c, n).

    S : (t, n), split probabilities; phi : (K, N) int, the output of each split node;
    Q : (K, L, c), distributions of the leaves
    """
    n = S.shape[1]
    p = np.empty((2 * phi.shape[1] + 1, WIDTH), S.dtype)
    g = np.empty((Q.shape[2], WIDTH), S.dtype)  # a slice of out would be no contiguous array
    for i in range(0, n, WIDTH):
        w = min(WIDTH, n - i)
        for k in range(len(phi)):
            _mixtures(S, phi[k], Q[k], i, w, p, g)
            out[k, :, i : i + w] = g[:, :w]


@kernel
def gradient(S, phi, Q, D, floor, out, G):
    """Predictions of each tree, ``out`` (K, c, n), and the gradient of their losses, ``G`` (t, n).

    G is N times dR/df of Eq. 6, summed over the trees; arguments as in `predict`, and D : (c, n);
    floor : mixtures are raised to it in a denominator.

    With v = sum_c d_c q_lc / g_c in leaf l, p(l) v summed over a subtree is the sum over c of
    d_c g_c(T_n) / g_c(T): one number a node, carried from the leaves to the root.
    """
    n = S.shape[1]
    p = np.empty((2 * phi.shape[1] + 1, WIDTH), S.dtype)
    g = np.empty((len(D), WIDTH), S.dtype)
    v = np.empty(WIDTH, S.dtype)
    G[:] = 0
    for i in range(0, n, WIDTH):
        w = min(WIDTH, n - i)
        for k in range(len(phi)):
            _mixtures(S, phi[k], Q[k], i, w, p, g)
            out[k, :, i : i + w] = g[:, :w]
            _divide(D, i, w, floor, g)
            _weigh(p, Q[k], g, w, v)
            _climb(S, phi[k], i, w, p, G)


# Re-association lets the sum over rows run on vectors: NaN and infinity keep their meaning.
@kernel(fastmath={"reassoc", "contract"})
def _gather(p, ratio, w, total):
    """Add to ``total`` (L, c) the sum over rows of p(l) times ratio (c, WIDTH)."""
    first = len(p) - len(total)
    for leaf in range(len(total)):
        here = p[first + leaf]
        for c in range(len(ratio)):
            source, part = ratio[c], p.dtype.type(0)
            for r in range(w):
                part += here[r] * source[r]
            total[leaf, c] += part


@kernel
def update_leaves(S, phi, Q, D, floor, steps):
    """Eq. 12, ``steps`` times, in place of Q; arguments as in `gradient`.

    D : (c, n), a row that counts more than once being multiplied by its number.
    A leaf that no row reaches keeps its distribution.
    """
    n = S.shape[1]
    _, L, C = Q.shape
    p = np.empty((2 * L - 1, WIDTH), S.dtype)
    g = np.empty((C, WIDTH), S.dtype)
    total = np.empty((L, C))
    for k in range(len(phi)):
        for _ in range(steps):
            total[:] = 0
            for i in range(0, n, WIDTH):
                w = min(WIDTH, n - i)
                _mixtures(S, phi[k], Q[k], i, w, p, g)
                _divide(D, i, w, floor, g)
                _gather(p, g, w, total)
            for leaf in range(L):
                mass = 0.0
                for c in range(C):
                    total[leaf, c] *= Q[k, leaf, c]
                    mass += total[leaf, c]
                if mass > 0:
                    for c in range(C):
                        Q[k, leaf, c] = total[leaf, c] / mass


@kernel
def momentum_step(T, gradient, velocity, rate, momentum):
    """v = momentum v + rate gradient; T = T - v; all (q, t), in place."""
    for j in range(T.shape[0]):
        for t in range(T.shape[1]):
            velocity[j, t] = momentum * velocity[j, t] + rate * gradient[j, t]
            T[j, t] -= velocity[j, t]


@kernel
def adam_step(T, gradient, first, second, rate, decay1, decay2, epsilon):
    """Adam (Kingma, Ba, ICLR 2015) in place; ``rate`` and ``epsilon`` with the bias corrections."""
    one = T.dtype.type(1)
    for j in range(T.shape[0]):
        for t in range(T.shape[1]):
            slope = gradient[j, t]
            first[j, t] = decay1 * first[j, t] + (one - decay1) * slope
            second[j, t] = decay2 * second[j, t] + (one - decay2) * slope * slope
            T[j, t] -= rate * first[j, t] / (np.sqrt(second[j, t]) + epsilon)
