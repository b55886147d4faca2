"""BY CHANCE? Permutation tests without sampling, corrections, intervals and power. Numbers only, no words."""
