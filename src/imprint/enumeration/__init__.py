"""WITHOUT BEING ASKED: which biases are in an embedding, with no group and no stereotype named in advance."""
