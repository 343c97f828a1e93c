// Sends the requests of a marketplace with the client that @hey-api/openapi-ts generates.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import * as api from './api/index.js'
import { client } from './api/client.gen.js'

const { URL: baseUrl, KEY, SMALL_KEY, RESUME } = process.env as Record<string, string>
client.setConfig({ baseUrl, headers: { 'X-API-Key': KEY } })

// ok returns the data of a response, which must not be an error.
function ok<T>(response: { data?: T; error?: unknown }): T {
  assert.ok(response.data, JSON.stringify(response.error))
  return response.data
}

assert.equal(ok(await api.getHealth()).components.database.status, 'connected')
assert.equal(ok(await api.getMe()).data.plan, 'enterprise')

const brief = { required_skills: ['React', 'Node.js'], limit: 2 }
const first = ok(await api.matchFreelancers({ query: { unknown: 'null' }, body: brief }))
assert.equal(first.matches.length, 2)
const best = first.matches[0].freelancer
const second = ok(await api.matchFreelancers({ body: { ...brief, offset: first.next_offset } }))
assert.notEqual(second.matches[0].freelancer.id, best.id)
const explained = ok(await api.explainMatch({ body: { ...brief, freelancer_id: best.id } }))
assert.equal(explained.data.rank, 1)
assert.equal(ok(await api.similarFreelancers({ path: { id: best.id } })).matches.length, 10)
assert.equal(ok(await api.verifySkill({ body: { keyword: 'k8s' } })).data.skill?.name, 'Kubernetes')
const clicked = { type: 'clicked' as const, request_id: first.request_id, freelancer_id: best.id }
assert.equal(ok(await api.recordEvents({ body: { events: [clicked] } })).data.recorded, 1)

const path = { id: 'hey-api' }
const record = { name: 'Ada Byron', job_title: 'Go developer', skills: ['Go'], hourly_rate: 60 }
assert.equal(ok(await api.putFreelancer({ path, body: record })).data.outcome, 'created')
ok(await api.patchFreelancer({ path, body: { hourly_rate: 65, location: null } }))
const stored = ok(await api.getFreelancer({ path })).data.freelancer
assert.equal(stored.hourly_rate, 65)
assert.equal(ok(await api.putFreelancer({ path, body: stored })).data.outcome, 'unchanged')

const lines = '{"id":"hey-api","deleted":true}\n{"id":"hey-api-2","rating":9}\n'
const bulk = ok(await api.changeFreelancers({ body: lines, bodySerializer: null, parseAs: 'text' }))
const results = bulk.trim().split('\n').map((line) => JSON.parse(line))
assert.deepEqual([results[0].outcome, results[1].outcome, results[2].failed], ['deleted', 'failed', 1])

const briefs = [{ required_skills: ['React'] }, { job_title: 'Translator', profile: 'cheap' }]
const batch = ok(await api.matchBatch({ body: { briefs } })).data.results
assert.ok(batch[0].status === 'success' && batch[0].matches.length === 10)
assert.ok(batch[1].status === 'error' && batch[1].error.code === 'validation_failed')

const file = new File([await readFile(RESUME)], 'resume.txt')
assert.equal(ok(await api.parseResume({ body: { file } })).data.name, 'Mira Talden')
assert.equal(ok(await api.parseToJsonResume({ body: { file } })).data.basics.name, 'Mira Talden')

const interview = { freelancer_id: best.id, job_title: 'React developer', required_skills: ['React'], num_questions: 2 }
const asked = ok(await api.conductInterview({ body: interview })).data
assert.equal(asked.interview_data.questions.length, 2)
const session_id = asked.session_id
const seen = ok(await api.conductInterview({
  body: { freelancer_id: best.id, session_id, mode: 'report', view: 'candidate' },
})).data
assert.equal(seen.interview_data.questions[0].points, undefined)
const events: string[] = []
const { stream } = await api.streamInterview({ body: interview, onSseEvent: (event) => events.push(event.event ?? '') })
for await (const _ of stream) {
  // The names of the events are in events.
}
assert.deepEqual([events[0], events.at(-1)], ['session', 'result'])
ok(await api.deleteInterviewById({ path: { id: session_id } }))

const denied = await api.getMe({ headers: { 'X-API-Key': 'svc_fr_wrong' } })
assert.deepEqual([denied.response?.status, denied.error?.error.code], [401, 'invalid_api_key'])
const missing = await api.getFreelancer({ path: { id: 'nobody' } })
assert.deepEqual([missing.response?.status, missing.error?.error.code], [404, 'freelancer_not_found'])
const invalid = await api.matchFreelancers({ body: { ...brief, limit: 0 } })
assert.deepEqual([invalid.response?.status, invalid.error?.error.details[0].field], [422, 'limit'])

// The plan of the second key shows 500 freelancers a day.
const headers = { 'X-API-Key': SMALL_KEY }
let cursor: string | undefined
for (let page = 0; page < 5; page++) {
  const list = ok(await api.listFreelancers({ headers, query: { limit: 100, cursor } }))
  assert.equal(list.data.length, 100)
  cursor = list.next_cursor ?? undefined
}
const refused = await api.listFreelancers({ headers, query: { limit: 100, cursor } })
// 431 is sent before the API sees the request, and has no typed body.
const limit = refused.error as api.Failure | undefined
assert.deepEqual([refused.response?.status, limit?.error.code], [429, 'freelancer_limit_exceeded'])
assert.ok(refused.response?.headers.get('Retry-After'))
console.log('all passed')
