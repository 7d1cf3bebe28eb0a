"""What the tests share: the scoreboard, made once, and who runs beside whom."""

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
    "test_interruptions",
    "test_contract",
    "test_deep",
    "test_comparing",
    "test_fingerprint",
    "test_against",
    "test_batch",
    "test_entrance",
    "test_kernel_cache",
)


def pytest_collection_modifyitems(config, items):
    """Where processes share the tests (``-n 2 --dist loadgroup``), a file stays in one of them."""
    groups = {}
    for item in items:
        name = item.path.stem
        group = "chapters" if name in CHAPTERS else name
        item.add_marker(pytest.mark.xdist_group(group))
        groups.setdefault(group, []).append(item)
    if config.getoption("dist", "no") == "loadgroup" or hasattr(config, "workerinput"):
        turns = sorted(groups, key=lambda g: LONG.index(g) if g in LONG else len(LONG))
        items[:] = [item for group in turns for item in groups[group]]


@pytest.fixture(scope="session")
def board():
    """The scoreboard of all papers."""
    from ldlrepro import scoreboard

    return scoreboard.scoreboard()
