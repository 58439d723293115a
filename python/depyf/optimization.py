"""Running compiled code without its guards, where the program knows which one fits."""

from __future__ import annotations

import contextlib
import weakref
from types import CodeType
from typing import Any, Callable, Iterator, List, Optional

from depyf.torch import versions
from depyf.torch.safety import guarded

__all__ = ["TorchCompileWrapperWithCustomDispatcher"]


class TorchCompileWrapperWithCustomDispatcher:
    """An object whose compiled ``forward`` is called by the program's own rules, not by guards.

    A subclass has a ``forward``, and a ``__call__`` that chooses: the compiled callable, which goes through
    the guards and may compile, or one of the codes that were compiled before.

    Attributes:
        compiled_callable: what ``torch.compile(self.forward)`` returned.
        original_code_object: the code of ``forward`` as it was written.
        compiled_codes: what Dynamo made of it for this object, oldest first.

    Example::

        class Model(TorchCompileWrapperWithCustomDispatcher):
            def __init__(self):
                super().__init__(torch.compile(self.forward))

            def forward(self, x):
                return x + 1

            def __call__(self, x):
                if not self.compiled_codes:
                    return self.compiled_callable(x)
                with self.dispatch_to_code(0):
                    return self.forward(x)
    """

    def __init__(self, compiled_callable: Callable[..., Any], use_custom_dispatcher: bool = True) -> None:
        """Watch what is compiled for this object, unless `use_custom_dispatcher` is false."""
        self.compiled_callable = compiled_callable
        self.original_code_object: CodeType = self._function().__code__
        self.compiled_codes: List[CodeType] = []
        if not use_custom_dispatcher:
            return
        # Torch keeps hooks for ever, and must not keep this object.
        this = weakref.ref(self)

        def hook(original: CodeType, transformed: CodeType) -> Optional[CodeType]:
            wrapper = this()
            if wrapper is not None:
                wrapper.bytecode_hook(original, transformed)
            return None

        handle = versions.register_bytecode_hook(hook)
        if handle is not None:
            weakref.finalize(self, handle.remove)

    def _function(self) -> Any:
        return type(self).forward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Go through the guards; subclasses dispatch in their own way."""
        return self.compiled_callable(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute; every subclass has its own."""
        raise NotImplementedError

    @guarded("noting compiled code for a dispatcher")
    def bytecode_hook(self, old_code: CodeType, new_code: CodeType) -> None:
        """Note what Dynamo made of ``forward`` for this very object, and not for another of its class."""
        if old_code is not self.original_code_object:
            return
        variables = versions.compiling_locals() or {}
        if old_code.co_argcount and variables.get(old_code.co_varnames[0]) is self:
            self.compiled_codes.append(new_code)

    @contextlib.contextmanager
    def dispatch_to_code(self, index: int) -> Iterator[None]:
        """Have ``forward`` run a compiled code inside the context, without any guard, in one thread only.

        Raises:
            IndexError: so many were not compiled.
        """
        function = self._function()
        function.__code__ = self.compiled_codes[index]
        try:
            yield
        finally:
            function.__code__ = self.original_code_object
