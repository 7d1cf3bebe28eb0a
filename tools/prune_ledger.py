"""Leave those lines in the ledger that a record or a mark of today's code still needs.

    .venv/bin/python tools/prune_ledger.py

Notes which marks `status`, the studies and the spreads of rounding compare, keeps the lines that
join them, and asks again: where an answer differs, the old ledger is put back.
"""

import json
from collections import defaultdict, deque

from ldlrepro import paths, protocols
from ldlrepro.papers import get_paper, paper_names
from ldlrepro.protocols import ledger, rounding, studies
from ldlrepro.protocols.fingerprint import of_function
from ldlrepro.protocols.store import write_table


def answers():
    """What `status` says of every paper, which studies are fresh, and the spreads of rounding."""
    states = {name: protocols.status(get_paper(name)) for name in paper_names()}
    fresh = {}
    for paper in map(get_paper, paper_names()):
        for study in paper.studies:
            tables, mark = studies.tables_of(paper, study.name), of_function(study.function)
            of_study = [studies._fresh(table, mark, "paper") for table in tables.values()]
            fresh[f"{paper.name} {study.name}"] = of_study
    spreads = [rounding.spreads(folds).to_json() for folds in (rounding.FOLDS, None)]
    return json.dumps([states, fresh, spreads], sort_keys=True, default=str)


def asked_of_the_ledger(ask):
    """What ``ask`` returns, and the marks (kind, mark) that it compared."""
    marks, compare = set(), ledger.Ledger.same_mark

    def same_mark(self, kind, old, new):
        marks.update([(kind, old), (kind, new)])
        return compare(self, kind, old, new)

    ledger.Ledger.same_mark = same_mark
    try:
        return ask(), marks
    finally:
        ledger.Ledger.same_mark = compare


def needed(lines, marks):
    """Numbers of the lines of a spanning forest of the marks, without branches that end elsewhere.

    Parameters
    ----------
    lines : list of ((kind, mark), (kind, mark)) that stand for each other
    """
    near = defaultdict(list)
    for number, (a, b) in enumerate(lines):
        near[a].append((b, number))
        near[b].append((a, number))
    forest, reached = defaultdict(dict), set()
    for root in sorted(marks & near.keys()):
        queue = deque() if root in reached else deque([root])
        reached.add(root)
        while queue:
            here = queue.popleft()
            for there, number in near[here]:
                if there not in reached:
                    reached.add(there)
                    forest[here][there] = forest[there][here] = number
                    queue.append(there)
    ends = [mark for mark in forest if len(forest[mark]) == 1 and mark not in marks]
    while ends:
        end = ends.pop()
        for there in list(forest.pop(end)):
            del forest[there][end]
            if len(forest[there]) == 1 and there not in marks:
                ends.append(there)
    return {number for around in forest.values() for number in around.values()}


def main():
    """Prune data/results/ledger.csv, and prove that nothing is told otherwise."""
    path = paths.results() / "ledger.csv"
    before, (told, marks) = path.read_bytes(), asked_of_the_ledger(answers)
    table = ledger.Table(path, ledger.COLUMNS, key=ledger._key)
    lines = [((row["kind"], row["old"]), (row["kind"], row["new"])) for row in table.good]
    kept = sorted(needed(lines, marks))
    write_table(path, ledger.COLUMNS, [table.good[number] for number in kept])
    if answers() != told:
        path.write_bytes(before)
        raise SystemExit("Something is told otherwise without these lines; nothing was changed.")
    print(f"{len(kept)} of {len(lines)} lines are needed.")


if __name__ == "__main__":
    main()
