"""The training loop of all deep models: mini-batches, leaves, validation, checkpoints."""

import hashlib
import os
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from torch import nn
from tqdm import tqdm

from ldlrepro.errors import outside
from ldlrepro.metrics import kl_divergence
from ldlrepro.models.deep._trunks import make_trunk

_PREDICTED = 256  # rows at a time
#: Means and deviations of the channels on which the public weights of AlexNet and VGG-16 were
#: trained.
_PUBLIC = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_ARRAY = "MT19937"


class Network(nn.Module):
    """Images, or features where there is no trunk, to the outputs f of a head.

    Images have the mean of each channel taken off and are divided by its deviation.
    """

    def __init__(self, trunk, head, mean, deviation):
        super().__init__()
        self.trunk, self.head = trunk, head
        for name, value in (("mean", mean), ("deviation", deviation)):
            value = torch.as_tensor(np.asarray(value, dtype=np.float32))
            self.register_buffer(name, value.reshape(1, -1, 1, 1))

    def features(self, X):
        """Features (n, width) of rows of the input, an array."""
        x = torch.as_tensor(X, device=self.mean.device)
        if self.trunk is None:
            return x.float()
        x = x.permute(0, 3, 1, 2).float() / 255
        return self.trunk((x - self.mean) / self.deviation)

    def forward(self, X):
        """f (n, outputs) of rows of the input, an array."""
        return self.head.outputs(self.features(X))

    @torch.no_grad()
    def evaluate(self, X, rows, function=None):
        """f of rows in the state for prediction, (len(rows), outputs); or ``function`` of them."""
        self.eval()
        function = function or self
        parts = [function(X[rows[i : i + _PREDICTED]]) for i in range(0, len(rows), _PREDICTED)]
        return torch.cat(parts)

    def predict(self, X, rows=None):
        """Distributions (n, c), an array of float64."""
        return self.head.predict(self.evaluate(X, np.arange(len(X)) if rows is None else rows))


def channels(X, rows, public):
    """Mean and deviation of the three channels, in units of the full scale.

    Those of the rows, or those that public weights were trained with.
    """
    if X.ndim == 2:
        return np.zeros(1), np.ones(1)
    if public:
        return _PUBLIC
    total, squares = np.zeros(3), np.zeros(3)
    for row in rows:
        x = X[row].reshape(-1, 3) / 255
        total += x.mean(axis=0)
        squares += np.square(x).mean(axis=0)
    mean = total / len(rows)
    return mean, np.sqrt(np.maximum(squares / len(rows) - mean**2, 1e-6))


def moved(X, rng):
    """Images, half of them mirrored, each shifted by up to an eighth of its side."""
    n, side = X.shape[:2]
    most = side // 8
    padded = np.pad(X, ((0, 0), (most, most), (most, most), (0, 0)), mode="edge")
    down, right = rng.randint(0, 2 * most + 1, (2, n))
    mirrored = rng.randint(0, 2, n)
    out = np.empty_like(X)
    for i in range(n):
        part = padded[i, down[i] : down[i] + side, right[i] : right[i] + side]
        out[i] = part[:, ::-1] if mirrored[i] else part
    return out


