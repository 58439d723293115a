"""`prepare_debug`: a context in which all that torch.compile makes is recorded, and written at its end."""

from __future__ import annotations

import gc
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import List, Optional, Type, Union

from depyf.torch import versions
from depyf.torch.atomic import Folder
from depyf.torch.collectors import Collector, collectors
from depyf.torch.model import Recording
from depyf.torch.safety import forget_warnings, guarded
from depyf.torch.writers.dump import dump

_active: Optional[DebugSession] = None
_active_lock = threading.Lock()
_latest_folder: Optional[Path] = None


def active() -> Optional[DebugSession]:
    """Return the session that is recording now."""
    return _active


def latest_folder() -> Optional[Path]:
    """Return the folder of the session that this process left last."""
    return _latest_folder


class DebugSession:
    """The context manager that `prepare_debug` returns; it can be entered again after it was left.

    Attributes:
        folder: where the files are; known once it is entered.
    """

    def __init__(
        self, dump_src_dir: Union[str, os.PathLike[str]], clean_wild_fx_code: bool, log_bytecode: bool
    ):
        self._requested = Path(os.fspath(dump_src_dir))
        self._clean_wild_fx_code = clean_wild_fx_code
        self._log_bytecode = log_bytecode
        self._recording = Recording()
        self._collectors: List[Collector] = []
        self._folder: Optional[Folder] = None
        self._process = 0
        self.folder = self._requested

    def __enter__(self) -> DebugSession:
        """Create the folder and begin to record.

        Raises:
            RuntimeError: another session is active in this process.
            OSError: the folder cannot be created.
        """
        global _active
        with _active_lock:
            if _active is not None:
                raise RuntimeError(
                    "depyf.prepare_debug is active already and cannot be nested: "
                    f"it dumps to {_active.folder}. Leave it first, or enter it around both."
                )
            self._folder = Folder(self._requested.absolute(), versions.rank())
            _active = self
        self.folder = self._folder.path
        self._process = os.getpid()
        forget_warnings()
        self._recording = Recording()
        self._collectors = collectors(self._recording, self.folder, not self._clean_wild_fx_code)
        for collector in self._collectors:
            collector.start()
        return self

    def __exit__(
        self,
        exception_type: Optional[Type[BaseException]] = None,
        exception: Optional[BaseException] = None,
        traceback: Optional[TracebackType] = None,
    ) -> None:
        """Stop recording and write the files; an exception of the body goes on as it is."""
        global _active, _latest_folder
        with _active_lock:
            if _active is not self:
                raise RuntimeError(
                    "this depyf.prepare_debug is not active: it was left already, or never entered"
                )
            _active = None
        for collector in reversed(self._collectors):
            collector.stop()
        self._use_own_folder_after_fork()
        was_collecting = gc.isenabled()
        # The many small objects of a dump would set off collections of the program's whole heap, which take
        # longer than the dump does.
        gc.disable()
        try:
            dump(self._recording, self.folder, self._log_bytecode)
        finally:
            if was_collecting:
                gc.enable()
            if self._folder is not None:
                self._folder.release()
            _latest_folder = self.folder
            # The code objects keep graphs and what those hold alive.
            self._recording, self._collectors = Recording(), []

    @guarded("taking a folder after a fork")
    def _use_own_folder_after_fork(self) -> None:
        # The parent has the folder, and this process the parent's lock on it.
        if os.getpid() != self._process:
            self._folder = Folder(self._requested.absolute(), versions.rank())
            self.folder = self._folder.path


def prepare_debug(
    dump_src_dir: Union[str, os.PathLike[str]], clean_wild_fx_code: bool = True, log_bytecode: bool = False
) -> DebugSession:
    """Record what torch.compile does inside the context, and write it to a folder when the context is left.

    The program is not changed: it computes the very same with and without. Wrap the code that triggers
    compilation, which is the first call of a compiled function, not only the call of ``torch.compile``.

    Args:
        dump_src_dir: the folder; it is created. Start with its ``index.md``.
        clean_wild_fx_code: leave out the sources that FX generates on the way and that belong to no compiled
            function.
        log_bytecode: also write the original and the transformed code objects, with ``dill``.

    Raises:
        TypeError: `dump_src_dir` is not a path.

    Example::

        with depyf.prepare_debug("dump"):
            compiled(torch.randn(10))
    """
    return DebugSession(dump_src_dir, clean_wild_fx_code, log_bytecode)
