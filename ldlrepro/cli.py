"""The command ``ldlrepro``."""

import argparse
import math
import signal
import sys
import threading
import warnings
from datetime import date
from pathlib import Path

import pandas as pd

from ldlrepro import datasets, errors, parameters, paths, protocols
from ldlrepro.protocols import environment, rounding
from ldlrepro.protocols import merge as merging
from ldlrepro.protocols import verify as verification
from ldlrepro.protocols.declare import reseeded
from ldlrepro.protocols.store import write_whole


def main(arguments=None):
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            signal.signal(number, _stop)
    warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=sys.stderr)
    try:
        return options.do(options) or 0
    except errors.LdlreproError as error:
        print(f"ldlrepro: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output, `head` say, has seen enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt as stop:
        print("\nldlrepro: stopped; what was finished is kept.", file=sys.stderr)
        return 128 + (stop.args[0] if isinstance(stop, _Stopped) else signal.SIGINT)


class _Stopped(KeyboardInterrupt):
    """A signal that asks for an end, as Ctrl-C does; its number is the argument."""


def _stop(number, _):
    signal.signal(number, signal.SIG_IGN)  # once is enough
    raise _Stopped(number)


def _parser():
    parser = argparse.ArgumentParser(prog="ldlrepro", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    data = commands.add_parser("data", help="list, fetch or check data sets")
    actions = data.add_subparsers(required=True, metavar="ACTION")
    add = actions.add_parser("list", help="the registered data sets and which are at hand")
    add.set_defaults(do=_data_list)
    add = actions.add_parser("fetch", help="download data sets and verify them")
    add.add_argument("names", nargs="+", help='names, or "all"')
    add.set_defaults(do=_data_fetch)
    add = actions.add_parser("accept", help="take a copy with another digest; tables will say so")
    add.add_argument("name")
    add.add_argument("file", nargs="?", type=Path, help="default: the file that is in place")
    add.set_defaults(do=_data_accept)
    add = actions.add_parser("check", help="verify files; report shapes, sums, repeated rows")
    add.add_argument("names", nargs="*")
    add.set_defaults(do=_data_check)

    add = commands.add_parser("run", help="compute a paper's records; resumes")
    add.add_argument("paper")
    add.add_argument("--experiment", action="append", help="only this one (repeatable)")
    add.add_argument("--table", help='what one table or figure needs: 19, "figure 4"')
    add.add_argument("--dataset", action="append", help="only this one (repeatable)")
    add.add_argument("--method", action="append", help="only this one (repeatable)")
    add.add_argument("--profile", choices=protocols.PROFILES, default="paper")
    add.add_argument("--n-jobs", type=_processes, default=-1, help="processes (default: all cores)")
    add.add_argument("--backend", choices=("loky", "dask"), default="loky")
    add.add_argument("--recompute", action="store_true", help="also what is there; resumes")
    add.add_argument("--seed", type=int, help="another one; records go to ldlrepro-records")
    add.add_argument("--shard", type=_shard, metavar="I/N", help="only the I-th of N parts")
    add.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for new records (with --shard: I-of-N)"
    )
    add.set_defaults(do=_run)

    add = commands.add_parser(
        "agreement", help="printed cells against our methods: those that agree, those that can tell"
    )
    add.add_argument("papers", nargs="*", metavar="PAPER")
    add.set_defaults(do=_agreement)

    add = commands.add_parser("merge", help="bring records of shards or other machines together")
    add.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    add.set_defaults(do=_merge)

    add = commands.add_parser(
        "verify", help="fit a random sample of records again, or compare with another revision"
    )
    add.add_argument("papers", nargs="*", metavar="PAPER", help="default: all")
    add.add_argument("--sample", type=_count, default=20, metavar="K", help="fits (default: 20)")
    add.add_argument("--seed", type=int, default=0, help="of the sample")
    add.add_argument("--max-seconds", type=_seconds, help="leave out fits that took longer")
    add.add_argument("--n-jobs", type=_processes, default=1, help="processes")
    add.add_argument(
        "--against",
        metavar="REV",
        help="run what is stale with the code of a git revision too; where the numbers are equal, "
        "the records count as fresh",
    )
    add.set_defaults(do=_verify)

    add = commands.add_parser(
        "rounding", help="how far other kernels and row orders move the numbers of the tables"
    )
    add.add_argument("papers", nargs="*", metavar="PAPER", help="default: all")
    add.add_argument("--max-seconds", type=_seconds, default=1.0, help="leave out longer fits")
    add.add_argument("--n-jobs", type=_processes, default=1, help="processes")
    add.set_defaults(do=_rounding)

    add = commands.add_parser("status", help="what is computed, stale, missing")
    add.add_argument("paper", nargs="?")
    add.add_argument("--profile", choices=protocols.PROFILES, default="paper")
    add.add_argument("--seed", type=int, help="records of another one, in ldlrepro-records")
    add.set_defaults(do=_status)

    add = commands.add_parser("notebooks", help="run notebooks with papermill")
    add.add_argument("papers", nargs="*", metavar="PAPER", help="default: all")
    add.add_argument("-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"))
    add.add_argument("-y", action="append", default=[], metavar="YAML", help="{name: value, ...}")
    add.add_argument("--out", required=True, metavar="DIR")
    add.add_argument("--jobs", type=_count, default=1, help="notebooks at a time")
    add.add_argument("--fresh", action="store_true", help="also those that are finished")
    add.set_defaults(do=_notebooks)

    add = commands.add_parser(
        "compare", help="your method beside the stored ones, or any methods on your data"
    )
    add.add_argument(
        "methods",
        nargs="*",
        metavar="METHOD",
        help="FILE.py:CLASS of your own, or a name of this package's; default, on your data: some",
    )
    add.add_argument(
        "--dataset", action="append", help="a registered set (repeatable; default: all at hand)"
    )
    add.add_argument("--data", type=Path, metavar="FILE", help="your own: .csv .parquet .npz .mat")
    add.add_argument("--labels", metavar="NAMES", help="its label columns: 'd_*' or sad,happy")
    add.add_argument("--task", choices=("auto", "ldl", "multilabel"), help="of your data")
    add.add_argument("--folds", type=int, help="of your data (default: 10)")
    add.add_argument("--seed", type=int, help="of the folds of your data (default: 0)")
    add.add_argument("--n-jobs", type=_processes, default=-1, help="processes (default: all cores)")
    add.add_argument("--out", type=_file, metavar="FILE", help="a page, .html, or records, .csv")
    add.add_argument(
        "--records",
        type=Path,
        metavar="DIR",
        default=Path("ldlrepro-records"),
        help="keeps every fit, so that the command goes on where it was (default: %(default)s)",
    )
    add.set_defaults(do=_compare)

    add = commands.add_parser("bench", help="time fits against what users would take instead")
    add.add_argument("--dataset", action="append", help="only this one (repeatable)")
    add.add_argument("--repeats", type=_count, help="the best of so many counts (default: 3)")
    add.add_argument("--scale", action="store_true", help="time and memory against n, q and c")
    add.add_argument("--method", action="append", help="with --scale only this one (repeatable)")
    add.add_argument("--limit", type=_seconds, help="with --scale, seconds of a fit (default: 10)")
    add.add_argument("--large", action="store_true", help="with --scale, StructRF on 1M rows too")
    add.add_argument("--out", type=_file, metavar="FILE", help="CSV file that gets the table")
    add.set_defaults(do=_bench)
    return parser


