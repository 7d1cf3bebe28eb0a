"""What stands on the trunk: a softmax, or differentiable trees.

A head has ``outputs``, the linear layer from the features of the trunk to f, and gives the loss of
f for a mini-batch and the predictions for f.
"""

import numpy as np
import torch
from torch import nn

from ldlrepro.kernels import ldlf as kernel
from ldlrepro.models.trees._differentiable import FLOOR, split


class Softmax(nn.Module):
    """Softmax of f under the K-L divergence."""

    def __init__(self, width, n_labels):
        super().__init__()
        self.outputs = nn.Linear(width, n_labels)

    def loss(self, F, D, rng):
        """Mean cross-entropy of rows: f (n, c), D (n, c)."""
        return -(D * torch.log_softmax(F, dim=1)).sum(dim=1).mean()

    def predict(self, F):
        """(n, c) distributions of f, an array."""
        return torch.softmax(F.double(), dim=1).cpu().numpy()


class Trees(nn.Module):
    """K trees on the outputs f.

    Parameters
    ----------
    width : int
        How many features the trunk gives.
    n_labels : int
        How many labels.
    phi
        (K, 2^(h-1) - 1) int array, the output of each split node; nodes are numbered as in a heap.
    bias : bool
        Of the outputs.
    by_turns : bool
        Whether a mini-batch is for one tree, drawn at random; or for all.
    """

    def __init__(self, width, n_labels, phi, bias, by_turns):
        super().__init__()
        self.outputs = nn.Linear(width, int(phi.max()) + 1, bias=bias)
        if bias:
            nn.init.zeros_(self.outputs.bias)
        self.by_turns = by_turns
        self.register_buffer("phi", torch.as_tensor(np.array(phi, dtype=np.int64)))
        leaves = torch.full((len(phi), phi.shape[1] + 1, n_labels), 1 / n_labels)
        self.register_buffer("leaves", leaves)

    def start(self, features, rng):
        """Draw Theta so that f is about 1 (root mean square) for features (n, width)."""
        length = np.sqrt(np.square(features.astype(float)).sum() / len(features)) or 1.0
        theta = rng.standard_normal(self.outputs.weight.shape[::-1]) / length
        with torch.no_grad():
            self.outputs.weight.copy_(torch.as_tensor(theta.T))

    def mixtures(self, F, trees):
        """Eqs. 1 and 2: (trees, n, c) for f (n, outputs)."""
        S = torch.sigmoid(F)[:, self.phi[trees]]  # (n, trees, nodes)
        reach, first = torch.ones_like(S[..., :1]), 0
        while first < S.shape[2]:  # a level of the trees
            s = S[..., first : 2 * first + 1]
            left = reach * s
            reach = torch.stack([left, reach - left], dim=3).flatten(2)
            first = 2 * first + 1
        return reach.transpose(0, 1) @ self.leaves[trees]

    def loss(self, F, D, rng):
        """Mean of Eq. 3 over rows and trees; of one tree, where they take turns."""
        trees = [rng.randint(len(self.phi))] if self.by_turns else slice(None)
        g = self.mixtures(F, trees)
        return -(D * g.clamp(min=FLOOR).log()).sum(dim=2).mean()

    def update(self, F, D, steps):
        """Eq. 12, ``steps`` times: f (n, outputs) and D (n, c), arrays of one dtype."""
        leaves = self.leaves.cpu().numpy().copy()
        S, D = split(np.ascontiguousarray(F.T)), np.ascontiguousarray(D.T)
        kernel.update_leaves(S, self.phi.cpu().numpy(), leaves, D, F.dtype.type(FLOOR), steps)
        self.leaves.copy_(torch.as_tensor(leaves))

    def predict(self, F):
        """(n, c) means of the trees' mixtures, computed in float64."""
        S = split(np.ascontiguousarray(F.double().cpu().numpy().T))
        phi, leaves = self.phi.cpu().numpy(), self.leaves.double().cpu().numpy()
        out = np.empty((len(phi), leaves.shape[2], S.shape[1]))
        kernel.predict(S, phi, leaves, out)
        P = out.mean(axis=0).T
        return P / P.sum(axis=1, keepdims=True)
