"""`python -m imprint` runs the command line."""

from imprint.cli import main

if __name__ == "__main__":
    main()
