"""SCORING: whatever gives a text a number, and whether that number changes when only a name does."""
