"""Sends the requests of a marketplace with the client that openapi-python-client generates."""

import json
import os

from api import AuthenticatedClient, types
from api.api.data import parse_resume, parse_to_json_resume
from api.api.freelancers import (
    change_freelancers,
    get_freelancer,
    list_freelancers,
    patch_freelancer,
    put_freelancer,
    similar_freelancers,
)
from api.api.matching import (
    conduct_interview,
    delete_interview_by_id,
    explain_match,
    match_batch,
    match_freelancers,
    record_events,
    stream_interview,
    verify_skill,
)
from api.api.operation import get_health, get_me
from api.models import (
    Event,
    EventsRequest,
    EventType,
    ExplainRequest,
    Failure,
    FreelancerRecord,
    InterviewRequest,
    MatchAnswer,
    MatchBatchRequest,
    MatchFreelancersUnknown,
    MatchRequest,
    ParseResumeBody,
    ParseToJsonResumeBody,
    VerifySkillRequest,
)


def connect(key):
    return AuthenticatedClient(os.environ["URL"], token=key, timeout=300)


def same(got, want):
    assert got == want, f"{got!r}, want {want!r}"


api = connect(os.environ["KEY"])

same(get_health.sync(client=api).components.database.status, "connected")
same(get_me.sync(client=api).data.plan, "enterprise")

brief = MatchRequest(required_skills=["React", "Node.js"], limit=2)
first = match_freelancers.sync(client=api, body=brief, unknown=MatchFreelancersUnknown.NULL)
same(len(first.matches), 2)
best = first.matches[0].freelancer
second = match_freelancers.sync(
    client=api, body=MatchRequest(required_skills=["React", "Node.js"], limit=2, offset=first.next_offset)
)
assert second.matches[0].freelancer.id != best.id
explained = explain_match.sync(
    client=api, body=ExplainRequest(freelancer_id=best.id, required_skills=["React", "Node.js"])
)
same(explained.data.rank, 1)
same(len(similar_freelancers.sync(best.id, client=api).matches), 10)
same(verify_skill.sync(client=api, body=VerifySkillRequest("k8s")).data.skill.name, "Kubernetes")
clicked = Event(type_=EventType.CLICKED, request_id=first.request_id, freelancer_id=best.id)
same(record_events.sync(client=api, body=EventsRequest([clicked])).data.recorded, 1)

name = "openapi-python-client"
record = FreelancerRecord(name="Ada Byron", job_title="Go developer", skills=["Go"], hourly_rate=60)
same(put_freelancer.sync(name, client=api, body=record).data.outcome, "created")
patch = FreelancerRecord(hourly_rate=65, location=None)
same(patch_freelancer.sync(name, client=api, body=patch).data.outcome, "patched")
stored = get_freelancer.sync(name, client=api).data.freelancer
same(stored.hourly_rate, 65)
same(put_freelancer.sync(name, client=api, body=stored).data.outcome, "unchanged")

# The generator takes lines for bytes, whatever their type.
lines = '{"id":"openapi-python-client","deleted":true}\n{"id":"openapi-python-client-2","rating":9}\n'
bulk = change_freelancers.sync_detailed(client=api, body=types.File(payload=lines.encode()))
results = [json.loads(line) for line in bulk.content.splitlines()]
same([results[0]["outcome"], results[1]["outcome"], results[2]["failed"]], ["deleted", "failed", 1])

briefs = [MatchRequest(required_skills=["React"]), MatchRequest(job_title="Translator", profile="cheap")]
batch = match_batch.sync(client=api, body=MatchBatchRequest(briefs)).data.results
assert isinstance(batch[0], MatchAnswer) and len(batch[0].matches) == 10, batch[0]
assert isinstance(batch[1], Failure) and batch[1].error.code == "validation_failed", batch[1]


def resume():
    return types.File(payload=open(os.environ["RESUME"], "rb"), file_name="resume.txt")


same(parse_resume.sync(client=api, body=ParseResumeBody(resume())).data.name, "Mira Talden")
converted = parse_to_json_resume.sync(client=api, body=ParseToJsonResumeBody(resume()))
same(converted.data.basics.name, "Mira Talden")

interview = InterviewRequest(
    freelancer_id=best.id, job_title="React developer", required_skills=["React"], num_questions=2
)
asked = conduct_interview.sync(client=api, body=interview).data
same(len(asked.interview_data.questions), 2)
view = InterviewRequest(freelancer_id=best.id, session_id=asked.session_id, mode="report", view="candidate")
seen = conduct_interview.sync(client=api, body=view).data
assert not seen.interview_data.questions[0].points, seen
events = stream_interview.sync_detailed(client=api, body=interview)
assert b"event: result" in events.content, events.content
same(delete_interview_by_id.sync(asked.session_id, client=api).data.session_id, asked.session_id)

denied = get_me.sync_detailed(client=connect("svc_fr_wrong"))
same((denied.status_code, denied.parsed.error.code), (401, "invalid_api_key"))
missing = get_freelancer.sync_detailed("nobody", client=api)
same((missing.status_code, missing.parsed.error.code), (404, "freelancer_not_found"))
invalid = match_freelancers.sync_detailed(client=api, body=MatchRequest(required_skills=["React"], limit=0))
same((invalid.status_code, invalid.parsed.error.details[0].field), (422, "limit"))

# The plan of the second key shows 500 freelancers a day.
small = connect(os.environ["SMALL_KEY"])
cursor = types.UNSET
for _ in range(5):
    page = list_freelancers.sync(client=small, limit=100, cursor=cursor)
    same(len(page.data), 100)
    cursor = page.next_cursor
refused = list_freelancers.sync_detailed(client=small, limit=100, cursor=cursor)
same((refused.status_code, refused.parsed.error.code), (429, "freelancer_limit_exceeded"))
assert refused.headers["Retry-After"]
print("all passed")
