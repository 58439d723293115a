"""The ``depyf`` command; ``python -m depyf`` is the same."""

from __future__ import annotations

import sys

from depyf._native import cli_main


def main() -> int:
    """Run the command with ``sys.argv`` and return its exit code."""
    return cli_main(["depyf", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
