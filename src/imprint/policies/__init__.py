"""DECIDED: conditions on findings, for a pipeline that has to say yes or no."""
