"""A small client of the Debug Adapter Protocol, which VS Code and other editors speak, for debugpy."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, Type

Message = Dict[str, Any]
# Other test sessions run beside this one.
_TIMEOUT = 300


class DapClient:
    """A program under debugpy, and the editor that is attached to it.

    Args:
        arguments: the program and its arguments.
        cwd: where it runs.
        options: those of the editor's "attach", as in a launch.json.
        environment: more variables of the program's.
    """

    def __init__(self, *arguments: str, cwd: Path, options: Message, **environment: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-Xfrozen_modules=off", "-m", "debugpy", "--listen", str(port)]
        # Started by hand, debugpy waits in the program's first line for an editor. Processes that the program
        # starts would each wait for an editor of their own, and outlive it.
        command += ["--configure-subProcess", "false", "--wait-for-client", *arguments]
        self.output = cwd / "output.txt"
        with self.output.open("w") as output:
            self._process = subprocess.Popen(
                command,
                cwd=cwd,
                env={**os.environ, **environment},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self._socket = self._connected(port)
        self._stream = self._socket.makefile("rb")
        self._number = 0
        self._events: List[Message] = []
        self.request("initialize", adapterID="tests", linesStartAt1=True, pathFormat="path")
        attach = self._send("attach", options)
        self.wait_for("initialized")
        self.request("configurationDone")
        self._reply_to(attach)

    def __enter__(self) -> DapClient:
        return self

    def __exit__(
        self,
        exception_type: Optional[Type[BaseException]],
        exception: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        # A test that fails leaves in the middle; the adapter, a process of its own, ends when it is told to.
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._send("disconnect", {"terminateDebuggee": True})
            self._process.wait(10)
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def _connected(self, port: int) -> socket.socket:
        end = time.monotonic() + _TIMEOUT
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=_TIMEOUT)
            except OSError:
                assert self._process.poll() is None, self.output.read_text("utf-8")
                assert time.monotonic() < end, "debugpy does not listen"
                time.sleep(0.1)

    def request(self, command: str, **arguments: Any) -> Message:
        """Send a request, and return the body of the answer."""
        return self._reply_to(self._send(command, arguments))

    def wait_for(self, event: str, fits: Callable[[Message], bool] = lambda body: True) -> Message:
        """Return the body of the next event of a kind, also if it came before."""
        while True:
            for place, message in enumerate(self._events):
                if message["event"] == event and fits(message.get("body", {})):
                    del self._events[: place + 1]
                    return dict(message.get("body", {}))
            ended = any(message["event"] == "terminated" for message in self._events)
            assert not ended, f"the program ended: {self.output.read_text('utf-8')}"
            self._take(self._read())

    def set_breakpoints(self, path: Path, *lines: int) -> List[Message]:
        """Set the breakpoints of a file, and return what the debugger made of them."""
        body = self.request(
            "setBreakpoints",
            source={"path": str(path)},
            breakpoints=[{"line": line} for line in lines],
        )
        return list(body["breakpoints"])

    def stopped(self) -> Message:
        """Wait until the program stops, and return the innermost frame, with the thread and the reason."""
        body = self.wait_for("stopped")
        frames = self.request("stackTrace", threadId=body["threadId"])["stackFrames"]
        return {**frames[0], "thread": body["threadId"], "reason": body["reason"], "frames": frames}

    def variables(self, frame: Message) -> Dict[str, str]:
        """Return the local variables of a frame, as the editor shows them."""
        scopes = self.request("scopes", frameId=frame["id"])["scopes"]
        reference = next(scope["variablesReference"] for scope in scopes if scope["name"] == "Locals")
        listed = self.request("variables", variablesReference=reference)["variables"]
        return {each["name"]: each["value"] for each in listed}

    def go(self, command: str, frame: Message) -> Message:
        """Go on with "continue", "next", "stepIn" or "stepOut", and return where the program stops next."""
        self.request(command, threadId=frame["thread"])
        return self.stopped()

    def run_to_the_end(self, frame: Message) -> str:
        """Go on to the end of the program, and return all that it printed."""
        self.request("continue", threadId=frame["thread"])
        self.wait_for("terminated")
        self._socket.close()
        assert self._process.wait(_TIMEOUT) == 0, self.output.read_text("utf-8")
        return self.output.read_text("utf-8")

    def _send(self, command: str, arguments: Message) -> int:
        self._number += 1
        message = {"seq": self._number, "type": "request", "command": command, "arguments": arguments}
        content = json.dumps(message).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        return self._number

    def _reply_to(self, number: int) -> Message:
        while True:
            message = self._read()
            if message["type"] == "response" and message["request_seq"] == number:
                assert message["success"], message
                return dict(message.get("body", {}))
            self._take(message)

    def _take(self, message: Message) -> None:
        if message["type"] == "event":
            self._events.append(message)

    def _read(self) -> Message:
        length = 0
        while True:
            line = self._stream.readline()
            assert line, f"debugpy closed the connection: {self.output.read_text('utf-8')}"
            if line == b"\r\n":
                break
            name, _, value = line.decode().partition(":")
            if name == "Content-Length":
                length = int(value)
        message: Message = json.loads(self._stream.read(length))
        return message
