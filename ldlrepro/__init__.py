"""Papers on label-distribution and multi-label learning, reproduced number by number."""

import os as _os

import lazy_loader as _lazy

__version__ = "0.1.0"

# The names stand in __init__.pyi, where editors see them too. Each is imported at its first use, or
# with EAGER_IMPORT=1 right away: but only below, since papers import models from this package.
_eager = _os.environ.pop("EAGER_IMPORT", "")
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
if _eager:
    _os.environ["EAGER_IMPORT"] = _eager
    if _eager != "0":
        for _name in __all__:
            __getattr__(_name)
