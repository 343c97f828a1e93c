"""What a marketplace does, on a running server. MATCHING_URL and MATCHING_API_KEY name it; the key changes data."""

import asyncio
import http.server
import os
import queue
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import freelancer_matching as fm

pytestmark = pytest.mark.skipif("MATCHING_URL" not in os.environ, reason="set MATCHING_URL and MATCHING_API_KEY")

RESUME = "Mira Talden\nReact developer\nmira.talden@example.com\n\nSkills\nReact, Node.js, TypeScript\n"
README = Path(__file__).parents[1] / "README.md"


@pytest.fixture
def client():
    with fm.Client(timeout=300) as client:
        yield client


def test_marketplace(client):
    assert client.health()["components"]["database"]["status"] == "connected"
    assert client.me()["plan"]

    page = client.match(required_skills=["React", "Node.js"], limit=2)
    ids = [match["freelancer"]["id"] for match in page["matches"]]
    assert len(ids) == 2

    ten = []
    for match in client.matches(required_skills=["React", "Node.js"], limit=4):
        ten.append(match["freelancer"]["id"])
        if len(ten) == 10:
            break
    assert ten[:2] == ids
    assert len(set(ten)) == 10

    assert client.explain(freelancer_id=ids[0], required_skills=["React", "Node.js"])["rank"] == 1
    assert client.similar(ids[0], limit=3)["matches"]
    assert client.verify_skill("k8s")["skill"]["name"] == "Kubernetes"
    token = client.create_browser_token(origins=["https://shop.example"], hide=["hourly_rate"])
    assert token["token"].startswith("svc_web_")
    event = {"type": "clicked", "request_id": page["request_id"], "freelancer_id": ids[0]}
    assert client.record_events([event])["recorded"] == 1
    assert len(client.generate_test_data(num_freelancers=3, seed=1)) == 3

    matched, refused = client.match_batch([{"required_skills": ["React"]}, {"job_title": "Translator", "profile": "x"}])
    assert matched["matches"]
    assert refused["status"] == "error"
    assert refused["error"]["code"] == "validation_failed"

    advert = b"We need a React developer with Node.js for six weeks."
    assert client.match_document(advert, name="advert.txt", limit=1)["matches"]


def test_records(client):
    freelancers = client.freelancers
    record = {"name": "Ada Byron", "skills": ["Go"], "hourly_rate": 60}
    assert freelancers.put("python/1", record, readmit=True)["outcome"]
    stored = freelancers.get("python/1")
    assert stored["freelancer"]["rating"] is None

    changed = freelancers.patch("python/1", {"hourly_rate": 65}, if_match=stored["version"])
    assert changed["outcome"] == "patched"
    with pytest.raises(fm.Conflict):
        freelancers.patch("python/1", {"hourly_rate": 70}, if_match=stored["version"])

    changes = [{"id": f"python-{n}", "name": f"Person {n}", "skills": ["Go"]} for n in range(700)]
    changes.append({"id": "python-0", "rating": 9})
    results = list(freelancers.bulk(changes, readmit=True))
    assert [result["line"] for result in results] == list(range(1, 702))
    assert results[0]["outcome"] in ("created", "replaced", "unchanged")
    assert results[-1]["error"]["code"] == "validation_failed"

    ids = {each["freelancer"]["id"] for each in freelancers.list(limit=100)}
    assert {"python/1", "python-699"} <= ids

    assert all(result["outcome"] == "deleted" for result in freelancers.bulk(
        {"id": id, "deleted": True} for id in ("python/1", *(change["id"] for change in changes[:700]))
    ))  # fmt: skip
    with pytest.raises(fm.NotFound) as raised:
        freelancers.get("python/1")
    assert raised.value.code == "freelancer_not_found"


def test_resumes(client, tmp_path):
    path = tmp_path / "resume.txt"
    path.write_text(RESUME)
    assert client.resumes.parse(path)["name"] == "Mira Talden"
    assert client.resumes.parse(path, anonymize=True)["name"] is None
    with path.open("rb") as file:
        assert client.resumes.to_json_resume(file)["basics"]["name"] == "Mira Talden"


