"""What the synchronous and the asynchronous client share: where requests go, and when they are repeated."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import httpx

from .errors import ApiError, ConnectionFailed, error_in_stream, error_of

VERSION = "1.0.0"

CONNECT_TIMEOUT = 5.0  # seconds
FIRST_WAIT = 0.5  # seconds before the second attempt, doubled with each further one
LONGEST_WAIT = 8.0

# A stream of changes connects again so often, for each permitted attempt of a request: often enough for a server that
# restarts.
PERSISTENCE = 5

# A batch of changes is one request. It is small enough that its results fit into memory, and that no change waits long
# for its result.
BATCH_LINES = 500
BATCH_BYTES = 1 << 20

File = str | os.PathLike[str] | bytes | IO[bytes]


@dataclass(frozen=True)
class RateLimit:
    """The requests that are left, as the last response said."""

    limit: int
    remaining: int
    reset: float
    """Seconds until the window ends."""
    window: str
    """The window with fewer requests left, such as `minute`."""


@dataclass(frozen=True)
class Event:
    """An event of an interview's stream."""

    type: str
    """`session`, `question`, `judgement`, `result` or `error`."""
    id: str
    data: Any


@dataclass
class Request:
    """A request that may be sent several times."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    json: Any = None
    content: bytes | None = None
    files: Sequence[tuple[str, tuple[str | None, Any, str]]] | None = None
    repeatable: bool = True
    """Whether a second request does no harm if the first one was carried out and its response was lost."""
    opened: IO[bytes] | None = None
    """A file to close after the last attempt."""

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of httpx.Client.build_request, except for the method and the URL."""
        arguments: dict[str, Any] = {"params": query_of(self.query), "headers": self.headers}
        if self.json is not None:
            arguments["json"] = self.json
        if self.content is not None:
            arguments["content"] = self.content
        if self.files is not None:
            arguments["files"] = self.files
        return arguments

    def rewind(self) -> bool:
        """Prepare another attempt, and report whether that is possible: a pipe can be read only once."""
        for _, (_, content, _) in self.files or ():
            if hasattr(content, "seekable"):
                if not content.seekable():
                    return False
                content.seek(0)
        return True

    def close(self) -> None:
        if self.opened is not None:
            self.opened.close()


class Hosts:
    """The addresses of the service. Requests go to one of them until it does not respond."""

    def __init__(self, urls: str | Sequence[str] | None) -> None:
        urls = urls or os.environ.get("MATCHING_URL") or "http://127.0.0.1:8080"
        self._urls = [u.rstrip("/") for u in ([urls] if isinstance(urls, str) else urls)]
        self._current = 0

    def url(self, path: str) -> str:
        return self._urls[self._current] + path

    def next(self) -> bool:
        """Choose the next address, and report whether there are several."""
        self._current = (self._current + 1) % len(self._urls)
        return len(self._urls) > 1


def key_of(key: str | None) -> str:
    """Return the API key, by default the one of the environment."""
    key = key or os.environ.get("MATCHING_API_KEY")
    if not key:
        raise ValueError("an API key is required: pass key=…, or set MATCHING_API_KEY; keys come from the dashboard")
    return key


def headers_of(key: str) -> dict[str, str]:
    return {"X-API-Key": key, "User-Agent": f"freelancer-matching-python/{VERSION}", "Accept": "application/json"}


