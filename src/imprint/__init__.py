"""imprint: which social biases are imprinted in an embedding, how sure we can be, and what reduces them."""
