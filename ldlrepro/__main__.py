"""``python -m ldlrepro``: the command ``ldlrepro``."""

import sys

from ldlrepro.cli import main

if __name__ == "__main__":
    sys.exit(main())
