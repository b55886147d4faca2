"""Charts as Vega-Lite specifications: plain rows go in, and words are only ever values."""
