"""Colours of all figures: Okabe and Ito's palette, safe with every common colour blindness."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex

BLACK, GREY, LIGHT_GREY = "#000000", "#808080", "#bdbdbd"
DARK_GREY = "#4d4d4d"
BLUE, SKY, GREEN, ORANGE = "#0072b2", "#56b4e9", "#009e73", "#e69f00"
VERMILION, PURPLE, YELLOW = "#d55e00", "#cc79a7", "#f0e442"
BROWN, CYAN = "#8c564b", "#17becf"
"""Two more, for what a user adds."""


def shades(colormap: str, count: int) -> list[str]:
    """Return `count` shades of one hue from light to dark, as hex; any number of them differ."""
    places = np.linspace(0.42, 0.98, count) if count > 1 else np.array([0.55])
    return [to_hex(colormaps[colormap](place)) for place in places[:count]]
