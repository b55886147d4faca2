"""The bundled embeddings, with their cards and licences."""
