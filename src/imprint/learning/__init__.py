"""Learners that tell rows apart by their numbers alone: clusters and support vector machines.

Ours because scikit-learn, with what it needs, adds 60 MB and half a second to an audit. It is their oracle in the
tests, and random numbers are drawn in its order.
"""
