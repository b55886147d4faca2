"""HOW STRONGLY: WEAT, WEFAT and the n-group statistic."""
