"""`python -m vorton` is the command `vorton`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
