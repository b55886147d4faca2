"""What the study and the explorer share: guarded pages, served to this machine alone unless told otherwise."""
