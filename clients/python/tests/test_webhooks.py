"""Verification of messages."""

import base64
import hashlib
import hmac
import json
import re
import time
from pathlib import Path

import pytest

import freelancer_matching as fm

KEY, OTHER = b"0123456789abcdef01234567", b"another key, 24 bytes ok"
NOW = 1_767_323_045
BODY = json.dumps({"type": "load.live", "timestamp": "2026-01-02T03:04:05Z", "data": {"sequence": 43}}).encode()


def secret(key):
    return "whsec_" + base64.b64encode(key).decode()


def sign(key, body=BODY, id="msg_1", at=NOW):
    digest = hmac.new(key, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


def signed(*signatures, id="msg_1", at=NOW):
    headers = {"Webhook-Id": id, "Webhook-Timestamp": str(at), "Webhook-Signature": " ".join(signatures)}
    return {name: value for name, value in headers.items() if value}


def verify(headers, body=BODY, secrets=None, **options):
    secrets = secret(KEY) if secrets is None else secrets
    return fm.verify_webhook(headers, body, secrets, **({"now": NOW} | options))


def test_a_message():
    message = verify(signed(sign(KEY)))
    assert message == {
        "id": "msg_1",
        "type": "load.live",
        "timestamp": "2026-01-02T03:04:05Z",
        "data": {"sequence": 43},
    }


def test_the_example_of_standard_webhooks():
    signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    headers = signed(signature, id="msg_p5jXN8AQM9LWM0D4loKWxJek", at=1614265330)
    with pytest.raises(fm.InvalidWebhook, match="isn't a message from the service"):  # but its signature is valid
        verify(headers, b'{"test": 2432232314}', "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", now=1614265330)


def test_rotated_secrets():
    both = signed(sign(OTHER), sign(KEY))
    assert verify(both)
    assert verify(both, secrets=secret(OTHER))
    assert verify(signed("v2,unknown", sign(KEY)), secrets=[secret(OTHER), secret(KEY)])


def test_times():
    for at in (NOW - 300, NOW + 300):
        assert verify(signed(sign(KEY, at=at), at=at))
    for at in (NOW - 301, NOW + 301, 0, -NOW, "", "now", f"{NOW}.0", "9" * 5000, "١٧٦٧٣٢٣٠٤٥"):
        with pytest.raises(fm.InvalidWebhook, match="webhook-timestamp"):
            verify(signed(sign(KEY, at=at), at=at))
    assert verify(signed(sign(KEY, at=NOW - 900), at=NOW - 900), tolerance=1000)
    with pytest.raises(fm.InvalidWebhook, match="webhook-timestamp"):
        fm.verify_webhook(signed(sign(KEY)), BODY, secret(KEY))  # of the past, by the clock


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (signed(sign(OTHER)), BODY),
        (signed(sign(KEY)), BODY + b" "),
        (signed(sign(KEY)), BODY.replace(b"43", b"44")),
        (signed(sign(KEY), id="msg_2"), BODY),
        (signed(sign(KEY), at=NOW + 1), BODY),
        (signed(sign(KEY)[:-2]), BODY),
        (signed(sign(KEY) + "A"), BODY),
        (signed(sign(KEY).removeprefix("v1,")), BODY),
        (signed(sign(KEY).replace("v1", "v2")), BODY),
        (signed("v1,"), BODY),
        (signed("v1,é\udc80"), BODY),
        (signed(), BODY),
    ],
)
def test_refuses_signatures(headers, body):
    with pytest.raises(fm.InvalidWebhook, match="signature"):
        verify(headers, body)


def test_refuses_ids():
    for id in ("", "msg.1", "é"):
        with pytest.raises(fm.InvalidWebhook, match="webhook-id"):
            verify(signed(sign(KEY, id=id), id=id))


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'{"type":1,"data":{}}', b'{"type":"x"}', b"[" * 100_000])
def test_refuses_bodies(body):
    with pytest.raises(fm.InvalidWebhook, match="the body"):
        verify(signed(sign(KEY, body)), body)


@pytest.mark.parametrize("secrets", ["", [], "whsec_", "whsec_é", "whsec_a", "MDEyMzQ1Njc4OWFiY2RlZg=="])
def test_refuses_secrets(secrets):
    with pytest.raises(ValueError, match="secret") as raised:
        verify(signed(sign(KEY)), secrets=secrets)
    assert "MDEy" not in str(raised.value)


def test_readme(monkeypatch, capsys):
    """The example of the README responds to messages."""
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    (example,) = (e for e in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "def receive" in e)
    names = {}
    exec(example, names)
    monkeypatch.setenv("WEBHOOK_SECRET", secret(KEY))

    body = b'{"type":"freelancer.erased","data":{"changes":[{"kind":"erased","id":"f1"}]}}'
    at = int(time.time())
    assert names["receive"](signed(sign(KEY, body, at=at), at=at), body) == 204
    assert capsys.readouterr().out == "erase the copy of f1\n"
    assert names["receive"](signed(sign(OTHER, body, at=at), at=at), body) == 400