class Trainer:
    """One run of training.

    Parameters
    ----------
    model : estimator
        Read for its parameters; ``model.head(width, c, phi)`` is its head.
    X : (n, size, size, 3) uint8 or (n, q)
        Photographs, or features where there is no trunk.
    D : (n, c) float64
        Label distributions.
    device : torch.device
        Where the network is trained.
    """

    def __init__(self, model, X, D, device):
        self.model, self.X, self.D, self.device = model, X, D, device
        self.D32 = D.astype(np.float32)
        self.mark = None if model.checkpoint is None else self._mark()
        self.rng = model.generator()
        self.trees = model.leaf_batches is not None
        self.epoch, self.step, self.best = 0, 0, 0
        self.losses, self.validated = [], []
        self.counts, self.kept = np.zeros(len(D), np.int64), []
        saved = self._saved()
        if saved is None:
            self._begin()
        else:
            self._restore(saved)

    def _begin(self):
        rows = np.arange(len(self.X))
        held_out = int(self.model.validation_fraction * len(rows))
        if held_out:  # as LDLForest draws them
            rows = self.rng.permutation(len(self.X))
        self.train, self.validation = np.sort(rows[held_out:]), np.sort(rows[:held_out])
        if len(self.train) < 2:
            raise ValueError(
                f"validation_fraction={self.model.validation_fraction} leaves {len(self.train)} of "
                f"{len(rows)} rows to train on: 2 or more are needed."
            )
        self._build(self.model.index_functions(self.rng), first=True)
        self.best_state = self._state()

    def _build(self, phi, first):
        trunk, width = None, self.X.shape[-1]
        if first and (self.model.trunk is not None or not self.trees):
            torch.manual_seed(self.rng.randint(2**31))  # trees start from the draws of their head
        if self.model.trunk is not None:
            trunk = make_trunk(self.model.trunk, self.model.weights if first else None)
            trunk.to(memory_format=torch.channels_last)  # a quarter faster on a CPU
            width = trunk.width
        self.phi = phi
        head = self.model.head(width, self.D.shape[1], phi)
        public = self.model.weights is not None and self.model.trunk in ("alexnet", "vgg16")
        scale = channels(self.X, self.train, public)
        self.network = Network(trunk, head, *scale).to(self.device)
        if first and self.trees:
            self._first_leaves()
        rate, decay = self.model.learning_rate, self.model.weight_decay
        weights = self.network.parameters()
        if self.model.optimizer == "adam":
            self.optimizer = torch.optim.AdamW(weights, rate, weight_decay=decay)
        else:
            self.optimizer = torch.optim.SGD(
                weights, rate, momentum=self.model.momentum, weight_decay=decay
            )

    def _first_leaves(self):
        """Outputs of about 1, and an update of the leaves, without which Eq. 6 is zero."""
        network, head = self.network, self.network.head
        network.train()  # normalised by mini-batches, for there are no running means yet
        with torch.no_grad():
            parts = [network.features(self.X[rows]) for rows in self._batches(self.train)]
            features = torch.cat(parts)
            head.start(features.cpu().numpy(), self.rng)
            F = head.outputs(features).cpu().numpy()
        head.update(F, self.D32[self.train], self.model.leaf_iter)

    def _batches(self, rows):
        """Mini-batches of about equal size, none larger than ``batch_size`` or of a single row."""
        number = min(-(-len(rows) // self.model.batch_size), len(rows) // 2)
        return np.array_split(rows, max(number, 1))

    def draw(self):
        """The mini-batches of an epoch: each training row once, in random order."""
        if self.model.batch_size >= len(self.train):
            return [self.train]
        return self._batches(self.rng.permutation(self.train))

    def run(self):
        """Train to the end; the network then has the weights of the best epoch."""
        model = self.model
        bar = tqdm(
            total=model.epochs,
            initial=self.epoch,
            unit="epoch",
            ncols=79,
            ascii=True,
            leave=False,
            disable=not model.progress,
        )
        with bar:
            while self.epoch < model.epochs and not self._ended():
                if not (self._train_epoch() and self._validate()):
                    self._warn_of_divergence()
                    break
                self._save()
                bar.update()
        self.network.load_state_dict(self.best_state)
        self.network.zero_grad()  # sets them to None, so that they are not kept with the network
        self.network.eval()

    def _ended(self):
        if not self.validated:
            return False
        return self.epoch - self.best >= self.model.n_iter_no_change

    def _rate(self, steps):
        """The learning rate of this step; with "cosine" it falls to 0 over all ``steps``."""
        if self.model.schedule is None:
            return self.model.learning_rate
        return self.model.learning_rate * (1 + np.cos(np.pi * self.step / steps)) / 2

    def _train_epoch(self):
        """One epoch; False where it diverged."""
        batches, total = self.draw(), 0.0
        for rows in batches:
            rate = float(self._rate(self.model.epochs * len(batches)))
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            loss = self._step(rows)
            if not np.isfinite(loss):
                return False
            total += loss * len(rows)
        self.losses.append(total / len(self.train))
        self.epoch += 1
        return True

    def _warn_of_divergence(self):
        warnings.warn(
            f"{type(self.model).__name__} diverged in epoch {self.epoch + 1}: its loss, or what it "
            f"predicts of the held-out rows, is not finite. The weights of epoch {self.best} are "
            f"kept; lower learning_rate={self.model.learning_rate}.",
            ConvergenceWarning,
            stacklevel=outside(),
        )

    def _step(self, rows):
        network, X = self.network, self.X[rows]
        if self.model.augment and X.ndim == 4:
            X = moved(X, self.rng)
        network.train()
        self.optimizer.zero_grad()
        F = network(X)
        D = torch.as_tensor(self.D32[rows], device=self.device)
        loss = network.head.loss(F, D, self.rng)
        loss.backward()
        self.optimizer.step()
        self.step += 1
        if self.trees:
            self._keep(rows, F)
        return loss.item()

    def _keep(self, rows, F):
        """Keep a mini-batch; update the leaves where there are enough of them."""
        self.counts[rows] += 1
        if not self.model.refresh:
            self.kept.append((rows, F.detach().cpu().numpy()))
        if self.step % self.model.leaf_batches:
            return
        if self.model.refresh:
            rows = np.flatnonzero(self.counts)
            F = self.network.evaluate(self.X, rows).cpu().numpy()
            D = self.D32[rows] * self.counts[rows, None].astype(np.float32)
        else:
            rows = np.concatenate([rows for rows, _ in self.kept])
            F, D = np.concatenate([F for _, F in self.kept]), self.D32[rows]
        if np.isfinite(F).all():  # else the next loss says so
            self.network.head.update(F, D, self.model.leaf_iter)
        self.counts[:], self.kept = 0, []

    def _validate(self):
        """Keep the weights where they are the best; False where they predict no numbers."""
        loss = None
        if len(self.validation):
            P = self.network.predict(self.X, self.validation)
            if not np.isfinite(P).all():
                self.losses.pop()
                self.epoch -= 1
                return False
            loss = float(kl_divergence(self.D[self.validation], P))
            self.validated.append(loss)
        if loss is None or loss <= min(self.validated):
            self.best, self.best_state = self.epoch, self._state()
        return True

    def _state(self):
        return {name: value.detach().clone() for name, value in self.network.state_dict().items()}

    def _mark(self):
        """Digest of the data and of the settings that numbers depend on."""
        aside = ("checkpoint", "device", "n_threads", "progress")
        settings = {k: v for k, v in self.model.get_params().items() if k not in aside}
        settings = {k: v.item() if isinstance(v, np.generic) else v for k, v in settings.items()}
        if isinstance(self.model.random_state, np.random.RandomState):
            _, keys, *rest = self.model.random_state.get_state()
            settings["random_state"] = (keys.tolist(), *rest)
        text = f"{type(self.model).__name__} {sorted(settings.items())} {self.X.shape}"
        digest = hashlib.sha256(text.encode())
        digest.update(np.ascontiguousarray(self.X))
        digest.update(np.ascontiguousarray(self.D))
        return digest.hexdigest()

    def _save(self):
        if self.model.checkpoint is None:
            return
        kind, keys, *rest = self.rng.get_state()
        assert kind == _ARRAY
        state = {
            "mark": self.mark,
            "progress": [self.epoch, self.step, self.best],
            "curves": [self.losses, self.validated],
            "rows": [torch.as_tensor(rows) for rows in (self.train, self.validation)],
            "phi": None if self.phi is None else torch.as_tensor(self.phi),
            "network": self.network.state_dict(),
            "best_state": self.best_state,
            "optimizer": self.optimizer.state_dict(),
            "generator": [torch.as_tensor(keys.astype(np.int64)), *rest],
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state() if self.device.type == "cuda" else None,
            "counts": torch.as_tensor(self.counts),
            "kept": [tuple(torch.as_tensor(a) for a in pair) for pair in self.kept],
        }
        write_whole(self.model.checkpoint, state)

    def _saved(self):
        """What the checkpoint holds, or None where there is none."""
        path = self.model.checkpoint
        if path is None or not Path(path).exists():
            return None
        remedy = "Delete the file, or name another as checkpoint."
        try:
            saved = torch.load(path, map_location="cpu", weights_only=True)
            mark = saved["mark"]
        except Exception as error:  # torch names a dozen kinds
            text = str(error).split("\n")[0]
            raise ValueError(f"checkpoint {path} cannot be read: {text}. {remedy}") from error
        if mark != self.mark:
            raise ValueError(f"checkpoint {path} is of other data or other settings. {remedy}")
        return saved

    def _restore(self, saved):
        self.epoch, self.step, self.best = saved["progress"]
        self.losses, self.validated = saved["curves"]
        self.train, self.validation = (rows.numpy() for rows in saved["rows"])
        self._build(None if saved["phi"] is None else saved["phi"].numpy(), first=False)
        self.network.load_state_dict(saved["network"])
        self.best_state = {k: v.to(self.device) for k, v in saved["best_state"].items()}
        self.optimizer.load_state_dict(saved["optimizer"])
        keys, *rest = saved["generator"]
        self.rng.set_state((_ARRAY, keys.numpy().astype(np.uint32), *rest))
        torch.set_rng_state(saved["torch"])
        if self.device.type == "cuda" and saved["cuda"] is not None:
            torch.cuda.set_rng_state(saved["cuda"])
        self.counts = saved["counts"].numpy()
        self.kept = [tuple(a.numpy() for a in pair) for pair in saved["kept"]]


def write_whole(path, state):
    """Write a checkpoint beside ``path`` and move it there: it is whole, or the former one is."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".partial-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)
