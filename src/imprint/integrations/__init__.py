"""imprint inside other libraries: sentence-transformers and scikit-learn, each imported only by its own module."""
