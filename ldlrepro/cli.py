"""The command ``ldlrepro``."""

import argparse
import sys
import warnings

import pandas as pd

from ldlrepro import datasets, errors, paths, protocols


def main(arguments=None):
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=sys.stderr)
    try:
        return options.do(options) or 0
    except errors.LdlreproError as error:
        print(f"ldlrepro: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output, `head` say, has seen enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        print("\nldlrepro: stopped; what was finished is kept.", file=sys.stderr)
        return 130


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
    add.add_argument("--n-jobs", type=int, default=-1, help="processes (default: all cores)")
    add.add_argument("--backend", choices=("loky", "dask"), default="loky")
    add.add_argument("--recompute", action="store_true", help="also what is there")
    add.set_defaults(do=_run)

    add = commands.add_parser("status", help="what is computed, stale, missing")
    add.add_argument("paper", nargs="?")
    add.add_argument("--profile", choices=protocols.PROFILES, default="paper")
    add.set_defaults(do=_status)

    add = commands.add_parser("notebooks", help="run notebooks with papermill")
    add.add_argument("papers", nargs="*", metavar="PAPER", help="default: all")
    add.add_argument("-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"))
    add.add_argument("--out", required=True, metavar="DIR")
    add.add_argument("--jobs", type=int, default=1, help="notebooks at a time")
    add.set_defaults(do=_notebooks)

    add = commands.add_parser("bench", help="time fits against what users would take instead")
    add.add_argument("--dataset", action="append", help="only this one (repeatable)")
    add.add_argument("--repeats", type=int, default=3, help="the best of so many counts")
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
    return 1 if any(r["file"] not in ("ok", "not at hand") for r in rows) else 0


def _run(options):
    paper = protocols.get_paper(options.paper)
    if options.profile == "paper":
        paths.local_copies()  # a wrong folder is told before anything is computed
    experiments, names = options.experiment, options.dataset
    if options.table is not None:
        key = options.table.lower().replace("table ", "")
        if key not in paper.tables:
            raise errors.UnknownNameError(
                f"{paper.name} has no table {options.table!r} here; there are: "
                + ", ".join(paper.tables)
            )
        experiments, needed = paper.tables[key]
        if options.profile == "paper":  # the quick profile has data sets of its own
            names = names or list(needed) or None
    studies = [s.name for s in paper.studies if experiments is None or s.name in experiments]
    if experiments is not None:
        experiments = [e for e in experiments if e not in studies]
    result = protocols.run(
        paper,
        datasets=names,
        methods=options.method,
        profile=options.profile,
        n_jobs=options.n_jobs,
        backend=options.backend,
        experiments=experiments,
        recompute=options.recompute,
    )
    print(f"{result['computed']} computed, {result['kept']} already there.")
    for name, why in result["unavailable"].items():
        print(f"not run: {name}: {why}")
    if names is None and options.method is None:
        for name in studies:
            protocols.study(paper, name, options.profile, options.recompute)
            print(f"study {name}: there.")


def _status(options):
    for name in [options.paper] if options.paper else protocols.paper_names():
        frame = pd.DataFrame(protocols.status(name, options.profile))
        frame["missing"] = frame.total - frame.done
        print(f"{name}: {frame.done.sum()} of {frame.total.sum()} folds done")
        groups = frame.groupby(["experiment", "dataset"], sort=False)
        lacking = groups[["done", "stale", "missing"]].sum().query("missing > 0").reset_index()
        if len(lacking):
            _print(lacking)
            print(f"To compute what is missing or stale: ldlrepro run {name}")


def _notebooks(options):
    from ldlrepro import batch

    parameters = {name: batch.parse(value) for name, value in options.p}
    for path in batch.run(options.papers, parameters, options.out, options.jobs):
        print(path)


def _bench(options):
    from ldlrepro import bench

    _print(bench.run(options.dataset, options.repeats))


if __name__ == "__main__":
    sys.exit(main())
