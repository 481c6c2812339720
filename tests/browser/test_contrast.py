"""The contrast function against values that are known."""

from __future__ import annotations

import pytest

from tests.browser import contrast

pytestmark = pytest.mark.browser

BLACK, WHITE, GREY = "rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgb(118, 118, 118)"
CLEAR = "rgba(0, 0, 0, 0)"


def test_known_contrasts() -> None:
    """Black on white is 21; #767676 is the palest grey that stands at 4.5 on white."""
    assert contrast.contrast(BLACK, [WHITE]) == pytest.approx(21)
    assert contrast.contrast(WHITE, [WHITE]) == pytest.approx(1)
    assert contrast.contrast(GREY, [WHITE]) == pytest.approx(4.54, abs=0.01)
    assert contrast.contrast("rgb(119, 119, 119)", [WHITE]) < contrast.ENOUGH


def test_a_clear_ground_shows_what_lies_behind() -> None:
    """The nearest ground counts; through a clear one the next is seen, at last a white canvas."""
    assert contrast.contrast(WHITE, [CLEAR, BLACK, WHITE]) == pytest.approx(21)
    assert contrast.contrast(BLACK, [CLEAR, CLEAR]) == pytest.approx(21)
    halved = contrast.contrast(BLACK, ["rgba(0, 0, 0, 0.5)", WHITE])
    assert 1 < halved < 21


def test_a_faded_text_is_fainter() -> None:
    """Alpha of the text and opacity of what it stands in both lower the contrast."""
    faded = contrast.contrast("rgba(0, 0, 0, 0.5)", [WHITE])
    assert faded == pytest.approx(contrast.contrast(BLACK, [WHITE], opacity=0.5))
    assert faded < contrast.ENOUGH


def test_another_form_of_colour_is_refused() -> None:
    """A colour in a form that is not understood is an error, not a wrong contrast."""
    with pytest.raises(ValueError, match="no rgb"):
        contrast.colour("color(srgb 0.1 0.2 0.3)")
