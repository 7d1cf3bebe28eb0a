"""The command ``ldlrepro``: its words and options. What it does stands in commands.py."""

import argparse
import math
import os
import signal
import socket
import sys
import threading
import warnings
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path

import ldlrepro
from ldlrepro import commands, errors, paths
from ldlrepro.papers import chapter_names, paper_names
from ldlrepro.parameters import LARGEST_SEED, PROFILES


def main(arguments=None):
    """Run the command line; returns the exit status."""
    _open_what_is_closed()
    options = parser().parse_args(arguments)
    warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=sys.stderr)
    with suppress(AttributeError):  # names of files that the encoding of the terminal lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        paths.settle()
        with _stopping(is_program=arguments is None):
            status = options.do(options) or 0
            sys.stdout.flush()  # a full disk is told here, not when Python ends
            return status
    except errors.LdlreproError as error:
        print(f"ldlrepro: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output, `head` say, has seen enough
        sys.stderr.close()
        return 0
    except OSError as error:
        _let_go_of_output()
        where = f"{error.filename}: " if error.filename else ""
        print(f"ldlrepro: {where}{error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stop:
        print(_STOPPED, file=sys.stderr)
        return 128 + (stop.args[0] if isinstance(stop, _Stopped) else signal.SIGINT)


def _open_what_is_closed():
    """Give a program without standard streams (`>&-`) empty ones: else its first file is one."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        with suppress(OSError):
            os.fstat(number)
            continue  # in use: nothing is printed into it
        with suppress(OSError):
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            if opened != number:
                os.close(opened)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))


#: The socket of a watch that goes on to the end of the process.
_open = []
_STOPPED = "\nldlrepro: stopped; what was finished is kept."
#: Seconds that a stop may take before the process ends at once.
_GRACE = 1.5


def _let_go_of_output():
    """Where standard output takes nothing (a full disk), let Python not try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _named(text):
    """A name that is not empty, as a variable that is not set makes it."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def _path(text):
    """A path; an empty one would be the folder at hand, and `~` is the user's folder."""
    path = paths.expanded(_named(text))
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:  # a name that is too long, a folder that may not be looked into
        raise argparse.ArgumentTypeError(f"{text}: {error.strerror}") from None
    return path


class _Stopped(KeyboardInterrupt):
    """A signal that asks for an end, as Ctrl-C does; its number is the argument."""


#: Signals that ask for an end.
_ENDS = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]


def _stop(number, _):
    for each in _ENDS:  # once is enough: another would break into what ends the workers
        signal.signal(each, signal.SIG_IGN)
    raise _Stopped(number)


@contextmanager
def _stopping(is_program):
    """Take signals that ask for an end as Ctrl-C, and end the process where it does not hear.

    Python answers a signal between two of its own steps, which a fit in compiled code makes none
    of. The number of the signal comes through a socket at once, to a thread that waits a little.
    """
    if threading.current_thread() is not threading.main_thread():  # it gets no signals
        yield
        return
    # What is ignored stays so: `nohup` asks for that, and a shell for what runs behind it.
    there = {number: signal.getsignal(number) for number in _ENDS}
    heard = [number for number, handler in there.items() if handler != signal.SIG_IGN]
    for number in heard:
        signal.signal(number, _stop)
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    over = threading.Event()

    def watch():
        while came := ours.recv(1):
            if came[0] in heard and not over.wait(_GRACE):
                if not _open:  # else it was told
                    print(_STOPPED, file=sys.stderr, flush=True)
                os._exit(128 + came[0])

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except KeyboardInterrupt:
        if is_program:  # what Python does at its end may take long too
            _open.append(theirs)
            theirs = None
        raise
    finally:
        if theirs is not None:
            over.set()
            signal.set_wakeup_fd(before)
            theirs.close()
            for number in heard:  # a program that ends has nothing left to keep
                signal.signal(number, signal.SIG_DFL if is_program else there[number])


class _Once(argparse.Action):
    """Keep the value of an option; a second one would drop the first without a word."""

    def __call__(self, parser, namespace, values, option_string=None):
        given = vars(namespace).setdefault("given", set())
        if option_string and self.dest in given:
            hint = ", names with commas between: 'd_*,e_*'" if self.dest == "labels" else ""
            first = getattr(namespace, self.dest)
            parser.error(
                f"{option_string} is given twice: {first} and {values}. Give it once{hint}."
            )
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    """A parser that offers the nearest where a word is none of those it knows.

    Options and names may stand in any order, and an option that is not repeatable stands once.
    """

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        for name in (None, "store"):
            self.register("action", name, _Once)
        self._is_mixing = False

    def parse_known_args(self, args=None, namespace=None):
        """As argparse's, with names after options too; of a command, not of those above it."""
        if self._subparsers is not None or self._is_mixing:
            return super().parse_known_args(args, namespace)
        self._is_mixing = True
        try:
            found, more = self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_mixing = False
        if more:
            options = [name for action in self._actions for name in action.option_strings]
            near = get_close_matches(more[0].split("=")[0], options, n=1, cutoff=0.5)
            hint = f". Did you mean {near[0]}?" if near and more[0].startswith("-") else ""
            self.error(f"unrecognized arguments: {' '.join(more)}{hint}")
        return found, more

    def _check_value(self, action, value):
        choices = list(action.choices or ())
        if choices and value not in choices:
            near = get_close_matches(str(value), choices, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise argparse.ArgumentError(
                action, f"{value!r} is none. {hint}There are: {', '.join(choices)}."
            )


def _add(commands, name, do, short, more="", example=""):
    """Add a command: its line in the list, what its own help says besides, an example."""
    description = f"{short[0].upper()}{short[1:]}. {more}".strip()
    add = commands.add_parser(
        name,
        help=short,
        description=description,
        epilog=f"example: {example}",
    )
    add.set_defaults(do=do)
    return add


def parser():
    """Return the parser of the command line; it needs none of the libraries."""
    top = _Parser(
        prog="ldlrepro",
        description=f"{ldlrepro.__doc__} `ldlrepro COMMAND --help` tells more of a command.",
        epilog="example: ldlrepro status structrf",
    )
    top.add_argument("--version", action="version", version=f"ldlrepro {ldlrepro.__version__}")
    every = top.add_subparsers(required=True, metavar="COMMAND")
    for add in (_data, _run, _agreement, _merge, _verify, _status, _notebooks, _compare):
        add(every)
    return top


def _papers():
    """What the help says of a name of a paper."""
    return f"any case: {', '.join(paper_names())}"


def _data(every):
    data = every.add_parser(
        "data",
        help="list, fetch or check data sets",
        description="List, fetch or check data sets. LDLREPRO_DATA names a folder with your copies "
        "of the files.",
        epilog="example: ldlrepro data list",
    )
    actions = data.add_subparsers(required=True, metavar="ACTION")
    _add(
        actions,
        "list",
        commands.data_list,
        "the registered data sets and which are at hand",
        "Files are looked for, not verified.",
        "ldlrepro data list",
    )
    add = _add(
        actions,
        "fetch",
        commands.data_fetch,
        "download data sets and verify them",
        "A file that is at hand is verified and kept.",
        "ldlrepro data fetch s-JAFFE Movie",
    )
    add.add_argument("names", nargs="+", type=_named, metavar="NAME", help='of data sets, or "all"')
    add = _add(
        actions,
        "accept",
        commands.data_accept,
        "take a copy with another digest; tables will say so",
        "For a file that was only saved again.",
        "ldlrepro data accept s-JAFFE my_copy.mat",
    )
    add.add_argument("name", metavar="NAME", help="of the data set")
    add.add_argument("file", nargs="?", type=_path, help="default: the file that is in place")
    add = _add(
        actions,
        "check",
        commands.data_check,
        "verify files; report shapes, sums, repeated rows",
        "Nothing is downloaded.",
        "ldlrepro data check s-JAFFE",
    )
    add.add_argument(
        "names", nargs="*", type=_named, metavar="NAME", help="default: all that are at hand"
    )


def _run(every):
    add = _add(
        every,
        "run",
        commands.run,
        "compute a paper's records; resumes",
        "Stop it as you like: finished jobs are kept, and the same command goes on.",
        "ldlrepro run structrf --dataset s-JAFFE --method StructRF",
    )
    add.add_argument("paper", metavar="PAPER", help=_papers())
    add.add_argument(
        "--experiment", type=_named, action="append", help="only this one (repeatable)"
    )
    add.add_argument("--table", type=_named, help='what one table or figure needs: 19, "figure 4"')
    add.add_argument("--dataset", type=_named, action="append", help="only this one (repeatable)")
    add.add_argument("--method", type=_named, action="append", help="only this one (repeatable)")
    add.add_argument("--profile", choices=PROFILES, default="paper")
    add.add_argument("--n-jobs", type=_processes, default=-1, help="processes (default: all cores)")
    add.add_argument("--recompute", action="store_true", help="also what is there; resumes")
    add.add_argument("--seed", type=_seed, help="another one; records go to ldlrepro-records")
    add.add_argument("--shard", type=_shard, metavar="I/N", help="only the I-th of N parts")
    add.add_argument(
        "--out", type=_path, metavar="DIR", help="folder for new records (with --shard: I-of-N)"
    )


def _agreement(every):
    add = _add(
        every,
        "agreement",
        commands.agreement,
        "how many informative printed numbers each of our methods matches",
        "Printed rows stand down the side, our methods across.",
        "ldlrepro agreement mslp",
    )
    names = ", ".join(chapter_names())
    add.add_argument(
        "papers", nargs="*", type=_named, metavar="PAPER", help=f"default: all of them; {names}"
    )


def _merge(every):
    add = _add(
        every,
        "merge",
        commands.merge,
        "bring records of shards or other machines together",
        "Stale or incomplete jobs are left where they are.",
        "ldlrepro merge 1-of-2 2-of-2",
    )
    add.add_argument("folders", nargs="+", type=_path, metavar="DIR", help="of records")
    add.add_argument("--profile", choices=PROFILES, default="paper", help="of the runs")
    add.add_argument("--seed", type=_seed, help="of the runs, as in `ldlrepro run --seed`")


def _verify(every):
    add = _add(
        every,
        "verify",
        commands.verify,
        "fit a random sample of records again, or compare with another revision",
        "It needs the data.",
        "ldlrepro verify structrf --sample 20",
    )
    add.add_argument(
        "papers",
        nargs="*",
        type=_named,
        metavar="PAPER",
        help=f"default: all of them; {_papers()}",
    )
    add.add_argument("--sample", type=_count, default=20, metavar="K", help="fits (default: 20)")
    add.add_argument("--seed", type=_sample_seed, default=0, help="of the sample")
    add.add_argument("--max-seconds", type=_seconds, help="leave out fits that took longer")
    add.add_argument("--n-jobs", type=_processes, default=1, help="processes")
    add.add_argument(
        "--against",
        type=_named,
        metavar="REV",
        help="run what is stale with the code of a git revision too; where the numbers are equal, "
        "the records count as fresh",
    )


def _status(every):
    add = _add(
        every,
        "status",
        commands.status,
        "what is computed, stale, missing",
        "A record is stale when code that its numbers depend on has changed since.",
        "ldlrepro status structrf",
    )
    add.add_argument(
        "paper", nargs="?", type=_named, metavar="PAPER", help=f"default: all of them; {_papers()}"
    )
    add.add_argument("--profile", choices=PROFILES, default="paper")
    add.add_argument("--seed", type=_seed, help="records of another one, in ldlrepro-records")


def _notebooks(every):
    add = _add(
        every,
        "notebooks",
        commands.notebooks,
        "run notebooks with papermill",
        "What is in the records is not computed again."
        if paths.IN_CHECKOUT
        else "The chapters of the papers need a clone of the project.",
        f"ldlrepro notebooks {'structrf' if paths.IN_CHECKOUT else 'compare'} -p datasets s-JAFFE "
        "--out out",
    )
    notebooks = ", ".join(sorted(path.stem for path in paths.NOTEBOOKS.glob("*.ipynb")))
    add.add_argument(
        "papers",
        nargs="*",
        type=_named,
        metavar="PAPER",
        help=f"default: all notebooks; {notebooks}",
    )
    add.add_argument(
        "-p",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="a parameter (repeatable)",
    )
    add.add_argument(
        "-y", action="append", default=[], metavar="YAML", help="parameters: {name: value, ...}"
    )
    add.add_argument(
        "--out", type=_path, required=True, metavar="DIR", help="folder for what was run"
    )
    add.add_argument("--jobs", type=_count, default=1, help="notebooks at a time")
    add.add_argument("--fresh", action="store_true", help="also those that are finished")


def _compare(every):
    add = _add(
        every,
        "compare",
        commands.compare,
        "your method beside the stored ones, or any methods on your data",
        "Only what is not stored is fitted.",
        "ldlrepro compare StructRF my_file.py:MyMethod --data my.csv --labels 'd_*'",
    )
    add.add_argument(
        "methods",
        nargs="*",
        type=_named,
        metavar="METHOD",
        help="a class or method of ldlrepro, FILE.py:CLASS of your own, or python-ldl:CLASS of "
        "that package, with settings as in 'StructRF(max_depth=5)'; without any, on your data: one "
        "or two methods of each kind",
    )
    add.add_argument(
        "--dataset",
        type=_named,
        action="append",
        help="a registered set (repeatable; default: all at hand)",
    )
    add.add_argument("--data", type=_path, metavar="FILE", help="your own: .csv .parquet .npz .mat")
    add.add_argument("--labels", metavar="NAMES", help="its label columns: 'd_*' or sad,happy")
    add.add_argument(
        "--groups", metavar="NAME", help="its column of persons, say: folds do not part their rows"
    )
    add.add_argument("--drop", metavar="NAMES", help="its columns that are left out: date,note_*")
    add.add_argument("--task", choices=("auto", "ldl", "multilabel"), help="of your data")
    add.add_argument("--folds", type=_count, help="of your data (default: 10)")
    add.add_argument("--seed", type=_seed, help="of the folds of your data (default: 0)")
    add.add_argument("--n-jobs", type=_processes, default=-1, help="processes (default: all cores)")
    add.add_argument("--out", type=_file, metavar="FILE", help="a page, .html, or records, .csv")
    add.add_argument(
        "--records",
        type=_path,
        metavar="DIR",
        default=Path("ldlrepro-records"),
        help="keeps every fit, so that the command goes on where it was (default: %(default)s)",
    )


#: Digits of a number of processes, folds or fits.
_DIGITS = 6


def _processes(text):
    if text == "-1" or text.isdecimal() and len(text) <= _DIGITS and int(text):
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of processes: 1, 2, ..., -1 for all")


def _seed(text, largest=LARGEST_SEED):
    if text.isdecimal() and len(text) <= len(str(largest)) and int(text) <= largest:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to {largest}")


def _sample_seed(text):
    """Of a generator, that no paper's seed is added to."""
    return _seed(text, 2**32 - 1)


def _count(text):
    if text.isdecimal() and len(text) <= _DIGITS and int(text):
        return int(text)
    raise argparse.ArgumentTypeError(
        f"{text!r} is no whole number above 0, of up to {_DIGITS} digits"
    )


def _seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if 0 < value < math.inf:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")


def _file(text):
    path = _path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a folder: name a file in it")
    if path.exists() and not path.is_file():
        raise argparse.ArgumentTypeError(f"{text} is no file, but a FIFO, a socket or a device")
    if not paths.is_short(path):
        raise argparse.ArgumentTypeError(f"the name of {text} is too long to write")
    folder = (paths.target(path) if path.is_symlink() else path).parent
    if folder.is_dir():
        return path
    raise argparse.ArgumentTypeError(f"there is no folder {folder}")


def _shard(text):
    number, slash, parts = text.partition("/")
    if slash and number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts):
        return int(number), int(parts)
    raise argparse.ArgumentTypeError(f"{text!r} is not I/N with 1 <= I <= N, as in 2/8")


if __name__ == "__main__":
    sys.exit(main())
