// Sends the requests of a marketplace with the TypeScript client that OpenAPI Generator generates.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import * as api from './api/index.js'

const { URL: basePath, KEY, SMALL_KEY, RESUME } = process.env as Record<string, string>

function connect(apiKey: string) {
  const configuration = new api.Configuration({ basePath, apiKey })
  return {
    operation: new api.OperationApi(configuration),
    matching: new api.MatchingApi(configuration),
    freelancers: new api.FreelancersApi(configuration),
    data: new api.DataApi(configuration),
  }
}

const { operation, matching, freelancers, data } = connect(KEY)
assert.equal((await operation.getHealth()).components.database.status, 'connected')
assert.equal((await operation.getMe()).data.plan, 'enterprise')

const brief = { requiredSkills: ['React', 'Node.js'], limit: 2 }
const first = await matching.matchFreelancers({ matchRequest: brief, unknown: 'null' })
assert.equal(first.matches.length, 2)
const best = first.matches[0].freelancer
const second = await matching.matchFreelancers({ matchRequest: { ...brief, offset: first.nextOffset } })
assert.notEqual(second.matches[0].freelancer.id, best.id)
const explained = await matching.explainMatch({ explainRequest: { ...brief, freelancerId: best.id } })
assert.equal(explained.data.rank, 1)
assert.equal((await freelancers.similarFreelancers({ id: best.id })).matches.length, 10)
const skill = await matching.verifySkill({ verifySkillRequest: { keyword: 'k8s' } })
assert.equal(skill.data.skill?.name, 'Kubernetes')
const clicked = { type: 'clicked' as const, requestId: first.requestId, freelancerId: best.id }
assert.equal((await matching.recordEvents({ eventsRequest: { events: [clicked] } })).data.recorded, 1)

const id = 'openapi-generator-typescript'
const record = { name: 'Ada Byron', jobTitle: 'Go developer', skills: ['Go'], hourlyRate: 60 }
assert.equal((await freelancers.putFreelancer({ id, freelancerRecord: record })).data.outcome, 'created')
await freelancers.patchFreelancer({ id, freelancerRecord: { hourlyRate: 65, location: null } })
const stored = (await freelancers.getFreelancer({ id })).data.freelancer
assert.equal(stored.hourlyRate, 65)
assert.equal((await freelancers.putFreelancer({ id, freelancerRecord: stored })).data.outcome, 'unchanged')

const lines = `{"id":"${id}","deleted":true}\n{"id":"${id}-2","rating":9}\n`
const bulk = await freelancers.changeFreelancersRaw({ body: lines })
const results = (await bulk.raw.text()).trim().split('\n').map((line) => JSON.parse(line))
assert.deepEqual([results[0].outcome, results[1].outcome, results[2].failed], ['deleted', 'failed', 1])

const briefs = [{ requiredSkills: ['React'] }, { jobTitle: 'Translator', profile: 'cheap' }]
const batch = (await matching.matchBatch({ matchBatchRequest: { briefs } })).data.results
assert.ok(batch[0].status === 'success' && batch[0].matches.length === 10)
assert.ok(batch[1].status === 'error' && batch[1].error.code === 'validation_failed')

const file = new File([await readFile(RESUME)], 'resume.txt')
assert.equal((await data.parseResume({ file })).data.name, 'Mira Talden')
assert.equal((await data.parseToJSONResume({ file })).data.basics.name, 'Mira Talden')

const interview = { freelancerId: best.id, jobTitle: 'React developer', requiredSkills: ['React'], numQuestions: 2 }
const asked = (await matching.conductInterview({ interviewRequest: interview })).data
assert.equal(asked.interviewData.questions.length, 2)
const sessionId = asked.sessionId
const seen = await matching.conductInterview({
  interviewRequest: { freelancerId: best.id, sessionId, mode: 'report', view: 'candidate' },
})
assert.equal(seen.data.interviewData.questions[0].points, undefined)
const events = await (await matching.streamInterviewRaw({ interviewRequest: interview })).raw.text()
assert.match(events, /event: result/)
await matching.deleteInterviewByID({ id: sessionId })

// refused returns the status and the body of a request that must be refused.
async function refused(request: Promise<unknown>) {
  const error = await request.then(() => assert.fail('no error'), (reason) => reason)
  assert.ok(error instanceof api.ResponseError, String(error))
  const failure = api.FailureFromJSON(await error.response.json())
  return { status: error.response.status, headers: error.response.headers, error: failure.error }
}

const denied = await refused(connect('svc_fr_wrong').operation.getMe())
assert.deepEqual([denied.status, denied.error.code], [401, 'invalid_api_key'])
const missing = await refused(freelancers.getFreelancer({ id: 'nobody' }))
assert.deepEqual([missing.status, missing.error.code], [404, 'freelancer_not_found'])
const invalid = await refused(matching.matchFreelancers({ matchRequest: { ...brief, limit: 0 } }))
assert.deepEqual([invalid.status, invalid.error.details[0].field], [422, 'limit'])

// The plan of the second key shows 500 freelancers a day.
const small = connect(SMALL_KEY).freelancers
let cursor: string | undefined
for (let page = 0; page < 5; page++) {
  const list = await small.listFreelancers({ limit: 100, cursor })
  assert.equal(list.data.length, 100)
  cursor = list.nextCursor ?? undefined
}
const limit = await refused(small.listFreelancers({ limit: 100, cursor }))
assert.deepEqual([limit.status, limit.error.code], [429, 'freelancer_limit_exceeded'])
assert.ok(limit.headers.get('Retry-After'))
console.log('all passed')
