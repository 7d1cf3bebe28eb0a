"""What each command of ``ldlrepro`` does. Libraries are imported by the command that needs them."""

import shlex
import sys
from contextlib import suppress
from operator import add
from pathlib import Path

from ldlrepro import datasets, errors, parameters, paths, protocols
from ldlrepro.datasets import listing
from ldlrepro.papers import chapter_names, get_paper, get_papers, meant, paper_name, paper_names


def _print(rows):
    import pandas as pd

    print(pd.DataFrame(rows).to_string(index=False))


def _columns(rows):
    """Print rows of cells in columns, those that are None as pandas does."""
    texts = [["<NA>" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        print(" ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def _patience(what):
    """Show on a terminal what there is to wait for, where it takes long."""
    from ldlrepro.protocols.progress import waiting

    return waiting(what)


def data_list(_):
    """Print the registered data sets."""
    rows = listing.rows()
    _columns([list(rows[0]), *(row.values() for row in rows)])


def data_fetch(options):
    """Download data sets; 1 where one could not be had."""
    names = datasets.names() if options.names == ["all"] else list(dict.fromkeys(options.names))
    failed = 0
    for name in names:
        try:
            for path in datasets.fetch(name):
                print(path)
        except (errors.DataUnavailableError, errors.DataCorruptError) as error:
            failed += 1
            print(f"ldlrepro: {error}", file=sys.stderr)
    return 1 if failed else 0


def data_accept(options):
    """Take a copy with another digest."""
    path = datasets.accept(options.name, options.file)
    print(f"{path} is taken; where its digest is not the registered one, tables say so.")


def data_check(options):
    """Print what files are like; 1 where one is not right."""
    rows = datasets.check(list(dict.fromkeys(options.names)) or None)
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


def run(options):
    """Compute a paper's records."""
    name = paper_name(options.paper)
    from ldlrepro.declare import reseeded

    paper = reseeded(get_paper(name), parameters.seed(options.seed))
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
    if out is not None and (why := paths.obstacle(out)):
        raise errors.UnknownFolderError(f"{why}: --out names a folder for records.")
    result = protocols.run(
        paper,
        datasets=names,
        methods=options.method,
        profile=options.profile,
        n_jobs=options.n_jobs,
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
    elif out is not None and any(out.rglob("*.csv")):
        more = f" --profile {options.profile}" if options.profile != "paper" else ""
        more += f" --seed {options.seed}" if options.seed else ""
        merge = f"ldlrepro merge {shlex.quote(str(out))}{more}"
        print(f"The records are in {out}; `{merge}` brings them to the others.")
    elif out is not None:
        print(f"No records are in {out}: none was missing.")
    return 1 if result["unavailable"] and not done else 0


def merge(options):
    """Bring records together."""
    from ldlrepro.declare import reseeded
    from ldlrepro.protocols.merge import merge as merged

    seed = parameters.seed(options.seed)
    with _patience("reading the records"):
        found = merged(options.folders, [reseeded(p, seed) for p in get_papers()], options.profile)
    print(f"{found['added']} jobs added, {found['there']} already there.")
    if found["stale"]:
        print(f"{found['stale']} stale or incomplete jobs were left where they are.")


def verify(options):
    """Fit a sample of records again, or compare with another revision."""
    from ldlrepro.papers import refit
    from ldlrepro.protocols import verify as verification

    papers = _papers(options)
    paths.check_results()
    if options.against:
        return _against(verification.against(options.against, papers, refit.__name__))
    rows = verification.verify(
        papers, options.sample, options.seed, options.max_seconds, options.n_jobs
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
    run = counts.drop([*verification.NOT_RUN], errors="ignore").sum() > 0
    return 1 if counts.index.isin(["differs", "failed"]).any() or not run else 0


def _papers(options):
    return get_papers(list(dict.fromkeys(map(paper_name, options.papers))))


def _against(rows):
    if rows.empty:
        print("Nothing is stale.")
        return 0
    counts = rows.outcome.value_counts()
    print(", ".join(f"{number} {outcome}" for outcome, number in counts.items()))
    told = rows[rows.outcome != "equal"]
    for row in told.itertuples():
        print(f"{row.kind} {row.what}: {row.outcome}: {row.why}")
    return 1 if len(told) else 0


def status(options):
    """Print what is computed, stale, missing."""
    from ldlrepro.protocols.answers import Answers

    seed = parameters.seed(options.seed)
    names = [paper_name(options.paper)] if options.paper is not None else paper_names()
    if options.profile == "paper" and seed is None:
        paths.check_results()
    answers = Answers(options.profile, seed)
    for name in names:
        rows = answers.kept(name)
        if rows is None:
            from ldlrepro.declare import reseeded  # a kept answer needs no library

            with _patience(f"reading the records of {name} and the code that they depend on"):
                rows = answers.made(reseeded(get_paper(name), seed))
        total, done = (sum(row[key] for row in rows) for key in ("total", "done"))
        print(f"{name}: {done} of {total} folds done")
        groups = {}
        for row in rows:
            group = groups.setdefault((row["experiment"], row["dataset"]), [0, 0, 0])
            missing = row["total"] - row["done"] - row["stale"]
            counts = row["done"], row["stale"], missing
            groups[row["experiment"], row["dataset"]] = [*map(add, group, counts)]
        groups = {group: counts for group, counts in groups.items() if counts[1] + counts[2] > 0}
        if groups:
            lines = [[*group, *map(" {}".format, counts)] for group, counts in groups.items()]
            _columns([["experiment", "dataset", " done", " stale", " missing"], *lines])
            name += f" --seed {seed}" if seed else ""
            print(f"To compute what is missing or stale: ldlrepro run {name}")


def notebooks(options):
    """Run notebooks."""
    from ldlrepro import batch

    given = {}
    pairs = [pair for text in options.y for pair in batch.parse_yaml(text).items()]
    pairs += [(name, batch.parse(value)) for name, value in options.p]
    for name, value in pairs:
        if name in given:
            raise batch.ParameterError(
                f"Parameter {name!r} is given twice: {given[name]!r} and {value!r}. Give it once; "
                "a list names several: '[s-JAFFE, Movie]'."
            )
        given[name] = value
    there = sorted(path.stem for path in paths.NOTEBOOKS.glob("*.ipynb"))
    if not paths.IN_CHECKOUT:
        for name in options.papers:
            if _means(name, set(chapter_names()) - set(there)):
                raise errors.UnknownNameError(
                    f"The chapter {name} is not installed: it needs a clone of the project, with "
                    f"its notebooks and records. Here there are: {', '.join(there)}."
                )
    papers = [meant(name, there, "notebook") if there else name for name in options.papers]
    for path, was_run in batch.run(papers, given, options.out, options.jobs, options.fresh):
        print(path if was_run else f"{path} (finished before; --fresh runs it again)")
    print(Path(options.out) / "index.html")


def _means(text, names):
    try:
        return meant(text, names, "notebook")
    except errors.UnknownNameError:
        return None


def compare(options):
    """Print how methods do beside each other."""
    from ldlrepro.user import compare as comparing
    from ldlrepro.user import data as userdata
    from ldlrepro.user import text
    from ldlrepro.user.methods import load_methods

    if options.out:
        parameters.check_out(options.out)
    if options.data and options.dataset:
        raise comparing.CompareError("Give --data, your own, or --dataset, registered ones.")
    own = ("labels", "groups", "drop", "task", "folds", "seed")
    given = [f"--{name}" for name in own if getattr(options, name) is not None]
    if given and not options.data:
        raise comparing.CompareError(
            f"{', '.join(given)}: only with --data, a table of your own. Registered sets keep the "
            "folds of the stored records."
        )
    if options.labels and options.data.suffix.lower() in (".npz", ".mat"):
        raise comparing.CompareError(
            f"--labels is for tables. {options.data} holds its labels in an array D, Y or labels: "
            "leave the option out."
        )
    _keep_inputs(options)
    try:
        named = load_methods(options.methods)
    except errors.UnknownNameError as error:
        if not options.labels or set(",*") & set(options.labels):
            raise
        raise errors.UnknownNameError(
            f"{error} If it is a label: names of --labels have commas between them, and no spaces."
        ) from None
    if options.data:
        read = userdata.read(
            options.data,
            options.labels,
            task=options.task or "auto",
            groups=options.groups,
            drop=options.drop,
        )
        what = {"X": read}
        what |= {"folds": 10 if options.folds is None else options.folds}
        what |= {"random_state": options.seed or 0}
    else:
        if paths.IN_CHECKOUT:  # else the stored records are installed
            paths.check_results()
        what = {"datasets": options.dataset or comparing.at_hand()}
    found = comparing.compare(
        named or None, **what, n_jobs=options.n_jobs, records=options.records, progress=True
    )
    if options.out:  # first: who reads the tables may close the pipe
        (found.to_html if options.out.suffix.lower() == ".html" else found.to_csv)(options.out)
    print(text.tables(found))
    if options.out:
        print(f"\n{options.out}")


def _keep_inputs(options):
    """Raise CompareError where an output would be written over what the command reads."""
    from ldlrepro.user.methods import CompareError, split
    from ldlrepro.user.runs import EXPERIMENT

    names = [split(text)[0] for text in options.methods]
    files = [Path(name.rpartition(":")[0]) for name in names if ":" in name]
    read = [options.data, *map(paths.expanded, files)]
    for path in (path for path in read if path is not None):
        if options.out and _same(options.out, path):
            raise CompareError(f"--out {options.out} would replace {path}: name another file.")
        kept = options.records / EXPERIMENT
        if _same(path.parent, kept):
            raise CompareError(
                f"{path} lies in {kept}, where the records are written: move it, or name another "
                "folder by --records."
            )
    if options.out and _same(options.out.parent, options.records / EXPERIMENT):
        raise CompareError(
            f"--out {options.out} lies among the records of {options.records}: name another folder."
        )


def _same(one, other):
    """Whether two paths are one file or folder, by whatever links."""
    with suppress(OSError):
        if one.samefile(other):
            return True
    return paths.target(one) == paths.target(other)


def agreement(options):
    """Print how many informative printed numbers each method matches; 1 without records."""
    from ldlrepro import scoreboard
    from ldlrepro.report.yardstick import confusion_of

    names = dict.fromkeys(meant(n, chapter_names(), "chapter on") for n in options.papers)
    paths.check_results()
    status = 0
    for chapter in map(scoreboard.chapter_of, names) if names else scoreboard.chapters():
        table = confusion_of(chapter, chapter.more_methods())
        if table.empty:
            name = chapter.paper.name
            there = f"there are no records of {name}: `ldlrepro run {name}` computes them."
            print(f"ldlrepro: {there}", file=sys.stderr)
            status = 1
            continue
        print(f"{chapter.paper.title}: printed rows, our methods across\n")
        print(table.map(lambda found: str(found) if any(found) else "-").to_string(), end="\n\n")
    return status
