"""TOLD: findings drawn as a page that a person wants to read. Nothing here sees a vector."""
