"""Charts as Vega-Lite specifications, one per module: plain rows go in, and words are only ever values."""
