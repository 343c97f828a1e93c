"""What both clients do with the responses of a service that fails. The service is a function."""

import asyncio
import io
import json

import httpx
import pytest

import freelancer_matching as fm
from freelancer_matching import _async, _sync


class Service:
    """A service that gives prepared responses and records requests. An exception is a broken connection."""

    def __init__(self, *responses):
        self.responses, self.requests = list(responses), []

    def __call__(self, request):
        self.requests.append((request, request.read()))
        response = self.responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return response


@pytest.fixture
def waits(monkeypatch):
    waits = []

    async def pause(seconds):
        waits.append(seconds)

    monkeypatch.setattr(_sync, "pause", waits.append)
    monkeypatch.setattr(_async, "async_pause", pause)
    return waits


@pytest.fixture(params=["sync", "async"])
def call(request):
    """Return a function that calls a method of a client, and returns the result, or the values of an iterator."""

    def call(service, use, **options):
        options = {"key": "k", "url": "http://a", "transport": httpx.MockTransport(service)} | options
        if request.param == "sync":
            with fm.Client(**options) as client:
                result = use(client)
                return list(result) if hasattr(result, "__next__") else result

        async def run():
            async with fm.AsyncClient(**options) as client:
                result = use(client)
                if hasattr(result, "__anext__"):
                    return [value async for value in result]
                return await result

        return asyncio.run(run())

    return call


def failure(status, code, **headers):
    body = {"status": "error", "error": {"code": code, "message": "No."}, "request_id": "r1"}
    return httpx.Response(status, json=body, headers=headers)


def matches(*ids, next_offset=None):
    return httpx.Response(200, json={"matches": [{"freelancer": {"id": i}} for i in ids], "next_offset": next_offset})


def brief(client):
    return client.match(required_skills=["Go"])


def test_a_request(call, waits):
    service = Service(matches("f1"))
    assert call(service, brief)["matches"][0]["freelancer"]["id"] == "f1"

    request, body = service.requests[0]
    assert str(request.url) == "http://a/api/v1/match?unknown=null"
    assert request.headers["X-API-Key"] == "k"
    assert request.headers["User-Agent"] == "freelancer-matching-python/" + fm.__version__
    assert json.loads(body) == {"required_skills": ["Go"]}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, fm.InvalidRequest), (401, fm.AuthenticationFailed), (403, fm.PermissionDenied), (404, fm.NotFound),
        (409, fm.Conflict), (410, fm.CursorExpired), (412, fm.Conflict), (413, fm.InvalidRequest),
        (415, fm.InvalidRequest), (418, fm.ApiError), (422, fm.InvalidRequest), (500, fm.ServiceUnavailable),
    ],
)  # fmt: skip
def test_errors(call, waits, status, kind):
    service = Service(failure(status, "some_code"))
    with pytest.raises(kind) as raised:
        call(service, brief)
    error = raised.value
    assert type(error) is kind
    assert (error.status, error.code, error.message, error.request_id) == (status, "some_code", "No.", "r1")
    assert str(error) == "No. (some_code, request r1)"
    assert len(service.requests) == 1


@pytest.mark.parametrize("body", [b"<html>", b"\xff", b"[]", b'{"error":"no object"}', b""])
def test_errors_of_something_else(call, waits, body):
    service = Service(*(httpx.Response(502, content=body) for _ in range(3)))
    with pytest.raises(fm.ServiceUnavailable, match="status 502"):
        call(service, brief)


@pytest.mark.parametrize(
    "broken",
    [httpx.ConnectError("refused"), httpx.ReadTimeout(""), httpx.RemoteProtocolError("cut"), 502, 503, 504],
)
def test_repeats(call, waits, broken):
    service = Service(*[failure(broken, "x") if isinstance(broken, int) else broken] * 2, matches("f1"))
    call(service, brief)
    assert len(waits) == 2
    assert 0.25 <= waits[0] <= 0.5 <= waits[1] <= 1


def test_gives_up(call, waits):
    service = Service(*[httpx.ConnectError("refused")] * 3)
    with pytest.raises(fm.ConnectionFailed, match="a did not respond: refused"):
        call(service, brief)
    assert not service.responses


def test_waits_as_long_as_asked(call, waits):
    service = Service(failure(429, "rate_limit_exceeded", **{"Retry-After": "7"}), matches("f1"))
    call(service, brief)
    assert waits == [7]