def test_interviews(client):
    (best,) = client.match(required_skills=["React"], limit=1)["matches"]
    request = {"freelancer_id": best["freelancer"]["id"], "job_title": "React developer", "num_questions": 2}
    asked = client.interviews.conduct(**request)
    assert len(asked["interview_data"]["questions"]) == 2

    session = asked["session_id"]
    assert session in [each["session_id"] for each in client.interviews.list(limit=1)]
    assert client.interviews.get(session)["session_id"] == session
    assert client.interviews.conduct(**request, idempotency_key="python")["session_id"]

    events = list(client.interviews.stream(**request))
    assert [event.type for event in events if event.type != "question"] == ["session", "result"]

    client.interviews.delete(session)
    with pytest.raises(fm.NotFound):
        client.interviews.get(session)


def test_loads(client):
    load = client.loads.create(b"id,name,skills\np1,Ada Byron,Go\np2,Lin Moreau,SQL\n", name="two.csv", mode="upsert")
    ready = client.loads.wait(load["id"], every=0.05)
    assert ready["state"] == "ready", ready
    client.loads.cancel(load["id"])


def test_changes(client):
    cursor = client.changes.cursor()
    client.freelancers.put("python/feed", {"name": "Ada Byron", "skills": ["Go"]}, readmit=True)
    client.freelancers.erase("python/feed")

    kinds = []
    for change in client.changes.stream(cursor):
        if change["id"] == "python/feed":
            kinds.append(change["kind"])
            if len(kinds) == 2:
                break
    assert kinds == ["stored", "erased"]

    listed = [change for change in client.changes.list(cursor) if change["id"] == "python/feed"]
    assert [change["kind"] for change in listed] == kinds
    assert list(client.changes.list(listed[-1]["sequence"])) == []
    with pytest.raises(fm.InvalidRequest):
        list(client.changes.list("nothing"))


class Receiver(http.server.BaseHTTPRequestHandler):
    """An endpoint that keeps what it receives."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.put((self.headers, body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format, *args):
        pass


@pytest.fixture
def receiver():
    """Return a server for messages, with the queue `received`."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        server.received = queue.Queue()
        threading.Thread(target=server.serve_forever).start()
        yield server
        server.shutdown()


def test_webhooks(client, receiver):
    webhooks = client.webhooks
    created = webhooks.create(url=f"http://127.0.0.1:{receiver.server_port}/hook", events=["freelancer.changed"])
    try:
        assert created["id"] in [each["id"] for each in webhooks.list()]
        assert webhooks.change(created["id"], name="Python")["name"] == "Python"
        assert webhooks.get(created["id"])["enabled"]

        rotated = webhooks.rotate(created["id"])
        assert rotated["previous_secret_until"]
        sent = webhooks.test(created["id"], event="load.live")

        headers, body = receiver.received.get(timeout=120)
        for secret in (created["secret"], rotated["secret"]):
            message = fm.verify_webhook(headers, body, secret)
            assert (message["id"], message["type"], message["test"]) == (sent["id"], "load.live", True)
        with pytest.raises(fm.InvalidWebhook):
            fm.verify_webhook(headers, body, "whsec_" + "A" * 32)
        with pytest.raises(fm.InvalidWebhook):
            fm.verify_webhook(headers, body + b" ", created["secret"])

        delivered = False
        while not delivered:  # the outcome is stored after the response
            (delivery,) = webhooks.deliveries(created["id"], limit=1)
            assert delivery["body"]["type"] == "load.live"
            delivered = delivery["state"] == "delivered"
        assert webhooks.retry(created["id"], sent["id"]) == {"id": sent["id"]}
        headers, _ = receiver.received.get(timeout=120)
        assert headers["webhook-id"] == sent["id"]
    finally:
        webhooks.delete(created["id"])
    with pytest.raises(fm.NotFound) as raised:
        webhooks.get(created["id"])
    assert raised.value.code == "webhook_not_found"


def test_errors(client):
    with pytest.raises(fm.InvalidRequest) as raised:
        client.match(required_skills=["React"], limit=0)
    assert raised.value.details[0]["field"] == "limit"

    with fm.Client("svc_fr_wrong") as stranger, pytest.raises(fm.AuthenticationFailed):
        stranger.me()


def test_many_at_a_time():
    async def run():
        async with fm.AsyncClient(timeout=300) as client:
            answers = await asyncio.gather(*(client.match(required_skills=[s]) for s in ("React", "Go", "SQL")))
            async for match in client.matches(required_skills=["React"], limit=5):
                assert match["score"] > 0
                break
            return answers

    assert all(answer["matches"] for answer in asyncio.run(run()))


def test_readme():
    examples = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    programs = [example for example in examples if "def receive" not in example]
    assert len(programs) == len(examples) - 1 == 3
    for program in programs:
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout
