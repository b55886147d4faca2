"""BY CHANCE? Permutation tests without sampling, corrections, intervals, power, learners. Numbers only, no words."""
