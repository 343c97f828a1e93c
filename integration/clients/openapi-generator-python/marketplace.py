"""Sends the requests of a marketplace with the Python client that OpenAPI Generator generates."""

import json
import os

import openapi_client as api


def connect(key):
    # By default, the client would wait for the next day when the limit of a day is reached.
    configuration = api.Configuration(host=os.environ["URL"], api_key={"key": key}, retries=False)
    return api.ApiClient(configuration)


def same(got, want):
    assert got == want, f"{got!r}, want {want!r}"


client = connect(os.environ["KEY"])
operation, matching = api.OperationApi(client), api.MatchingApi(client)
freelancers, data = api.FreelancersApi(client), api.DataApi(client)

same(operation.get_health().components.database.status, "connected")
same(operation.get_me().data.plan, "enterprise")

brief = api.MatchRequest(required_skills=["React", "Node.js"], limit=2)
first = matching.match_freelancers(brief, unknown="null")
same(len(first.matches), 2)
best = first.matches[0].freelancer
second = matching.match_freelancers(brief.model_copy(update={"offset": first.next_offset}))
assert second.matches[0].freelancer.id != best.id
explained = matching.explain_match(
    api.ExplainRequest(freelancer_id=best.id, required_skills=["React", "Node.js"])
)
same(explained.data.rank, 1)
same(len(freelancers.similar_freelancers(best.id).matches), 10)
same(matching.verify_skill(api.VerifySkillRequest(keyword="k8s")).data.skill.name, "Kubernetes")
clicked = api.Event(type="clicked", request_id=first.request_id, freelancer_id=best.id)
same(matching.record_events(api.EventsRequest(events=[clicked])).data.recorded, 1)

name = "openapi-generator-python"
record = api.FreelancerRecord(name="Ada Byron", job_title="Go developer", skills=["Go"], hourly_rate=60)
same(freelancers.put_freelancer(name, record).data.outcome, "created")
patch = api.FreelancerRecord(hourly_rate=65, location=None)
same(freelancers.patch_freelancer(name, patch).data.outcome, "patched")
stored = freelancers.get_freelancer(name).data.freelancer
same(stored.hourly_rate, 65)
same(freelancers.put_freelancer(name, stored).data.outcome, "unchanged")

lines = '{"id":"openapi-generator-python","deleted":true}\n{"id":"openapi-generator-python-2","rating":9}\n'
# The client would encode the lines as one JSON string, and decodes responses of other types only.
bulk = freelancers.change_freelancers_without_preload_content(lines, _content_type="application/octet-stream")
results = [json.loads(line) for line in bulk.data.splitlines()]
same([results[0]["outcome"], results[1]["outcome"], results[2]["failed"]], ["deleted", "failed", 1])

briefs = [api.MatchRequest(required_skills=["React"]), api.MatchRequest(job_title="Translator", profile="cheap")]
batch = matching.match_batch(api.MatchBatchRequest(briefs=briefs)).data.results
found, failed = batch[0].actual_instance, batch[1].actual_instance
assert isinstance(found, api.MatchAnswer) and len(found.matches) == 10, found
assert isinstance(failed, api.Failure) and failed.error.code == "validation_failed", failed

with open(os.environ["RESUME"], "rb") as file:
    resume = ("resume.txt", file.read())
same(data.parse_resume(resume).data.name, "Mira Talden")
same(data.parse_to_json_resume(resume).data.basics.name, "Mira Talden")

interview = api.InterviewRequest(
    freelancer_id=best.id, job_title="React developer", required_skills=["React"], num_questions=2
)
asked = matching.conduct_interview(interview).data
same(len(asked.interview_data.questions), 2)
view = api.InterviewRequest(freelancer_id=best.id, session_id=asked.session_id, mode="report", view="candidate")
assert not matching.conduct_interview(view).data.interview_data.questions[0].points
assert "event: result" in matching.stream_interview(interview)
same(matching.delete_interview_by_id(asked.session_id).data.session_id, asked.session_id)


def refused(call, *args, **named):
    """Returns the error of a request that must be refused."""
    try:
        call(*args, **named)
    except api.ApiException as error:
        return error
    raise AssertionError("no error")


denied = refused(api.OperationApi(connect("svc_fr_wrong")).get_me)
same((denied.status, denied.data.error.code), (401, "invalid_api_key"))
missing = refused(freelancers.get_freelancer, "nobody")
same((missing.status, missing.data.error.code), (404, "freelancer_not_found"))
# The model checks the limits of numbers itself.
invalid = refused(matching.match_freelancers, api.MatchRequest(required_skills=["React"], profile="cheap"))
same((invalid.status, invalid.data.error.details[0].var_field), (422, "profile"))

# The plan of the second key shows 500 freelancers a day.
small = api.FreelancersApi(connect(os.environ["SMALL_KEY"]))
cursor = None
for _ in range(5):
    page = small.list_freelancers(limit=100, cursor=cursor)
    same(len(page.data), 100)
    cursor = page.next_cursor
limit = refused(small.list_freelancers, limit=100, cursor=cursor)
same((limit.status, limit.data.error.code), (429, "freelancer_limit_exceeded"))
assert limit.headers["Retry-After"]
print("all passed")
