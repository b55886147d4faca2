"""The same work through imprint, through other tools and through reference implementations, each in a process."""