def _print(rows):
    with pd.option_context(
        "display.width", 200, "display.max_columns", 30, "display.max_rows", 500
    ):
        print(pd.DataFrame(rows).to_string(index=False))


def _data_list(_):
    _print(datasets.list())


def _data_fetch(options):
    names = datasets.names() if options.names == ["all"] else options.names
    failed = 0
    for name in names:
        try:
            for path in datasets.fetch(name):
                print(path)
        except (errors.DataUnavailableError, errors.DataCorruptError) as error:
            failed += 1
            print(f"ldlrepro: {error}", file=sys.stderr)
    return 1 if failed else 0


def _data_accept(options):
    path = datasets.accept(options.name, options.file)
    print(f"{path} is taken; where its digest is not the registered one, tables say so.")


def _data_check(options):
    rows = datasets.check(options.names or None)
    if rows:
        _print(rows)
    if all(r["file"] == "not at hand" for r in rows):
        raise errors.DataUnavailableError(
            "nothing was checked, since no file of these data sets is at hand. Run `ldlrepro data "
            f"fetch {' '.join(options.names) or 'NAME'}`, or set LDLREPRO_DATA to a folder that "
            "holds them."
        )
    fine = ("ok", "not at hand", datasets.UNVERIFIED)
    return 1 if any(r["file"] not in fine for r in rows) else 0


