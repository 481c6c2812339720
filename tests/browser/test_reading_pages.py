"""The pages of a sample as they are read: scheme, silence, accessibility, contrast of numbers."""

from __future__ import annotations

import pytest

from tests.browser import contrast
from tests.browser.reading import SAMPLE, SCHEMES, Reader

pytestmark = [
    pytest.mark.browser,
    pytest.mark.parametrize("scheme", list(SCHEMES)),
    pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path or "home"),
]


def test_the_scheme_that_is_preferred_is_followed(reader: Reader, path: str, scheme: str) -> None:
    """A reader who prefers dark pages gets the dark scheme, anyone else the light one."""
    seen = reader.read(path, scheme)
    assert seen.scheme == SCHEMES[scheme]
    # The name alone is not the look: the ground must be dark or light as well.
    bright = contrast.luminance(contrast.colour(seen.ground)) > 0.5
    assert bright == (scheme == "light")


def test_a_page_is_silent_and_keeps_to_itself(reader: Reader, path: str, scheme: str) -> None:
    """Read with a card opened: no error, no failed request, no request to another host."""
    troubles = reader.read(path, scheme).troubles
    assert not troubles, "\n".join(troubles)


def test_axe_finds_nothing_grave(reader: Reader, path: str, scheme: str) -> None:
    """The page, closed parts opened, violates no rule of serious or critical impact."""
    found = reader.read(path, scheme).grave
    assert not found, "\n".join(found)


def test_axe_finds_nothing_grave_in_a_card(reader: Reader, path: str, scheme: str) -> None:
    """Nor does the open card of its first number."""
    found = reader.read(path, scheme).card_grave
    assert not found, "\n".join(found)


def test_numbers_can_be_read(reader: Reader, path: str, scheme: str) -> None:
    """Every number and its mark stand at 4.5:1 or better against their ground."""
    looks = reader.read(path, scheme).numbers
    assert looks, "no number has a look"
    faint = [f"{x.contrast:.2f} {x.text}" for x in looks if x.contrast < contrast.ENOUGH]
    assert not faint, "\n".join(faint)


def test_the_twins_are_still_named_in_the_head(reader: Reader, path: str, scheme: str) -> None:
    """When the scripts have run, the head names a JSON and a Markdown twin as plain alternates."""
    assert sorted(reader.read(path, scheme).twins) == ["application/json", "text/markdown"]
