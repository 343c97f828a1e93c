"""A client of the freelancer matching service."""

from ._async import AsyncClient
from ._policy import VERSION, Event, File, RateLimit
from ._sync import Client
from .errors import (
    ApiError,
    AuthenticationFailed,
    Conflict,
    ConnectionFailed,
    CursorExpired,
    InvalidRequest,
    LimitReached,
    MatchingError,
    NotFound,
    PermissionDenied,
    ServiceUnavailable,
)
from .webhooks import InvalidWebhook, WebhookMessage, verify_webhook

__version__ = VERSION

__all__ = [
    "ApiError",
    "AsyncClient",
    "AuthenticationFailed",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "CursorExpired",
    "Event",
    "File",
    "InvalidRequest",
    "InvalidWebhook",
    "LimitReached",
    "MatchingError",
    "NotFound",
    "PermissionDenied",
    "RateLimit",
    "ServiceUnavailable",
    "WebhookMessage",
    "verify_webhook",
]
