"""``python -m mdview`` is the command `mdview`, see `mdview.cli`."""

import sys

from mdview.cli import main

if __name__ == "__main__":
    sys.exit(main())
