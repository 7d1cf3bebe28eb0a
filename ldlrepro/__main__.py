"""``python -m ldlrepro``: the command ``ldlrepro``."""

import signal
import sys


def main():
    """Run the command line; returns the exit status."""
    # Until the command listens itself, Ctrl-C ends it without a traceback.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ldlrepro import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
