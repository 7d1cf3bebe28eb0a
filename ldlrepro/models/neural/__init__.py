"""Neural networks with one hidden layer."""

from ldlrepro.models.neural._package_cpnn import PackageCPNN

__all__ = ["PackageCPNN"]
