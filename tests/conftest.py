"""What all tests share.

Tests that need torch are skipped where it is not installed, so that one command runs under every
Python: `make test` runs all tests under its own Python, and all but those marked `main_only` under the
others that it finds (test_every_python.py).
"""

from __future__ import annotations

import importlib.util

# A folder or file of tests whose name starts with "torch" or "test_torch" imports torch.
collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["torch*", "test_torch*"]