def test_does_not_wait_for_days(call, waits):
    service = Service(failure(429, "rate_limit_exceeded", **{"Retry-After": "86400"}))
    with pytest.raises(fm.LimitReached) as raised:
        call(service, brief)
    assert (raised.value.retry_after, waits) == (86400, [])


def events(client):
    return client.record_events([{"type": "clicked", "request_id": "r", "freelancer_id": "f"}])


@pytest.mark.parametrize("broken", [httpx.ReadTimeout(""), 503])
def test_does_not_repeat_what_may_have_happened(call, waits, broken):
    service = Service(failure(broken, "x") if isinstance(broken, int) else broken)
    with pytest.raises(fm.MatchingError):
        call(service, events)
    assert len(service.requests) == 1


@pytest.mark.parametrize("broken", [httpx.ConnectError("refused"), 429])
def test_repeats_what_has_not_happened(call, waits, broken):
    recorded = httpx.Response(200, json={"data": {"recorded": 1}})
    service = Service(failure(broken, "x") if isinstance(broken, int) else broken, recorded)
    assert call(service, events) == {"recorded": 1}


def test_a_version_forbids_repeating(call, waits):
    service = Service(httpx.ReadTimeout(""))
    with pytest.raises(fm.ConnectionFailed):
        call(service, lambda client: client.freelancers.put("f1", {"name": "Ada"}, if_match="v1"))
    assert service.requests[0][0].headers["If-Match"] == '"v1"'


def test_several_hosts(call, waits):
    service = Service(httpx.ConnectError("refused"), matches("f1"))
    call(service, brief, url=["http://a", "http://b/"])
    assert [request.url.host for request, _ in service.requests] == ["a", "b"]
    assert waits == [0]


def test_rate_limit(waits):
    headers = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "59", "X-RateLimit-Reset": "12.5"}
    service = Service(httpx.Response(200, json={}, headers=headers), httpx.Response(200, json={}))
    with fm.Client("k", transport=httpx.MockTransport(service)) as client:
        assert client.rate_limit is None
        client.health()
        client.health()
        assert client.rate_limit == fm.RateLimit(60, 59, 12.5, "")


def test_pages(call, waits):
    service = Service(matches("f1", "f2", next_offset=2), matches("f3"))
    found = call(service, lambda client: client.matches(required_skills=["Go"], limit=2))
    assert [match["freelancer"]["id"] for match in found] == ["f1", "f2", "f3"]
    assert json.loads(service.requests[1][1])["offset"] == 2


def test_bulk(call, waits):
    def lines(request):
        ids = [json.loads(line)["id"] for line in request.read().splitlines()]
        results = [{"line": n, "id": i, "outcome": "created"} for n, i in enumerate(ids, 1)]
        return httpx.Response(200, text="\n".join(map(json.dumps, [*results, {"status": "success"}])))

    changes = ({"id": f"f{n}"} for n in range(1234))
    results = call(lines, lambda client: client.freelancers.bulk(changes))
    assert [(r["line"], r["id"]) for r in results] == [(n + 1, f"f{n}") for n in range(1234)]


def test_bulk_limits_bodies(call, waits):
    sizes = []

    def lines(request):
        sizes.append(len(request.read()))
        count = request.read().count(b"\n")
        return httpx.Response(200, text='{"line":1,"outcome":"created"}\n' * count + "{}\n")

    record = {"id": "f", "description": "x" * 300_000}
    assert len(call(lines, lambda client: client.freelancers.bulk([record] * 7))) == 7
    assert max(sizes) <= 1 << 20


def test_ids_are_encoded(call, waits):
    service = Service(httpx.Response(200, json={"data": {}}))
    call(service, lambda client: client.freelancers.get("a/b ü?"))
    assert service.requests[0][0].url.raw_path == b"/api/v1/freelancers/a%2Fb%20%C3%BC%3F?unknown=null"


def test_uploads(call, waits, tmp_path):
    resume = tmp_path / "mira.txt"
    resume.write_text("Mira Talden")
    for file in (resume, str(resume), b"Mira Talden", io.BytesIO(b"Mira Talden")):
        service = Service(failure(503, "x"), httpx.Response(200, json={"data": {"name": "Mira Talden"}}))
        assert call(service, lambda client, file=file: client.resumes.parse(file, anonymize=True))["name"]
        for request, body in service.requests:
            assert request.url.query == b"anonymize=true"
            assert b"Mira Talden" in body


