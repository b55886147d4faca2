"""The default embedding, its card and its licence."""
