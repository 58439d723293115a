"""Files that other processes see whole or not at all, and folders that one process has to itself."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from pathlib import Path
from typing import Any, Optional, Union

_counter = itertools.count()
_LOCK_NAME = ".depyf.lock"


def write(path: Path, content: Union[str, bytes]) -> None:
    """Write a file so that a reader, or another writer, never sees half of it."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name[:60]}.{os.getpid()}.{next(_counter)}.tmp")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


class Folder:
    """A folder that no other live process dumps into.

    The first process gets the folder itself. One that finds it taken gets a folder inside: ``rank_<r>`` in a
    distributed job, ``process_<k>`` with the smallest free `k` otherwise.
    """

    def __init__(self, path: Path, rank: Optional[int]) -> None:
        self._lock: Optional[Any] = None
        self.path = path
        candidates = [] if rank is None else [path / f"rank_{rank}"]
        for candidate in itertools.chain(
            [path], candidates, (path / f"process_{k}" for k in itertools.count(1))
        ):
            candidate.mkdir(parents=True, exist_ok=True)
            self._lock = _take_lock(candidate / _LOCK_NAME)
            if self._lock is not None:
                self.path = candidate
                return

    def release(self) -> None:
        """Let other processes have the folder."""
        if self._lock is not None:
            with contextlib.suppress(OSError):
                # While the lock is held: a process that opened the file before this sees that it is gone.
                (self.path / _LOCK_NAME).unlink()
            self._lock.close()
            self._lock = None


def _take_lock(path: Path) -> Optional[Any]:
    """Return an open file that is locked until it is closed, or None if another process has the lock."""
    while True:
        handle = open(path, "a+b")  # noqa: SIM115 - it is open as long as the lock is held
        if not _try_lock(handle):
            handle.close()
            return None
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(handle.fileno()), path.stat()):
                return handle
        # The process that had it has removed it between our open and our lock.
        handle.close()


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: Any) -> bool:
        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: Any) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
