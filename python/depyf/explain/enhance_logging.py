"""`install` and `uninstall`, under the name of their module in earlier versions."""

from depyf.torch.bytecode_log import install, uninstall

__all__ = ["install", "uninstall"]
