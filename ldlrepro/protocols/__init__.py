"""How numbers are made, kept and proved: jobs, the runner, the store of records, verification."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
