"""The asynchronous client. _sync.py is made from this file by ./generate."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self, Unpack, cast

import httpx

from . import types
from ._pause import async_pause
from ._policy import (
    CONNECT_TIMEOUT,
    PERSISTENCE,
    Event,
    File,
    Hosts,
    RateLimit,
    Reader,
    Request,
    batches,
    bulk_results,
    failure_of,
    headers_of,
    is_running,
    key_of,
    quoted,
    rate_limit_of,
    segment,
    upload,
    wait_before,
)
from .errors import ConnectionFailed, MatchingError, error_in_stream


class AsyncClient:
    """A client of the freelancer matching service.

    Use one client for all requests of a program, and close it, or use it as a context manager. Unknown values of
    freelancers are None.

    key: an API key; by default that of MATCHING_API_KEY.
    url: the address of the service, or several that the client may choose from; by default that of MATCHING_URL.
    timeout: seconds that a single attempt may take.
    retries: attempts after the first one, if it does no harm to repeat a request.
    longest_wait: seconds that a call waits at most between its attempts in total. Longer limits raise LimitReached.
    """

    def __init__(
        self,
        key: str | None = None,
        *,
        url: str | Sequence[str] | None = None,
        timeout: float = 60,
        retries: int = 2,
        longest_wait: float = 60,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._hosts = Hosts(url)
        self._retries = retries
        self._longest_wait = longest_wait
        self._http = httpx.AsyncClient(
            headers=headers_of(key_of(key)),
            timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
            transport=transport,
        )
        self.rate_limit: RateLimit | None = None
        """The requests that are left, after the first response; None for an unlimited plan."""
        self.freelancers = AsyncFreelancers(self)
        self.resumes = AsyncResumes(self)
        self.interviews = AsyncInterviews(self)
        self.loads = AsyncLoads(self)
        self.changes = AsyncChanges(self)
        self.webhooks = AsyncWebhooks(self)
        self.briefs = AsyncBriefs(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def match(self, **brief: Unpack[types.MatchRequest]) -> types.MatchAnswer:
        """Return the best freelancers for a brief, one page of them."""
        return cast(types.MatchAnswer, await self._post("/api/v1/match", brief, unknown="null"))

    async def matches(self, **brief: Unpack[types.MatchRequest]) -> AsyncIterator[types.Match]:
        """Yield the matches of all pages, best first. limit is the size of a page."""
        while True:
            page = await self.match(**brief)
            for match in page["matches"]:
                yield match
            if page["next_offset"] is None:
                return
            brief["offset"] = page["next_offset"]

    async def match_batch(self, briefs: Sequence[types.MatchRequest]) -> list[types.MatchAnswer | types.Failure]:
        """Match several briefs, and return a result for each: matches, or an error with the status `error`."""
        answer = await self._post("/api/v1/match/batch", {"briefs": briefs}, unknown="null")
        return cast(list[types.MatchAnswer | types.Failure], answer["data"]["results"])

    async def match_document(
        self, file: File, *, name: str | None = None, **brief: Unpack[types.MatchRequest]
    ) -> types.MatchAnswer:
        """Match a brief in a file, such as a job advert. brief has what the file does not say."""
        request = upload("/api/v1/match/document", file, name, brief or None, {"unknown": "null"})
        return cast(types.MatchAnswer, await self._send(request))

    async def explain(self, **request: Unpack[types.ExplainRequest]) -> types.Standing:
        """Say where a freelancer is in the matches of a brief, and why."""
        answer = await self._post("/api/v1/match/explain", request, unknown="null")
        return cast(types.Standing, answer["data"])

    async def teams(self, **request: Unpack[types.TeamsRequest]) -> types.Teams:
        """Return teams for a brief with one budget: who brings what, and what is missing."""
        answer = await self._post("/api/v1/teams", request, unknown="null")
        return cast(types.Teams, answer["data"])

    async def similar(self, id: str, **query: Any) -> types.MatchAnswer:
        """Return freelancers like another one. query has limit, offset, explain, and filters of a match."""
        path = f"/api/v1/freelancers/{segment(id)}/similar"
        return cast(types.MatchAnswer, await self._get(path, unknown="null", **query))

    async def verify_skill(self, keyword: str) -> types.Verification:
        """Look a skill or a job title up: its usual name, related skills, and how many freelancers have it."""
        return cast(types.Verification, (await self._post("/api/v1/verify-skill", {"keyword": keyword}))["data"])

    async def record_events(self, events: Sequence[types.Event]) -> types.RecordedEvents:
        """Say what became of matches, such as that a freelancer was contacted."""
        request = Request("POST", "/api/v1/events", json={"events": events}, repeatable=False)
        return cast(types.RecordedEvents, (await self._send(request))["data"])

    async def generate_test_data(self, **query: Any) -> list[types.TestRecord]:
        """Return invented freelancers. query has num_freelancers, seed and details."""
        answer = await self._get("/api/v1/generate-test-data", **query)
        return cast(list[types.TestRecord], answer["data"])

    async def create_browser_token(self, **token: Unpack[types.BrowserTokenRequest]) -> types.BrowserToken:
        """Return a token with which pages of some origins may match, and do nothing else. The key stays secret."""
        return cast(types.BrowserToken, (await self._post("/api/v1/browser-tokens", token))["data"])

    async def me(self) -> types.Me:
        """Return the plan, permissions and remaining limits of the key. It costs no request."""
        return cast(types.Me, (await self._get("/api/v1/me"))["data"])

    async def health(self) -> types.HealthAnswer:
        """Return the state of the service and its parts. It costs no request."""
        return cast(types.HealthAnswer, await self._get("/api/v1/health"))

    async def _get(self, path: str, **query: Any) -> Any:
        return await self._send(Request("GET", path, query=query))

    async def _post(self, path: str, body: object, **query: Any) -> Any:
        return await self._send(Request("POST", path, query=query, json=body))

    async def _send(self, request: Request) -> Any:
        """Return the decoded body of the response."""
        try:
            response = await self._respond(request)
            return response.json()
        finally:
            request.close()

    async def _respond(self, request: Request, stream: bool = False) -> httpx.Response:
        """Send a request, and repeat it if that may help and does no harm."""
        attempt = 0
        waited = 0.0
        while True:
            try:
                return await self._attempt(request, stream)
            except MatchingError as failure:
                wait = wait_before(attempt, request, failure, self._longest_wait - waited)
                if wait is None or (attempt >= self._retries and not is_running(failure)):
                    raise
                status = getattr(failure, "status", None)
                if status in (None, 502, 503) and self._hosts.next():
                    wait = 0
            await async_pause(wait)
            waited += wait
            attempt += 1

    async def _attempt(self, request: Request, stream: bool) -> httpx.Response:
        built = self._http.build_request(request.method, self._hosts.url(request.path), **request.arguments())
        try:
            response = await self._http.send(built, stream=stream)
            if response.is_error and stream:
                await response.aread()
        except httpx.TransportError as error:
            raise ConnectionFailed(f"{built.url.host} did not respond: {error or type(error).__name__}") from error

        self.rate_limit = rate_limit_of(response.headers) or self.rate_limit
        if response.is_error:
            raise failure_of(response)
        return response

    async def _lines(self, request: Request) -> AsyncGenerator[str]:
        """Yield the lines of a stream, for one connection."""
        response = await self._respond(request, stream=True)
        try:
            async for line in response.aiter_lines():
                yield line
        except httpx.TransportError as error:
            raise ConnectionFailed(f"the stream broke off: {error or type(error).__name__}") from error
        finally:
            await response.aclose()


class AsyncFreelancers:
    """The records of freelancers. The key needs the permissions data:read and data:write."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def get(self, id: str) -> types.StoredFreelancer:
        """Return a freelancer with the version of the record."""
        answer = await self._client._get(f"/api/v1/freelancers/{segment(id)}", unknown="null")
        return cast(types.StoredFreelancer, answer["data"])

    async def put(
        self, id: str, record: types.FreelancerRecord, *, if_match: str | None = None, **query: Any
    ) -> types.FreelancerChange:
        """Create or replace a freelancer.

        if_match: the version that is replaced; with another one, Conflict is raised.
        query: lenient, readmit and currency.
        """
        return await self._change("PUT", id, record, if_match, query)

    async def patch(
        self, id: str, record: types.FreelancerRecord, *, if_match: str | None = None, **query: Any
    ) -> types.FreelancerChange:
        """Change the fields that record has. None makes a field unknown."""
        return await self._change("PATCH", id, record, if_match, query)

    async def erase(self, id: str, *, if_match: str | None = None) -> types.FreelancerChange:
        """Erase a freelancer, for good: later loads leave this person out."""
        return await self._change("DELETE", id, None, if_match, {})

    async def list(self, **query: Any) -> AsyncIterator[types.StoredFreelancer]:
        """Yield all freelancers. query has the filters of a match, and limit, the size of a page."""
        while True:
            page = await self._client._get("/api/v1/freelancers", unknown="null", **query)
            for freelancer in page["data"]:
                yield freelancer
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    async def bulk(self, changes: Iterable[Mapping[str, Any]], **query: Any) -> AsyncIterator[types.BulkResult]:
        """Make any number of changes, and yield a result for each, in their order.

        A change is a record with its id, or an id with `"deleted": True`. query has patch, lenient, readmit and
        currency. Changes are sent in batches, so an error leaves the changes undone that have no result yet, except
        perhaps some of the last batch. It is safe to send them again.
        """
        for done, body in batches(changes):
            headers = {"Content-Type": "application/x-ndjson", "Accept": "application/x-ndjson"}
            request = Request(
                "POST", "/api/v1/freelancers/bulk", query=query, headers=headers, content=body, repeatable=False
            )
            response = await self._client._respond(request)
            for result in bulk_results(response.text):
                result["line"] += done
                yield result

    async def _change(
        self, method: str, id: str, record: object, if_match: str | None, query: Mapping[str, Any]
    ) -> types.FreelancerChange:
        tag = quoted(if_match)
        request = Request(
            method,
            f"/api/v1/freelancers/{segment(id)}",
            query=query,
            headers={} if tag is None else {"If-Match": tag},
            json=record,
            repeatable=if_match is None,  # after a lost response, the version would be another one
        )
        return cast(types.FreelancerChange, (await self._client._send(request))["data"])


