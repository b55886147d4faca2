"""Charts of any findings as Vega-Lite specifications: plain rows go in, and words are only ever values."""

from imprint.render.charts.arrows import arrows
from imprint.render.charts.curve import curve
from imprint.render.charts.dots import dots
from imprint.render.charts.forest import ForestRow, forest
from imprint.render.charts.points import Point
from imprint.render.charts.scatter import scatter
from imprint.render.charts.strip import strip

__all__ = ["ForestRow", "Point", "arrows", "curve", "dots", "forest", "scatter", "strip"]