def query_of(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the query as the service reads it: without absent values, and with true and false."""
    return {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in query.items()
        if value is not None
    }


def segment(value: str) -> str:
    """Return a part of a path, such as an id with a slash."""
    return quote(value, safe="")


def quoted(version: str | None) -> str | None:
    """Return a version as an entity tag."""
    return None if version is None or version == "*" else f'"{version}"'


def wait_before(attempt: int, request: Request, failure: Exception, longest: float) -> float | None:
    """Return the seconds to wait before another attempt of a request, or None if there should be none.

    attempt counts the failed attempts before this one. A limit and a refused connection come before any work, so they
    never forbid another attempt.
    """
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2**attempt)
    wait -= random.uniform(0, wait / 2)  # clients that failed together come back apart

    match failure:
        case ApiError(status=429):
            wait = max(wait, failure.retry_after or 0)
        case ApiError(status=502 | 503 | 504) if request.repeatable:
            wait = max(wait, failure.retry_after or 0)
        case ApiError() if request.repeatable and is_running(failure):
            wait = max(wait, failure.retry_after or 0)
        case ConnectionFailed() if request.repeatable or isinstance(failure.__cause__, httpx.ConnectError):
            pass
        case _:
            return None

    return wait if wait <= longest and request.rewind() else None


def is_running(failure: Exception) -> bool:
    """Report whether the service still works on an earlier attempt, whose result is worth waiting for."""
    match failure:
        case ApiError(code="idempotency_conflict", retry_after=float()):
            return True
        case _:
            return False


def rate_limit_of(headers: httpx.Headers) -> RateLimit | None:
    """Return the limits that a response names. Unlimited plans have none."""
    try:
        return RateLimit(
            limit=int(headers["X-RateLimit-Limit"]),
            remaining=int(headers["X-RateLimit-Remaining"]),
            reset=float(headers["X-RateLimit-Reset"]),
            window=headers.get("X-RateLimit-Window", ""),
        )
    except (KeyError, ValueError):
        return None


def failure_of(response: httpx.Response) -> ApiError:
    """Return the error of a response whose body has been read."""
    try:
        body = response.json()
    except (JSONDecodeError, UnicodeDecodeError):
        body = None
    try:
        retry_after = float(response.headers["Retry-After"])
    except (KeyError, ValueError):
        retry_after = None
    return error_of(response.status_code, body, retry_after)


def batches(changes: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, bytes]]:
    """Divide changes into bodies of requests. Each comes with the number of changes before it."""
    done, lines, size = 0, list[bytes](), 0
    for change in changes:
        line = dumps(change, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if lines and (len(lines) == BATCH_LINES or size + len(line) > BATCH_BYTES):
            yield done, b"".join(lines)
            done, lines, size = done + len(lines), [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield done, b"".join(lines)


def bulk_results(text: str) -> Iterator[Any]:
    """Yield the results of a batch of changes. An error ends them, as a limit that is reached does."""
    for line in map(loads, text.splitlines()):
        if "outcome" in line:
            yield line
        elif "error" in line:
            raise error_in_stream(line)
        else:
            return
    raise ConnectionFailed("the response ended before all changes had a result")


def upload(
    path: str,
    file: File,
    name: str | None,
    request: Mapping[str, Any] | None = None,
    query: Mapping[str, Any] | None = None,
) -> Request:
    """Return a request that uploads a file, whose content is read while it is sent."""
    content: Any = file
    opened = None
    if isinstance(file, (str, os.PathLike)):
        content = opened = Path(file).open("rb")
        name = name or Path(file).name
    name = name or os.path.basename(str(getattr(file, "name", ""))) or "file"

    files: list[tuple[str, tuple[str | None, Any, str]]] = []
    if request is not None:
        files.append(("request", (None, dumps(request), "application/json")))
    files.append(("file", (name, content, "application/octet-stream")))
    return Request("POST", path, query=query or {}, files=files, opened=opened)


class Reader:
    """Reads server-sent events line by line."""

    def __init__(self) -> None:
        self._type, self._id, self._data = "", "", list[str]()

    def line(self, line: str) -> tuple[str, str, str] | None:
        """Take the next line, and return type, id and data of the event that it ends."""
        if not line:
            event = (self._type or "message", self._id, "\n".join(self._data)) if self._data else None
            self._type, self._data = "", []
            return event

        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "event":
                self._type = value
            case "id":
                self._id = value
            case "data":
                self._data.append(value)
        return None