class AsyncResumes:
    """Resumes in PDF, Word, and other formats."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def parse(self, file: File, *, name: str | None = None, **query: Any) -> types.Resume:
        """Read a resume. query has anonymize."""
        request = upload("/api/v1/parse", file, name, query=query)
        return cast(types.Resume, (await self._client._send(request))["data"])

    async def to_json_resume(self, file: File, *, name: str | None = None, **query: Any) -> Any:
        """Read a resume, and return it in the format of jsonresume.org."""
        request = upload("/api/v1/parse/json-resume", file, name, query=query)
        return (await self._client._send(request))["data"]


class AsyncInterviews:
    """Interviews with freelancers."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def conduct(
        self, *, idempotency_key: str | None = None, **request: Unpack[types.InterviewRequest]
    ) -> types.Interview:
        """Ask questions, or judge answers to them. mode says which.

        idempotency_key: makes a repeated request the same as the first one. The client makes one for its own attempts.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        answer = await self._client._send(Request("POST", "/api/v1/interview", headers=headers, json=request))
        return cast(types.Interview, answer["data"])

    async def stream(
        self, *, idempotency_key: str | None = None, **request: Unpack[types.InterviewRequest]
    ) -> AsyncIterator[Event]:
        """Yield the questions and judgments of an interview as they are made, and then the result.

        If the connection breaks, the stream continues after the last event.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4()), "Accept": "text/event-stream"}
        broken = 0
        while True:
            try:
                connection = Request("POST", "/api/v1/interview/stream", headers=headers, json=request)
                async for event in self._events(connection):
                    broken = 0
                    headers["Last-Event-ID"] = event.id
                    yield event
                    if event.type in ("result", "error"):
                        return
                raise ConnectionFailed("the stream ended without a result")
            except ConnectionFailed:
                broken += 1
                if broken > self._client._retries:
                    raise

    async def _events(self, request: Request) -> AsyncIterator[Event]:
        """Yield the events of one connection."""
        reader = Reader()
        async with aclosing(self._client._lines(request)) as lines:
            async for line in lines:
                if (event := reader.line(line)) is not None:
                    kind, id, data = event
                    yield Event(kind, id, json.loads(data))

    async def list(self, **query: Any) -> AsyncIterator[types.InterviewSummary]:
        """Yield the account's sessions, newest first. query has freelancer_id, state and limit, the size of a page."""
        while True:
            page = await self._client._get("/api/v1/interviews", **query)
            for session in page["data"]:
                yield session
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    async def get(self, id: str) -> types.Interview:
        """Return an interview with its questions, answers and marks."""
        return cast(types.Interview, (await self._client._get(self._path(id)))["data"])

    async def delete(self, id: str) -> None:
        """Delete an interview with all that is stored about it."""
        await self._client._send(Request("DELETE", self._path(id)))

    async def invite(self, id: str, **request: Unpack[types.InvitationRequest]) -> types.InvitationLink:
        """Create a link with which the candidate answers on pages of the service."""
        body = Request("POST", self._path(id) + "/invitation", json=request, repeatable=False)
        return cast(types.InvitationLink, (await self._client._send(body))["data"])

    async def review(self, id: str, **request: Unpack[types.ReviewRequest]) -> types.Interview:
        """Replace a mark by the one of a person."""
        body = Request("POST", self._path(id) + "/reviews", json=request, repeatable=False)
        return cast(types.Interview, (await self._client._send(body))["data"])

    @staticmethod
    def _path(id: str) -> str:
        return f"/api/v1/interviews/{segment(id)}"


