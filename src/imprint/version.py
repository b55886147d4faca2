"""The version, alone in its file so that the build can read it without importing anything."""

__version__ = "0.1.0"
DISTRIBUTION = "imprint"  # what pip installs