def _run(options):
    paper = reseeded(protocols.get_paper(options.paper), parameters.seed(options.seed))
    if options.profile == "paper":
        paths.local_copies()  # a wrong folder is told before anything is computed
    experiments, names = options.experiment, options.dataset
    if options.table is not None:
        key = options.table.lower().replace("table ", "")
        tables = {name.lower(): needs for name, needs in paper.tables.items()}
        if key not in tables:
            there = f"there are: {', '.join(paper.tables)}."
            if not paper.tables:
                names = ", ".join(e.name for e in paper.experiments)
                there = f"choose by --experiment: {names}."
            raise errors.UnknownNameError(
                f"{paper.name} has no table {options.table!r} here; {there}"
            )
        experiments, needed = tables[key]
        if options.profile == "paper":  # the quick profile has data sets of its own
            names = names or list(needed) or None
    studies = [s.name for s in paper.studies if experiments is None or s.name in experiments]
    if experiments is not None:
        experiments = [e for e in experiments if e not in studies]
    out = options.out
    if out is None and options.shard:
        out = Path("{}-of-{}".format(*options.shard))
    result = protocols.run(
        paper,
        datasets=names,
        methods=options.method,
        profile=options.profile,
        n_jobs=options.n_jobs,
        backend=options.backend,
        experiments=experiments,
        recompute=options.recompute,
        shard=options.shard,
        out=out,
    )
    print(f"{result['computed']} computed, {result['kept']} already there.")
    for name, why in result["unavailable"].items():
        print(f"not run: {name}: {why}", file=sys.stderr)
    done = result["computed"] + result["kept"] > 0
    if names is None and options.method is None and out is None:
        for name in studies:
            protocols.study(paper, name, options.profile, options.recompute)
            print(f"study {name}: there.")
        done = done or bool(studies)
    elif out is not None:
        print(f"The records are in {out}; `ldlrepro merge` brings them to the others.")
    return 1 if result["unavailable"] and not done else 0


def _processes(text):
    if text.removeprefix("-").isdigit() and int(text):
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of processes: 1, 2, ..., -1 for all")


def _count(text):
    if text.isdigit() and int(text):
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")


def _seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if 0 < value < math.inf:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")


def _file(text):
    if Path(text).parent.is_dir():
        return Path(text)
    raise argparse.ArgumentTypeError(f"there is no folder {Path(text).parent}")


def _shard(text):
    number, slash, parts = text.partition("/")
    if slash and number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts):
        return int(number), int(parts)
    raise argparse.ArgumentTypeError(f"{text!r} is not I/N with 1 <= I <= N, as in 2/8")


def _merge(options):
    found = merging.merge(options.folders)
    print(f"{found['added']} jobs added, {found['there']} already there.")
    if found["stale"]:
        print(f"{found['stale']} stale or incomplete jobs were left where they are.")


def _verify(options):
    if options.against:
        return _against(options)
    rows = verification.verify(
        options.papers, options.sample, options.seed, options.max_seconds, options.n_jobs
    )
    if rows.empty:
        print("ldlrepro: there is no fresh record to fit again.", file=sys.stderr)
        return 1
    counts = rows.outcome.value_counts()
    print(", ".join(f"{counts.get(o, 0)} {o}" for o in verification.OUTCOMES if o in counts))
    print(verification.machine_line())
    told = rows[rows.outcome != "equal"].drop(columns="why")
    if len(told):
        _print(told)
    for row in rows[rows.why.notna()].itertuples():
        print(f"{row.method} on {row.dataset}, fold {row.fold}: {row.why}", file=sys.stderr)
    return 1 if counts.index.isin(["differs", "failed"]).any() or not _any_run(counts) else 0


def _rounding(options):
    fits = rounding.run(options.papers, options.max_seconds, options.n_jobs)
    print(f"{fits} fits; the largest spreads, as a share of the measure:")
    spreads = rounding.spreads().groupby("estimator")[["kernels", "orders"]].max()
    _print(spreads.sort_values("kernels", ascending=False).head(20).reset_index())


def _any_run(counts):
    return counts.drop("data not at hand", errors="ignore").sum() > 0


def _against(options):
    rows = verification.against(options.against, options.papers)
    if rows.empty:
        print("Nothing is stale.")
        return 0
    counts = rows.outcome.value_counts()
    print(", ".join(f"{number} {outcome}" for outcome, number in counts.items()))
    told = rows[rows.outcome != "equal"]
    for row in told.itertuples():
        print(f"{row.kind} {row.what}: {row.outcome}: {row.why}")
    return 1 if len(told) else 0


