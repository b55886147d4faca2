"""May it pass? Conditions on findings, for a pipeline that has to decide."""
