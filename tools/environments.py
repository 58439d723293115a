"""Finds the Python interpreters of this machine and makes environments of them for tests.

    python tools/environments.py              lists the interpreters
    python tools/environments.py 3.13         makes .cache/envs/3.13 and prints its python
    python tools/environments.py --torch 3.9  the same, with the newest torch that this Python takes

DEPYF_PYTHONS=3.11,3.14 takes only these, DEPYF_PYTHONS=none takes none.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Optional

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ROOT / ".cache" / "envs"

# What the wheel promises, and where torch.compile itself is tested.
VERSIONS = [f"3.{minor}" for minor in range(8, 16)]
TORCH_VERSIONS = ["3.11", "3.12", "3.13", "3.14"]


def _candidates(version: str) -> Iterator[Path]:
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from sorted(pyenv.glob(f"{version}.*/bin/python{version}"), reverse=True)
    # Those of the checkout have headers, which Inductor compiles against.
    for folder in (ROOT / ".cache" / "debian-pythons", Path.home() / ".cache" / "debian-pythons"):
        yield folder / "usr" / "bin" / f"python{version}"
    on_path = shutil.which(f"python{version}")
    if on_path:
        yield Path(on_path)


def _runs(executable: Path, version: str) -> bool:
    """Whether it is that version: pyenv's shims, for one, are there without the interpreter."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        found = subprocess.run([executable, "-c", program], capture_output=True, text=True, timeout=60)
    except OSError:
        return False
    return found.returncode == 0 and found.stdout.strip() == version


@functools.lru_cache(maxsize=None)
def interpreters() -> Dict[str, Path]:
    """Return the interpreters of this machine, by version, as far as DEPYF_PYTHONS allows."""
    allowed = os.environ.get("DEPYF_PYTHONS")
    versions = [version for version in VERSIONS if allowed is None or version in allowed.split(",")]
    found = {}
    for version in versions:
        usable = (path for path in _candidates(version) if path.exists() and _runs(path, version))
        executable = next(usable, None)
        if executable:
            found[version] = executable
    return found


def uv() -> str:
    """Return the uv that the Makefile installed, or the one on the path.

    Raises:
        RuntimeError: there is none.
    """
    own = ROOT / ".cache" / "uv" / "bin" / "uv"
    found = str(own) if own.exists() else shutil.which("uv")
    if not found:
        raise RuntimeError("uv is not installed: `make test` does it")
    return found


def newest_wheel() -> Optional[Path]:
    """Return the wheel that `make wheel` built last."""
    return max((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime, default=None)


def environment(version: str, with_torch: bool = False) -> Path:
    """Make the environment of a version, with depyf and what its tests need; return its python.

    Made once; the packages again when pyproject.toml asks for others, depyf when there is a new wheel. Torch
    is there under `TORCH_VERSIONS`; `with_torch` makes another environment, which has it under others too.

    Raises:
        RuntimeError: uv is missing, or could not install something; the message says what.
        KeyError: no interpreter of this version is here.
    """
    has_torch = version in TORCH_VERSIONS
    folder = ENVIRONMENTS / (version if has_torch or not with_torch else f"{version}-torch")
    python = folder / "bin" / "python"
    if not python.exists():
        _uv("venv", "--quiet", "--python", str(interpreters()[version]), str(folder))
    groups = ["test", "torch"] if has_torch or with_torch else ["test"]
    install = ["pip", "install", "--quiet", "--python", str(python)]
    if _changed(folder / "packages.stamp", ROOT / "pyproject.toml"):
        _uv(*install, *(word for group in groups for word in ("--group", group)))
        _remember(folder / "packages.stamp", ROOT / "pyproject.toml")
    wheel = newest_wheel()
    if wheel and _changed(folder / "depyf.stamp", wheel):
        _uv(*install, "--no-deps", "--reinstall", str(wheel))
        _remember(folder / "depyf.stamp", wheel)
    return python


def _uv(*arguments: str) -> None:
    done = subprocess.run([uv(), *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"uv {' '.join(arguments)}: {done.stderr.strip()}")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _changed(stamp: Path, path: Path) -> bool:
    return not stamp.exists() or stamp.read_text(encoding="utf-8") != _digest(path)


def _remember(stamp: Path, path: Path) -> None:
    stamp.write_text(_digest(path), encoding="utf-8")


def main(arguments: List[str]) -> int:
    """List the interpreters, or make the environments of the given versions."""
    with_torch = "--torch" in arguments
    versions = [argument for argument in arguments if argument != "--torch"]
    for version in versions:
        print(environment(version, with_torch))
    if not versions:
        for version, path in interpreters().items():
            print(version, path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
