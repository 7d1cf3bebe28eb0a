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


def pytest_collection_modifyitems(items):
    """Where processes share the tests (``-n 2 --dist loadgroup``), a file stays in one of them."""
    for item in items:
        name = item.path.stem
        item.add_marker(pytest.mark.xdist_group("chapters" if name in CHAPTERS else name))


@pytest.fixture(scope="session")
def board():
    """The scoreboard of all papers."""
    from ldlrepro import scoreboard

    return scoreboard.scoreboard()
