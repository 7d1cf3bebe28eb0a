"""Slow, obvious twins of the methods that use label correlations, row-major as in their papers."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import rel_entr, softmax
from sklearn.cluster import KMeans


def pearson(a, b):
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return np.corrcoef(a, b)[0, 1]


def lcldl(X, D, W, lambda1, lambda2, of):
    """Objective at W (c, q); ``of`` is D.T or W, whose rows are correlated."""
    c = len(W)
    value = rel_entr(D, softmax(X @ W.T, axis=1)).sum() + lambda1 * (W**2).sum()
    for j in range(c):
        for k in range(j + 1, c):
            value += lambda2 * np.sign(pearson(of[j], of[k])) * np.sqrt(((W[j] - W[k]) ** 2).sum())
    return value


def clustered_distances(D, clusters):
    """(c, c) sum over clusters of rows of squared distances between columns."""
    c = D.shape[1]
    labels = KMeans(clusters, n_init=1, random_state=0).fit_predict(D)
    return sum(
        np.array([[((R[:, j] - R[:, k]) ** 2).sum() for k in range(c)] for j in range(c)])
        for R in (D[labels == v] for v in range(clusters))
    )


def lclr(X, D, W, S, lambdas):
    P = softmax(X @ W.T, axis=1)
    E = D - P @ S
    value = rel_entr(D, P).sum() + lambdas[0] * (W**2).sum()
    value += lambdas[1] * sum(np.sqrt((E[:, j] ** 2).sum()) for j in range(D.shape[1]))
    value += lambdas[2] * np.linalg.svd(S)[1].sum()
    local = clustered_distances(D, 2)
    for j in range(len(S)):
        for k in range(len(S)):
            value -= lambdas[3] * 0.5 * S[j, k] * local[j, k]
    return value


def lclr_admm(X, D, lambdas, rho, rounds):
    """Rounds of ADMM, W and S by a general-purpose minimiser; returns W (c, q) and S."""
    (n, q), c = X.shape, D.shape[1]
    W, S, Z, E = np.zeros((c, q)), np.eye(c), np.eye(c), np.zeros((n, c))
    V1, V2 = np.zeros((n, c)), np.zeros((c, c))
    local = clustered_distances(D, 2)

    def broken(W, S):
        return D - softmax(X @ W.T, axis=1) @ S - E

    def of_w(w):
        W = w.reshape(c, q)
        R = broken(W, S)
        fit = rel_entr(D, softmax(X @ W.T, axis=1)).sum()
        return fit + lambdas[0] * (W**2).sum() + (V1 * R).sum() + rho / 2 * (R**2).sum()

    def of_s(s):
        S = s.reshape(c, c)
        R = broken(W, S)
        value = (V1 * R).sum() + rho / 2 * (R**2).sum()
        value += (V2 * (S - Z)).sum() + rho / 2 * ((S - Z) ** 2).sum()
        return value - lambdas[3] * 0.5 * (S * local).sum()

    for _ in range(rounds):
        W = minimize(of_w, W.ravel(), tol=1e-9).x.reshape(c, q)
        S = minimize(of_s, S.ravel(), tol=1e-9).x.reshape(c, c)
        A = broken(W, S) + E + V1 / rho
        for j in range(c):
            norm = np.linalg.norm(A[:, j])
            E[:, j] = A[:, j] * max(0, 1 - lambdas[1] / rho / norm)
        U, s, VT = np.linalg.svd(S + V2 / rho)
        Z = U @ np.diag([max(0, x - lambdas[2] / rho) for x in s]) @ VT
        V1 = V1 + rho * broken(W, S)
        V2 = V2 + rho * (S - Z)
    return W, S


def ldlsf(X, D, M, M1, M2, lambdas):
    """Objective at M, M1, M2 (q, c), with the correlations as a sum over pairs of labels."""
    F, c = X @ M, D.shape[1]
    value = 0.5 * ((F - D) ** 2).sum() + lambdas[0] * np.abs(M1).sum()
    value += lambdas[1] * sum(np.sqrt((row**2).sum()) for row in M2)
    for j in range(c):
        for k in range(j + 1, c):
            value += lambdas[2] * pearson(D[:, j], D[:, k]) * ((F[:, j] - F[:, k]) ** 2).sum()
    return value


def ldlsf_admm(X, D, lambdas, rho, rounds):
    """Rounds of ADMM, M from one linear system in all its entries; returns M, M1, M2 (q, c)."""
    (n, q), c = X.shape, D.shape[1]
    R = np.array([[pearson(D[:, j], D[:, k]) for k in range(c)] for j in range(c)])
    L = np.diag(R.sum(axis=1)) - R
    one = np.ones((c, c))
    M1, M2, V1, v2 = np.zeros((q, c)), np.zeros((q, c)), np.zeros((q, c)), np.zeros(n)
    system = np.kron(X.T @ X, np.eye(c) + 2 * lambdas[2] * L + rho * one) + rho * np.eye(q * c)
    for _ in range(rounds):
        right = X.T @ D + rho * (M1 + M2) - V1
        right += X.T @ (rho * np.ones((n, c)) - v2[:, None] * np.ones((1, c)))
        M = np.linalg.solve(system, right.ravel()).reshape(q, c)
        A = M - M2 + V1 / rho
        M1 = np.where(
            A > 0, np.maximum(A - lambdas[0] / rho, 0), np.minimum(A + lambdas[0] / rho, 0)
        )
        A = M - M1 + V1 / rho
        M2 = np.array([a * max(0, 1 - lambdas[1] / rho / np.linalg.norm(a)) for a in A])
        V1 = V1 + rho * (M - M1 - M2)
        v2 = v2 + rho * ((X @ M).sum(axis=1) - 1)
    return M, M1, M2