def test_a_pipe_is_read_once(call, waits):
    class Pipe(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            return 0

    service = Service(failure(503, "x"))
    with pytest.raises(fm.ServiceUnavailable):
        call(service, lambda client: client.resumes.parse(Pipe()))
    assert len(service.requests) == 1


class Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a response that breaks off."""

    def __init__(self, text):
        self.text = text

    def __iter__(self):
        yield self.text.encode()
        raise httpx.ReadError("cut")

    async def __aiter__(self):
        yield self.text.encode()
        raise httpx.ReadError("cut")


def test_streams_go_on(call, waits):
    first = 'event: session\nid: 1\ndata: {"session_id":"s"}\n\n: heartbeat\n\nevent: question\nid: 2\ndata: {"te'
    second = 'event: question\nid: 2\ndata: {"text":"Why?"}\n\nevent: result\nid: 3\ndata: {"data":{}}\n\n'
    service = Service(httpx.Response(200, stream=Broken(first)), httpx.Response(200, text=second))
    got = call(service, lambda client: client.interviews.stream(freelancer_id="f1"))
    assert [(event.type, event.id) for event in got] == [("session", "1"), ("question", "2"), ("result", "3")]

    requests = [request for request, _ in service.requests]
    assert requests[0].headers["Idempotency-Key"] == requests[1].headers["Idempotency-Key"]
    assert "Last-Event-ID" not in requests[0].headers
    assert requests[1].headers["Last-Event-ID"] == "1"


def test_bulk_ends_with_an_error(call, waits):
    result = '{"line":1,"id":"f1","outcome":"created"}\n'
    limit = failure(429, "change_limit_exceeded").text + "\n"
    for response, error in (
        (httpx.Response(200, text=result + limit), fm.LimitReached),
        (httpx.Response(200, text=result), fm.ConnectionFailed),
        (failure(503, "overloaded"), fm.ServiceUnavailable),
    ):
        service = Service(response)
        with pytest.raises(error):
            call(service, lambda client: client.freelancers.bulk([{"id": "f1"}, {"id": "f2"}]))
        assert len(service.requests) == 1


def test_streams_wait_for_the_first_attempt(call, waits):
    first = 'event: session\nid: 1\ndata: {"session_id":"s"}\n\n'
    running = [failure(409, "idempotency_conflict", **{"Retry-After": "5"}) for _ in range(4)]
    result = httpx.Response(200, text='event: result\nid: 2\ndata: {"data":{}}\n\n')
    service = Service(httpx.Response(200, stream=Broken(first)), *running, result)
    got = call(service, lambda client: client.interviews.stream(freelancer_id="f1"))
    assert [event.id for event in got] == ["1", "2"]
    assert min(waits) == 5

    service = Service(failure(409, "idempotency_conflict"))
    with pytest.raises(fm.Conflict):
        call(service, lambda client: client.interviews.conduct(freelancer_id="f1", idempotency_key="mine"))


def test_waits_are_limited_in_total(call, waits):
    service = Service(*(failure(429, "rate_limit_exceeded", **{"Retry-After": "40"}) for _ in range(2)))
    with pytest.raises(fm.LimitReached):
        call(service, lambda client: client.me())
    assert waits == [40]


def test_streams_that_fail_at_once(call, waits):
    service = Service(failure(404, "freelancer_not_found"))
    with pytest.raises(fm.NotFound, match=r"No\."):
        call(service, lambda client: client.interviews.stream(freelancer_id="f1"))


def test_streams_that_never_end(call, waits):
    service = Service(*(httpx.Response(200, text=": heartbeat\n\n") for _ in range(3)))
    with pytest.raises(fm.ConnectionFailed, match="without a result"):
        call(service, lambda client: client.interviews.stream(freelancer_id="f1"))


def test_loads(call, waits):
    states = [httpx.Response(200, json={"data": {"state": state}}) for state in ("reading", "reading", "ready")]
    assert call(Service(*states), lambda client: client.loads.wait("l1"))["state"] == "ready"
    assert waits == [1, 1]


def test_settings(monkeypatch):
    monkeypatch.delenv("MATCHING_API_KEY", raising=False)
    with pytest.raises(ValueError, match="MATCHING_API_KEY"):
        fm.Client()

    monkeypatch.setenv("MATCHING_API_KEY", "k2")
    monkeypatch.setenv("MATCHING_URL", "http://c/")
    service = Service(httpx.Response(200, json={}))
    with fm.Client(transport=httpx.MockTransport(service)) as client:
        client.health()
    request = service.requests[0][0]
    assert (str(request.url), request.headers["X-API-Key"]) == ("http://c/api/v1/health", "k2")


def changes(*numbers, **page):
    data = [{"sequence": n, "kind": "stored", "id": f"f{n}"} for n in numbers]
    return httpx.Response(200, json={"data": data} | page)


def change_event(number):
    return f'event: change\nid: {number}\ndata: {{"sequence":{number},"kind":"stored"}}\n\n'


def test_changes(call, waits):
    service = Service(changes(4, 5, next_cursor="5", has_more=True), changes(6, next_cursor="6", has_more=False))
    got = call(service, lambda client: client.changes.list(3))
    assert [change["sequence"] for change in got] == [4, 5, 6]
    assert [request.url.params["cursor"] for request, _ in service.requests] == ["3", "5"]

    service = Service(changes(next_cursor="7", has_more=False))
    assert call(service, lambda client: client.changes.cursor()) == "7"
    assert service.requests[0][0].url.query == b""


def test_a_stream_of_changes_goes_on(call, waits):
    service = Service(
        changes(next_cursor="1", has_more=False),
        httpx.Response(200, stream=Broken(": heartbeat\n\n" + change_event(2) + "event: change\nid: 3\nda")),
        httpx.Response(200, text=": heartbeat\n\n"),  # ended by the server, without a change
        httpx.ConnectError("refused"),
        failure(503, "overloaded"),
        httpx.Response(200, text=": heartbeat\n\n" + 'event: later\ndata: {}\n\nevent: error\ndata: {"error":'
                       '{"code":"overloaded","message":"No."}}\n\n'),
        httpx.Response(200, text=change_event(3) + 'event: error\ndata: {"error":{"code":"cursor_expired"}}\n\n'),
    )  # fmt: skip

    got = []

    def use(client):
        stream = client.changes.stream()
        if hasattr(stream, "__next__"):
            with pytest.raises(fm.CursorExpired):
                got.extend(stream)
            return None

        async def read():
            with pytest.raises(fm.CursorExpired):
                async for change in stream:
                    got.append(change)

        return read()

    call(service, use)
    assert [change["sequence"] for change in got] == [2, 3]
    asked = [request.url.params["cursor"] for request, _ in service.requests[1:]]
    assert asked == ["1", "2", "2", "2", "2", "2"]
    assert not service.responses


def test_a_stream_of_changes_gives_up(call, waits):
    service = Service(*[httpx.Response(200, text="")] * 11)
    with pytest.raises(fm.ConnectionFailed, match="the stream ended"):
        call(service, lambda client: client.changes.stream("0"))
    assert len(waits) == 10

    service = Service(failure(403, "permission_required"))
    with pytest.raises(fm.PermissionDenied):
        call(service, lambda client: client.changes.stream(0))


def test_leaving_a_stream_closes_its_connection(waits):
    closed = []

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self):
            for number in range(1_000_000):
                yield change_event(number).encode()

        async def aclose(self):
            closed.append(True)

    async def run():
        transport = httpx.MockTransport(Service(httpx.Response(200, stream=Endless())))
        async with fm.AsyncClient("k", transport=transport) as client:
            stream = client.changes.stream(0)
            assert (await anext(stream))["sequence"] == 0
            await stream.aclose()
            assert closed

    asyncio.run(run())


def test_webhooks(call, waits):
    def queued(client):
        return client.webhooks.test("we/1", event="load.live")

    service = Service(httpx.Response(202, json={"data": {"id": "msg_1"}}))
    assert call(service, queued) == {"id": "msg_1"}
    request, body = service.requests[0]
    assert (request.url.raw_path, json.loads(body)) == (b"/api/v1/webhooks/we%2F1/test", {"event": "load.live"})

    # These could be done twice.
    for use in (
        lambda client: client.webhooks.create(events=["load.live"]),
        lambda client: client.webhooks.rotate("we_1"),
        lambda client: client.webhooks.retry("we_1", "msg_1"),
        queued,
    ):
        service = Service(failure(503, "x"))
        with pytest.raises(fm.ServiceUnavailable):
            call(service, use)

    pages = [httpx.Response(200, json={"data": [{"id": i}], "next_cursor": c}) for i, c in (("a", "c1"), ("b", None))]
    service = Service(*pages)
    got = call(service, lambda client: client.webhooks.deliveries("we_1", limit=1))
    assert [delivery["id"] for delivery in got] == ["a", "b"]
    assert service.requests[1][0].url.query == b"limit=1&cursor=c1"
