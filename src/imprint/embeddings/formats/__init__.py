"""One reader a file format; each takes a path and gives an Embedding."""