def _status(options):
    seed = parameters.seed(options.seed)
    for name in [options.paper] if options.paper else protocols.paper_names():
        paper = reseeded(protocols.get_paper(name), seed)
        declared = options.profile == "paper" and not seed
        root = paths.known_results() if declared else None
        frame = pd.DataFrame(protocols.status(paper, options.profile, root))
        frame["missing"] = frame.total - frame.done
        print(f"{name}: {frame.done.sum()} of {frame.total.sum()} folds done")
        groups = frame.groupby(["experiment", "dataset"], sort=False)
        lacking = groups[["done", "stale", "missing"]].sum().query("missing > 0").reset_index()
        if len(lacking):
            _print(lacking)
            name += f" --seed {seed}" if seed else ""
            print(f"To compute what is missing or stale: ldlrepro run {name}")


def _notebooks(options):
    from ldlrepro import batch  # papermill and plots: not needed by the other commands

    given = {}
    for text in options.y:
        given |= batch.parse_yaml(text)
    given |= {name: batch.parse(value) for name, value in options.p}
    for path, was_run in batch.run(options.papers, given, options.out, options.jobs, options.fresh):
        print(path if was_run else f"{path} (finished before; --fresh runs it again)")
    print(Path(options.out) / "index.html")


def _compare(options):
    from ldlrepro import comparing, userdata  # plots: not needed by the other commands

    if options.out and options.out.suffix not in (".html", ".csv"):
        raise comparing.CompareError(f"--out {options.out}: write a page, .html, or records, .csv.")
    if options.data and options.dataset:
        raise comparing.CompareError("Give --data, your own, or --dataset, registered ones.")
    own = ("labels", "task", "folds", "seed")
    given = [f"--{name}" for name in own if getattr(options, name) is not None]
    if given and not options.data:
        raise comparing.CompareError(
            f"{', '.join(given)}: of your own data, which --data names. Registered sets keep the "
            "folds of the stored records."
        )
    named = comparing.load_methods(options.methods)
    if options.data:
        what = {"X": userdata.read(options.data, options.labels, options.task or "auto")}
        what |= {"folds": 10 if options.folds is None else options.folds}
        what |= {"random_state": options.seed or 0}
    else:
        what = {"datasets": options.dataset or comparing.at_hand()}
    found = comparing.compare(
        named or None, **what, n_jobs=options.n_jobs, records=options.records, progress=True
    )
    if options.out:  # first: who reads the tables may close the pipe
        (found.to_html if options.out.suffix == ".html" else found.to_csv)(options.out)
    for line in found.said():
        print(line)
    skill = found.skill().rename(columns=found.names)
    print(f"Share of {found.null}'s loss removed ({found.main}): 1 is perfect, 0 learns nothing\n")
    print(skill.rename_axis(None, axis=1).round(3).to_string(na_rep="-"))
    for name in found.mine:
        print(f"\n{name} against the others\n")
        table = found.against(name)
        _print(table.assign(gain=table.gain.map("{:+.1%}".format)).astype(str))
    if len(found.names) > 1:
        print("\nAverage ranks over families of data sets\n")
        print(found.ranks().map("{:.2f}".format).to_string())
    if options.out:
        print(f"\n{options.out}")


def _bench(options):
    from ldlrepro import bench, scale

    foreign = ("dataset", "repeats") if options.scale else ("method", "limit", "large")
    given = [f"--{name}" for name in foreign if getattr(options, name)]
    if given:
        raise errors.LdlreproError(
            f"{', '.join(given)}: only {'without' if options.scale else 'with'} --scale."
        )
    if options.scale:
        from ldlrepro.report import speed  # plots

        limit = options.limit or scale.LIMIT
        _print(speed.growth(scale.run(options.method, limit, out=options.out, large=options.large)))
        return
    table, made = [], {"machine": environment.machine(), "date": date.today().isoformat()}
    for row in bench.run(options.dataset, options.repeats or 3):
        table.append(row)
        if options.out:
            write_whole(options.out, pd.DataFrame(table).assign(**made).to_csv(index=False))
    _print(table)


def _agreement(options):
    from ldlrepro import scoreboard  # plots: not needed by the other commands

    for name in options.papers or scoreboard.BOARDS:
        paper = protocols.get_paper(name)
        table = scoreboard.agreement_of(paper.name)
        print(f"{paper.title}: printed rows, our methods across\n")
        print(table.map(lambda found: str(found) if any(found) else "-").to_string(), end="\n\n")


if __name__ == "__main__":
    sys.exit(main())
