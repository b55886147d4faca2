"""Charts of any findings as Vega-Lite specifications: plain rows go in, and words are only ever values."""

from imprint.report.charts.arrows import arrows
from imprint.report.charts.curve import curve
from imprint.report.charts.forest import ForestRow, forest
from imprint.report.charts.points import Point
from imprint.report.charts.scatter import scatter
from imprint.report.charts.strip import strip

__all__ = ["ForestRow", "Point", "arrows", "curve", "forest", "scatter", "strip"]
