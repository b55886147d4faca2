"""WHAT IS MEASURED: word embeddings, read from files that are hostile until read."""
