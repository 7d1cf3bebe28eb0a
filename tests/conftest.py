"""What the tests share: the scoreboard, made once, and who runs beside whom."""

from pathlib import Path

import pytest

#: Files that read the chapters: one process opens these once.
CHAPTERS = {
    "test_chapters",
    "test_chapters_mldf",
    "test_claims",
    "test_every_chapter",
    "test_images_page",
    "test_practical",
    "test_published",
    "test_report",
    "test_scoreboard",
}


#: Groups that take longest. They begin first, so that at the end no process waits for another.
LONG = (
    "chapters",
    "test_against",
    "test_contract",
    "test_interruptions",
    "test_comparing_command",
    "test_comparing_page",
    "test_user_methods",
    "test_deep",
    "test_kernel_cache",
    "test_batch",
    "test_runner",
    "test_examples",
    "test_entrance",
)


def _group(name):
    """The group of a file of tests: one process runs all of it."""
    return "chapters" if name in CHAPTERS else name


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Where processes share the tests (``-n 2``), a group stays in one of them.

    What a file or the chapters set up is then set up once. Marks of ``--dist loadgroup`` do the
    same, but pytest-xdist 3.8 under pytest 9.2 does not see them and says nothing.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return _group(Path(nodeid.partition("::")[0]).stem)

    return ByGroup(config, log)


def pytest_collection_modifyitems(config, items):
    """Processes that share the tests begin with the groups that take longest."""
    if hasattr(config, "workerinput"):
        last = len(LONG)
        places = {group: place for place, group in enumerate(LONG)}
        items.sort(key=lambda item: (places.get(g := _group(item.path.stem), last), g))


@pytest.fixture(scope="session")
def board():
    """The scoreboard of all papers."""
    from ldlrepro import scoreboard

    return scoreboard.scoreboard()


@pytest.fixture
def here(monkeypatch):
    """Fits of `ldlrepro.compare` run in this process."""
    from ldlrepro.user import runs

    monkeypatch.setattr(runs.environment, "fixed", dict)
