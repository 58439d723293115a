"""What torch.compile makes of a program: collected while it compiles, written to a folder.

``session`` runs ``collectors`` (one per kind of artifact), which fill the ``model``; ``writers`` turn the
model into files. ``versions`` is the only file that knows torch's private names.
"""

from depyf.torch.debugger import Debugging, debug
from depyf.torch.dispatch import Dispatch, EntryVerdict, which
from depyf.torch.session import DebugSession, prepare_debug

__all__ = ["DebugSession", "Debugging", "Dispatch", "EntryVerdict", "debug", "prepare_debug", "which"]
