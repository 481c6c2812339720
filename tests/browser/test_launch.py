"""What the tests do where there is no browser, tried without one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.browser import launch, serving

pytestmark = pytest.mark.browser


def test_the_first_browser_found_is_used() -> None:
    """The names are tried in their order, and the path found is the one launched."""
    paths = {"google-chrome": "/opt/google-chrome", "chromium-browser": "/opt/chromium-browser"}
    assert launch.executable(paths.get) == "/opt/chromium-browser"


def test_no_browser_is_told_with_its_remedy() -> None:
    """Without any of them, the reason names all and says how to get one, in one line."""
    with pytest.raises(launch.NoBrowserError, match="install") as told:
        launch.executable(lambda name: None)
    assert all(name in str(told.value) for name in launch.NAMES)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("module", list(launch.LIBRARIES))
def test_a_missing_library_is_told_with_its_remedy(module: str) -> None:
    """Without Playwright or axe, the reason names the package and the command that installs it."""
    with pytest.raises(launch.NoBrowserError, match="pip install") as told:
        launch.need_libraries(lambda name: name != module)
    assert str(told.value).startswith(f"no browser: {launch.LIBRARIES[module]} ")
    launch.need_libraries(lambda name: True)


def test_the_tests_skip_unless_a_browser_is_required() -> None:
    """Only REQUIRE_BROWSER=1 turns the skip into a failure; both give the reason."""
    for environ in ({}, {"REQUIRE_BROWSER": ""}, {"REQUIRE_BROWSER": "0"}):
        with pytest.raises(pytest.skip.Exception, match="no browser here"):
            launch.stop("no browser here", environ)
    with pytest.raises(pytest.fail.Exception, match="REQUIRE_BROWSER=1, but no browser here"):
        launch.stop("no browser here", {"REQUIRE_BROWSER": "1"})


def run_without_browser(required: str) -> subprocess.CompletedProcess[str]:
    """Run the card's tests where no browser is on the PATH."""
    env = os.environ | {"PATH": "", "REQUIRE_BROWSER": required}
    # Cut off from the other tests' fixtures, which need the record.
    options = ["-p", "no:cacheprovider", "--confcutdir=tests/browser", "tests/browser/test_card.py"]
    command = [sys.executable, "-m", "pytest", *options]
    return subprocess.run(
        command,
        cwd=serving.ROOT,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_a_run_without_a_browser_says_so_once() -> None:
    """The run passes, every test skipped, with exactly one line that tells how to get a browser."""
    done = run_without_browser("")
    assert done.returncode == 0, done.stdout
    assert " passed" not in done.stdout
    assert done.stdout.count("apt install chromium") == 1, done.stdout


def test_a_run_that_requires_a_browser_fails() -> None:
    """With REQUIRE_BROWSER=1 no test of the run passes or skips."""
    done = run_without_browser("1")
    assert done.returncode == 1, done.stdout
    assert "REQUIRE_BROWSER=1, but no browser" in done.stdout
    assert "skipped" not in done.stdout
    assert " passed" not in done.stdout
