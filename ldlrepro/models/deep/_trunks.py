"""The networks under the heads: images in, a row of features each out.

A trunk has ``width``, its number of features. Names of the layers of AlexNet and VGG-16 are those
of the weight files of torchvision.
"""

import torch
from torch import nn

#: Output channels of VGG-16's convolutions; "pool" halves height and width.
_VGG_16 = (64, 64, "pool", 128, 128, "pool", 256, 256, 256, "pool", 512, 512, 512, "pool", 512, 512,
           512, "pool")  # fmt: skip


class _Block(nn.Module):
    """Two convolutions beside a short cut (He et al. 2016)."""

    def __init__(self, inside, outside, stride):
        super().__init__()
        self.first = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(outside)
        self.second = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(outside)
        self.short_cut = nn.Identity()
        if stride > 1 or inside != outside:
            self.short_cut = nn.Sequential(
                nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
            )

    def forward(self, x):
        y = torch.relu(self.first_norm(self.first(x)))
        return torch.relu(self.second_norm(self.second(y)) + self.short_cut(x))


class SmallResidual(nn.Module):
    """Nine convolutions on the longest way, 0.3 million weights; for images of 64 to 128 pixels."""

    width = 128

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, 2, 1, bias=False)
        self.stem_norm = nn.BatchNorm2d(16)
        self.blocks = nn.Sequential(
            _Block(16, 16, 1), _Block(16, 32, 2), _Block(32, 64, 2), _Block(64, 128, 2)
        )

    def forward(self, x):
        """(n, 3, h, w) in, (n, 128) out."""
        x = self.blocks(torch.relu(self.stem_norm(self.stem(x))))
        return x.mean(dim=(2, 3))


class _Classic(nn.Module):
    """Convolutions, then two fully connected layers; the last layer is the head's."""

    width = 4096

    def __init__(self, features, pooled, classifier):
        super().__init__()
        self.features = features
        self.pool = nn.AdaptiveAvgPool2d(pooled)
        self.classifier = classifier

    def forward(self, x):
        """(n, 3, h, w) in, (n, 4096) out."""
        return self.classifier(self.pool(self.features(x)).flatten(1))


def alexnet():
    """AlexNet without its last layer; 63 pixels or more.

    As torchvision has it, whose weights are public: one column, other widths than Krizhevsky et al.
    2012 (96, 256, 384, 384, 256 channels in two) and no local response normalisation.
    """
    features = nn.Sequential(
        *(nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2)),
        *(nn.Conv2d(64, 192, 5, 1, 2), nn.ReLU(), nn.MaxPool2d(3, 2)),
        *(nn.Conv2d(192, 384, 3, 1, 1), nn.ReLU()),
        *(nn.Conv2d(384, 256, 3, 1, 1), nn.ReLU()),
        *(nn.Conv2d(256, 256, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(3, 2)),
    )
    classifier = nn.Sequential(
        *(nn.Dropout(), nn.Linear(256 * 6 * 6, 4096), nn.ReLU()),
        *(nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU()),
    )
    return _Classic(features, 6, classifier)


def vgg16():
    """VGG-16 (Simonyan, Zisserman 2015), without its last layer; 32 pixels or more."""
    layers, inside = [], 3
    for outside in _VGG_16:
        if outside == "pool":
            layers.append(nn.MaxPool2d(2, 2))
            continue
        layers += [nn.Conv2d(inside, outside, 3, 1, 1), nn.ReLU()]
        inside = outside
    classifier = nn.Sequential(
        *(nn.Linear(512 * 7 * 7, 4096), nn.ReLU(), nn.Dropout()),
        *(nn.Linear(4096, 4096), nn.ReLU(), nn.Dropout()),
    )
    return _Classic(nn.Sequential(*layers), 7, classifier)


TRUNKS = {"small": SmallResidual, "alexnet": alexnet, "vgg16": vgg16}


def make_trunk(name, weights=None):
    """A trunk with random weights, or with those of a file.

    Parameters
    ----------
    weights : path or None
        A dictionary of tensors that ``torch.save`` wrote, or None. Its names are those of
        the trunk (torchvision's of AlexNet and VGG-16: ``features.0.weight``, ...); what belongs to
        the last layer, ``classifier.6``, is left out.

    Raises
    ------
    ValueError
        The file cannot be read, or has other layers or shapes: with the first that differs.
    """
    trunk = TRUNKS[name]()
    if weights is None:
        return trunk
    try:
        given = torch.load(weights, map_location="cpu", weights_only=True)
        given = {key: value for key, value in given.items() if not key.startswith("classifier.6.")}
    except Exception as error:  # torch names a dozen kinds
        text = str(error).split("\n")[0]
        raise ValueError(
            f"weights={str(weights)!r} cannot be read: {text}. A file is expected that torch.save "
            "wrote of a dictionary of tensors (state_dict)."
        ) from error
    own = trunk.state_dict()
    for key in (*own, *given):
        if key not in given or key not in own or own[key].shape != given[key].shape:
            shapes = [tuple(d[key].shape) if key in d else "missing" for d in (given, own)]
            raise ValueError(
                f"weights={str(weights)!r} are not those of trunk={name!r}: {key} is {shapes[0]} "
                f"in the file, {shapes[1]} in the trunk."
            )
    trunk.load_state_dict(given)
    return trunk