class AsyncLoads:
    """Files with freelancers. Nothing changes until a load is published. The key needs the permission data:write."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def create(self, file: File, *, name: str | None = None, **options: Unpack[types.LoadOptions]) -> types.Load:
        """Upload a file. Reading continues after the response; wait returns what it found."""
        request = upload("/api/v1/loads", file, name, options)
        request.repeatable = False
        return cast(types.Load, (await self._client._send(request))["data"])

    async def get(self, id: str) -> types.Load:
        """Return the state of a load, and what publishing it would change."""
        return cast(types.Load, (await self._client._get(self._path(id)))["data"])

    async def wait(self, id: str, *, every: float = 1) -> types.Load:
        """Wait until the service has done what it does with a load. every: seconds between two questions."""
        while True:
            load = await self.get(id)
            if load["state"] not in ("reading", "publishing"):
                return load
            await async_pause(every)

    async def publish(self, id: str, *, allow_shrink: bool | None = None) -> types.Load:
        """Replace the live freelancers by those of the file, or add them. wait returns the outcome."""
        request = Request("POST", self._path(id) + "/publish", query={"allow_shrink": allow_shrink}, repeatable=False)
        return cast(types.Load, (await self._client._send(request))["data"])

    async def cancel(self, id: str) -> None:
        """Remove a load that is not published."""
        await self._client._send(Request("DELETE", self._path(id)))

    async def roll_back(self, id: str) -> types.Load:
        """Make the freelancers live again that a load replaced."""
        request = Request("POST", self._path(id) + "/rollback", repeatable=False)
        return cast(types.Load, (await self._client._send(request))["data"])

    @staticmethod
    def _path(id: str) -> str:
        return f"/api/v1/loads/{segment(id)}"


class AsyncChanges:
    """Which freelancers have changed, for copies of their records. The key needs the permission data:read.

    Ask for the cursor, read all freelancers, and then list or follow the changes after it. Read all freelancers again
    after a change of the kind `index.replaced`, and after CursorExpired.
    """

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def cursor(self) -> str:
        """Return the cursor after which changes from now on come."""
        return cast(str, (await self._client._get("/api/v1/changes"))["next_cursor"])

    async def list(self, cursor: str | int) -> AsyncIterator[types.FeedChange]:
        """Yield the changes after a cursor, in their order, and end with the newest one.

        cursor: the result of cursor, the sequence of the last change that you have, or 0 for all that are kept.
        """
        while True:
            page = await self._client._get("/api/v1/changes", cursor=cursor, limit=1000)
            for change in page["data"]:
                yield change
            if not page["has_more"]:
                return
            cursor = page["next_cursor"]

    async def stream(self, cursor: str | int | None = None) -> AsyncIterator[types.FeedChange]:
        """Yield the changes after a cursor, by default from now on, and then further ones as they happen.

        The stream does not end: when the service ends a connection, as it does after an hour, or when it breaks, the
        client connects again and continues after the last change.
        """
        # Without a cursor to continue from, changes would be missed after a broken connection.
        after = await self.cursor() if cursor is None else str(cursor)
        headers = {"Accept": "text/event-stream"}
        failed = 0
        while True:
            reader = Reader()
            connection = Request("GET", "/api/v1/changes/stream", query={"cursor": after}, headers=headers)
            try:
                async with aclosing(self._client._lines(connection)) as lines:
                    async for line in lines:
                        failed = 0  # for comments, too: there may be no changes for hours
                        if (event := reader.line(line)) is None:
                            continue
                        kind, id, data = event
                        if kind == "error":
                            raise error_in_stream(json.loads(data))
                        if kind == "change":
                            after = id
                            yield cast(types.FeedChange, json.loads(data))
                raise ConnectionFailed("the stream ended")
            except MatchingError as failure:
                wait = wait_before(failed, connection, failure, self._client._longest_wait)
                if wait is None or failed >= max(1, PERSISTENCE * self._client._retries):
                    raise
            failed += 1
            await async_pause(wait)


class AsyncWebhooks:
    """Endpoints that receive messages about events. The key needs the permission webhooks:write.

    verify_webhook checks the messages that arrive.
    """

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def create(self, **request: Unpack[types.EndpointRequest]) -> types.WebhookWithSecret:
        """Create an endpoint. Keep its secret: no other response has it.

        Without a url, nothing is sent; deliveries yields the messages.
        """
        body = Request("POST", "/api/v1/webhooks", json=request, repeatable=False)
        return cast(types.WebhookWithSecret, (await self._client._send(body))["data"])

    async def list(self) -> Sequence[types.WebhookEndpoint]:
        """Return all endpoints of the account, the oldest first."""
        return cast(Sequence[types.WebhookEndpoint], (await self._client._get("/api/v1/webhooks"))["data"])

    async def get(self, id: str) -> types.WebhookEndpoint:
        """Return an endpoint."""
        return cast(types.WebhookEndpoint, (await self._client._get(self._path(id)))["data"])

    async def change(self, id: str, **request: Unpack[types.EndpointRequest]) -> types.WebhookEndpoint:
        """Change what request names. While enabled is False, events are not kept for the endpoint."""
        body = Request("PATCH", self._path(id), json=request)
        return cast(types.WebhookEndpoint, (await self._client._send(body))["data"])

    async def delete(self, id: str) -> None:
        """Delete an endpoint with its deliveries."""
        await self._client._send(Request("DELETE", self._path(id)))

    async def rotate(self, id: str) -> types.WebhookWithSecret:
        """Create a new secret. For 24 hours, messages are signed with the old one, too."""
        body = Request("POST", self._path(id) + "/rotate", repeatable=False)
        return cast(types.WebhookWithSecret, (await self._client._send(body))["data"])

    async def test(self, id: str, **request: Unpack[types.WebhookTestRequest]) -> types.QueuedDelivery:
        """Send a message with invented data. event is its type, by default the first one of the endpoint."""
        body = Request("POST", self._path(id) + "/test", json=request, repeatable=False)
        return cast(types.QueuedDelivery, (await self._client._send(body))["data"])

    async def deliveries(self, id: str, **query: Any) -> AsyncIterator[types.Delivery]:
        """Yield the messages of the last 14 days and what became of them, newest first. query has limit."""
        while True:
            page = await self._client._get(self._path(id) + "/deliveries", **query)
            for delivery in page["data"]:
                yield delivery
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    async def retry(self, id: str, delivery: str) -> types.QueuedDelivery:
        """Send a message again now, even if it was delivered or given up."""
        path = f"{self._path(id)}/deliveries/{segment(delivery)}/retry"
        body = Request("POST", path, repeatable=False)
        return cast(types.QueuedDelivery, (await self._client._send(body))["data"])

    @staticmethod
    def _path(id: str) -> str:
        return f"/api/v1/webhooks/{segment(id)}"


class AsyncBriefs:
    """Saved briefs of the account.

    The service keeps the list of the best freelancers for each, and tells webhook endpoints who is new on it.
    """

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def save(self, **request: Unpack[types.SavedBriefRequest]) -> types.SavedBrief:
        """Save a brief."""
        body = Request("POST", "/api/v1/briefs", json=request, repeatable=False)
        return cast(types.SavedBrief, (await self._client._send(body))["data"])

    async def all(self, **query: Any) -> AsyncIterator[types.SavedBrief]:
        """Yield the saved briefs in the order of their IDs. query has limit, the size of the pages."""
        while True:
            page = await self._client._get("/api/v1/briefs", **query)
            for brief in page["data"]:
                yield brief
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    async def get(self, id: str) -> types.SavedBrief:
        """Return a saved brief."""
        return cast(types.SavedBrief, (await self._client._get(self._path(id)))["data"])

    async def change(self, id: str, **request: Unpack[types.SavedBriefRequest]) -> types.SavedBrief:
        """Change what request names. If anything but name and notify changes, the list starts empty."""
        body = Request("PATCH", self._path(id), json=request)
        return cast(types.SavedBrief, (await self._client._send(body))["data"])

    async def delete(self, id: str) -> None:
        """Delete a saved brief with its list."""
        await self._client._send(Request("DELETE", self._path(id)))

    async def people(self, id: str) -> types.BriefPeople:
        """Return the list of the best freelancers for a saved brief."""
        return cast(types.BriefPeople, (await self._client._get(self._path(id) + "/people"))["data"])

    async def for_freelancer(self, id: str, **wishes: Unpack[types.PersonBriefsRequest]) -> types.PersonBriefs:
        """Rank the open saved briefs of the account for a freelancer."""
        body = Request("POST", f"/api/v1/freelancers/{segment(id)}/briefs", json=wishes)
        return cast(types.PersonBriefs, (await self._client._send(body))["data"])

    @staticmethod
    def _path(id: str) -> str:
        return f"/api/v1/briefs/{segment(id)}"
