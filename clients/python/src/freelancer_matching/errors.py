"""The errors of the service, and of the way to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .types import FieldError


class MatchingError(Exception):
    """Any error of this package."""


class ConnectionFailed(MatchingError):
    """The service did not respond: no connection, or no response within the time limit."""


class ApiError(MatchingError):
    """The service responded with an error.

    code is stable, so decide by it. The message explains the problem and how to solve it.
    """

    def __init__(self, status: int, body: Mapping[str, Any], retry_after: float | None = None) -> None:
        error = body.get("error")
        if not isinstance(error, Mapping):
            error = {}
        self.status: int = status
        self.code: str = error.get("code", "")
        self.message: str = error.get("message") or f"the response has status {status} and no error of the service"
        self.details: list[FieldError] = error.get("details") or []
        self.request_id: str = body.get("request_id", "")
        self.retry_after: float | None = retry_after
        """Seconds to wait before the next attempt, if the service said so."""
        super().__init__(self.message)

    def __str__(self) -> str:
        place = f", request {self.request_id}" if self.request_id else ""
        return f"{self.message} ({self.code or self.status}{place})"


class InvalidRequest(ApiError):
    """The request can't be carried out as it is: 400, 413, 415 or 422. details names the fields."""


class AuthenticationFailed(ApiError):
    """The key is missing or not valid: 401."""


class PermissionDenied(ApiError):
    """The key may not do this: 403."""


class NotFound(ApiError):
    """There is no such freelancer, interview, load, webhook or operation: 404."""


class CursorExpired(ApiError):
    """Changes that far back are no longer kept: 410. Read all freelancers again."""


class Conflict(ApiError):
    """The state of what the request is about forbids it, such as another version of a freelancer: 409 or 412."""


class LimitReached(ApiError):
    """A limit of the plan, or of requests at a time, is reached: 429. retry_after says for how long."""


class ServiceUnavailable(ApiError):
    """The service, or something that it needs, has a problem: 5xx."""


_CLASSES: dict[int, type[ApiError]] = {
    400: InvalidRequest,
    401: AuthenticationFailed,
    403: PermissionDenied,
    404: NotFound,
    409: Conflict,
    410: CursorExpired,
    412: Conflict,
    413: InvalidRequest,
    415: InvalidRequest,
    422: InvalidRequest,
    429: LimitReached,
}


def error_of(status: int, body: Any, retry_after: float | None) -> ApiError:
    """Return the error of a response. body is its decoded JSON, or anything else if it has none."""
    kind = _CLASSES.get(status, ServiceUnavailable if status >= 500 else ApiError)
    return kind(status, body if isinstance(body, Mapping) else {}, retry_after)


_STREAM_STATUSES = {
    "revoked_api_key": 401,
    "expired_api_key": 401,
    "disabled_api_key": 401,
    "permission_required": 403,
    "cursor_expired": 410,
    "body_too_large": 413,
    "change_limit_exceeded": 429,
    "internal": 500,
    "overloaded": 503,
    "not_processed": 503,
    "engine_timeout": 504,
}


def error_in_stream(body: Mapping[str, Any]) -> ApiError:
    """Return the error that ends a stream. It has the status that its code has elsewhere, or that of the stream."""
    code = body["error"]["code"]
    return error_of(_STREAM_STATUSES.get(code, 200), body, None)
