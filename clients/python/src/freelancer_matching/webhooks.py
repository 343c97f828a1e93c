"""Verification of webhook messages, and their types."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, cast

from . import types
from .errors import MatchingError

TOLERANCE = 300.0  # seconds
SECRET_PREFIX = "whsec_"


class InvalidWebhook(MatchingError):
    """A message must not be processed: it has no valid signature, is too old, or isn't JSON. Respond with 400."""


class _Message(TypedDict):
    id: str
    """The same when a message is sent again: ignore a message whose id you have."""
    timestamp: str
    """When the event happened."""
    test: NotRequired[bool]
    """Whether the data is invented."""


class FreelancersMessage(_Message):
    type: Literal["freelancer.changed", "freelancer.erased"]
    data: types.ChangesMessage


class LoadLiveWebhook(_Message):
    type: Literal["load.live"]
    data: types.LoadLiveMessage


class LoadRefusedWebhook(_Message):
    type: Literal["load.refused"]
    data: types.LoadRefusedMessage


class QuotaWebhook(_Message):
    type: Literal["quota.nearly_exhausted"]
    data: types.QuotaMessage


class KeyWebhook(_Message):
    type: Literal["key.expiring"]
    data: types.KeyMessage


class InterviewData(TypedDict):
    """The state of a session. Values that are not known yet are None."""

    session_id: str
    freelancer_id: str
    state: str
    overall_score: int | None
    points: types.CoveredPoints | None
    hiring_recommendation: bool | None


class InterviewWebhook(_Message):
    type: Literal["interview.submitted", "interview.evaluated"]
    data: InterviewData


WebhookMessage = (
    FreelancersMessage | LoadLiveWebhook | LoadRefusedWebhook | QuotaWebhook | KeyWebhook | InterviewWebhook
)
"""A message, by its type. Later releases may send other types; ignore those that you don't know."""


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes,
    secrets: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> WebhookMessage:
    """Return the message of a request to a webhook endpoint, or raise InvalidWebhook.

    headers: of the request; upper and lower case make no difference.
    body: the bytes as they were received.
    secrets: the secret of the endpoint, `whsec_…`, or several while a rotated secret is still in use.
    tolerance: seconds by which the time of the message may differ from now.
    now: seconds since 1970; by default the current time.
    """
    keys = [_key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("a secret is required")

    values = {name.lower(): value for name, value in headers.items()}
    message_id = values.get("webhook-id", "")
    timestamp = values.get("webhook-timestamp", "")
    signatures = values.get("webhook-signature", "").split()

    # A dot separates the signed parts, so an ID with one could take a part of the body for the time.
    if not message_id.isascii() or "." in message_id or not message_id:
        raise InvalidWebhook("the header webhook-id is missing or invalid")
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    if not is_number or not abs((time.time() if now is None else now) - int(timestamp)) <= tolerance:
        raise InvalidWebhook("the header webhook-timestamp is missing or too far from the current time")

    # Every signature is compared with every key, so that the time doesn't tell which of them matched.
    signed = f"{message_id}.{timestamp}.".encode() + body
    valid = False
    for key in keys:
        want = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
        for signature in signatures:
            valid |= hmac.compare_digest(signature.encode(errors="replace"), want)
    if not valid:
        raise InvalidWebhook("no signature in the header webhook-signature belongs to this message and secret")

    return _parse(message_id, body)


def _key_of(secret: str) -> bytes:
    """Return the key in a secret. The error does not quote the secret."""
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(SECRET_PREFIX) or not key:
        raise ValueError(f"the secret of a webhook is {SECRET_PREFIX} and a key in base64")
    return key


def _parse(message_id: str, body: bytes) -> WebhookMessage:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidWebhook("the body isn't JSON") from error

    is_message = isinstance(message, dict) and isinstance(message.get("type"), str) and "data" in message
    if not is_message:
        raise InvalidWebhook("the body isn't a message from the service")
    return cast(WebhookMessage, {**message, "id": message_id})
