"""Starts the freelancer matching service in test mode: in a container or, without a container engine, as a program.

with MatchingService() as service:
    service.seed(50, seed=7)
    ...  # send requests to service.url with service.key
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Self

IMAGE = "freelancer-matching:local"
PROGRAM = "matching-server"

FREELANCER_KEY = "svc_fr_test000000000000000000000000004EuxCR"
PROFESSIONAL_KEY = "svc_pr_test000000000000000000000000002UtNWJ"
ENTERPRISE_KEY = "svc_ent_test000000000000000000000000001rTwEG"

_PORT = 8080
_START_SECONDS = 120
_CALL_SECONDS = 60


class MatchingError(Exception):
    """The service can't be started, or has refused an operation."""


class MatchingService:
    """A service in test mode. MATCHING_TEST_BINARY, the path of its program, takes precedence over a container."""

    def __init__(self, image: str | None = None) -> None:
        self.image = image or os.environ.get("MATCHING_TEST_IMAGE") or IMAGE
        self.url = ""
        self.key = ENTERPRISE_KEY
        self._container: Any = None
        self._process: subprocess.Popen[str] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> Self:
        """Start the service, and return when it is ready."""
        program = os.environ.get("MATCHING_TEST_BINARY")
        if not program and not _has_engine():
            program = shutil.which(PROGRAM)
            if not program:
                raise MatchingError(
                    f"there is neither a container engine nor the program {PROGRAM}; "
                    "set MATCHING_TEST_BINARY to its path"
                )
        try:
            if program:
                self._start_program(program)
            else:
                self._start_container()
        except BaseException:
            self.stop()
            raise
        return self

    def _start_container(self) -> None:
        from testcontainers.core.container import DockerContainer
        from testcontainers.core.wait_strategies import HttpWaitStrategy

        self._container = (
            DockerContainer(self.image)
            .with_command("-test -insecure-http")
            .with_exposed_ports(_PORT)
            .waiting_for(HttpWaitStrategy(_PORT, "/readyz").with_startup_timeout(_START_SECONDS))
        )
        self._container.start()
        host = self._container.get_container_host_ip()
        self.url = f"http://{host}:{self._container.get_exposed_port(_PORT)}"

    def _start_program(self, program: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        log = tempfile.TemporaryFile("w+")
        process = subprocess.Popen(
            [program, "-test", "-addr", "127.0.0.1:0", "-data", self._folder.name],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        self._process = process
        timer = threading.Timer(_START_SECONDS, process.kill)
        timer.start()
        try:
            assert process.stdout
            for line in process.stdout:
                if line.startswith("Ready on "):
                    self.url = line.removeprefix("Ready on ").strip()
                    return
        finally:
            timer.cancel()
        log.seek(0)
        raise MatchingError(f"{program} has ended: {log.read()}")

    def stop(self) -> None:
        """Stop the service. All of its data is lost."""
        if self._container:
            self._container.stop()
            self._container = None
        if self._process:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait()
            if self._process.stdout:
                self._process.stdout.close()
            self._process = None
        if self._folder:
            self._folder.cleanup()
            self._folder = None

    def reset(self) -> None:
        """Return to the state after the start."""
        self._control("POST", "/test/reset")

    def seed(self, n: int, seed: int = 1) -> None:
        """Replace all freelancers by n generated ones. The same seed gives the same."""
        self._control("PUT", f"/test/data?n={n}&seed={seed}")

    def load(self, freelancers: Iterable[Mapping[str, Any]]) -> None:
        """Replace all freelancers."""
        self._control("PUT", "/test/data", "\n".join(json.dumps(f) for f in freelancers).encode())

    def advance(self, by: timedelta) -> None:
        """Advance the clock of the service."""
        self._send_json("POST", "/test/clock", {"advance": f"{by // timedelta(milliseconds=1)}ms"})

    def set_clock(self, to: datetime) -> None:
        """Set the clock of the service to a time with a time zone."""
        self._send_json("POST", "/test/clock", {"set": to.isoformat()})

    def fail(self, fault: str, times: int = 0) -> None:
        """Let the next calls fail, or all if times is 0: with 429, 503, 500, slow=2s or drop."""
        self._send_json("POST", "/test/faults", {"fault": fault, "times": times})

    def recover(self) -> None:
        """End what fail began."""
        self._control("DELETE", "/test/faults")

    def enforce_quota(self, on: bool = True) -> None:
        """Say whether the limits of plans apply."""
        self._send_json("PUT", "/test/quota", {"enforced": on})

    def script(self, *replies: Mapping[str, Any]) -> None:
        """Replace the script of the language model: {"when": "a word of the answer", "level": 5}."""
        self._send_json("PUT", "/test/llm", {"replies": replies})

    def _send_json(self, method: str, path: str, body: Mapping[str, Any]) -> None:
        self._control(method, path, json.dumps(body).encode())

    def _control(self, method: str, path: str, body: bytes = b"") -> None:
        request = urllib.request.Request(self.url + path, data=body, method=method)
        try:
            with urllib.request.urlopen(request, timeout=_CALL_SECONDS):
                pass
        except urllib.error.HTTPError as error:
            raise MatchingError(f"{method} {path}: {error.code}: {error.read().decode()}") from error


def _has_engine() -> bool:
    """Report whether a container engine responds."""
    from docker.errors import DockerException
    from testcontainers.core.docker_client import DockerClient

    try:
        return bool(DockerClient().client.ping())
    except DockerException:
        return False
