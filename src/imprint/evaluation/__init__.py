"""At what cost: what an embedding is good for, before and after, and what is left of the bias."""
