// Sends the requests of a marketplace with openapi-fetch and the types of openapi-typescript.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'

const { URL: baseUrl, KEY, SMALL_KEY, RESUME } = process.env as Record<string, string>
const connect = (key: string) => createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } })
const api = connect(KEY)

// ok returns the data of a response, which must not be an error.
function ok<T>(response: { data?: T; error?: unknown }): T {
  assert.ok(response.data, JSON.stringify(response.error))
  return response.data
}

const health = ok(await api.GET('/api/v1/health'))
assert.equal(health.components.database.status, 'connected')
assert.equal(ok(await api.GET('/api/v1/me')).data.plan, 'enterprise')

const brief = { required_skills: ['React', 'Node.js'], limit: 2 }
const first = ok(await api.POST('/api/v1/match', { params: { query: { unknown: 'null' } }, body: brief }))
assert.equal(first.matches.length, 2)
const best = first.matches[0].freelancer
const second = ok(await api.POST('/api/v1/match', { body: { ...brief, offset: first.next_offset } }))
assert.notEqual(second.matches[0].freelancer.id, best.id)
const explained = ok(await api.POST('/api/v1/match/explain', { body: { ...brief, freelancer_id: best.id } }))
assert.equal(explained.data.rank, 1)
const similar = ok(await api.GET('/api/v1/freelancers/{id}/similar', { params: { path: { id: best.id } } }))
assert.equal(similar.matches.length, 10)
assert.equal(ok(await api.POST('/api/v1/verify-skill', { body: { keyword: 'k8s' } })).data.skill?.name, 'Kubernetes')
const clicked = { type: 'clicked' as const, request_id: first.request_id, freelancer_id: best.id }
assert.equal(ok(await api.POST('/api/v1/events', { body: { events: [clicked] } })).data.recorded, 1)

const path = { id: 'openapi-fetch' }
const record = { name: 'Ada Byron', job_title: 'Go developer', skills: ['Go'], hourly_rate: 60 }
const put = ok(await api.PUT('/api/v1/freelancers/{id}', { params: { path }, body: record }))
assert.equal(put.data.outcome, 'created')
ok(await api.PATCH('/api/v1/freelancers/{id}', { params: { path }, body: { hourly_rate: 65, location: null } }))
const stored = ok(await api.GET('/api/v1/freelancers/{id}', { params: { path } })).data.freelancer
assert.equal(stored.hourly_rate, 65)
const again = ok(await api.PUT('/api/v1/freelancers/{id}', { params: { path }, body: stored }))
assert.equal(again.data.outcome, 'unchanged')

const lines = '{"id":"openapi-fetch","deleted":true}\n{"id":"openapi-fetch-2","rating":9}\n'
const bulk = ok(await api.POST('/api/v1/freelancers/bulk', {
  body: lines,
  bodySerializer: (body) => body,
  headers: { 'Content-Type': 'application/x-ndjson' },
  parseAs: 'text',
}))
const results = bulk.trim().split('\n').map((line) => JSON.parse(line))
assert.deepEqual([results[0].outcome, results[1].outcome, results[2].failed], ['deleted', 'failed', 1])

const briefs = [{ required_skills: ['React'] }, { job_title: 'Translator', profile: 'cheap' }]
const batch = ok(await api.POST('/api/v1/match/batch', { body: { briefs } })).data.results
assert.ok(batch[0].status === 'success' && batch[0].matches.length === 10)
assert.ok(batch[1].status === 'error' && batch[1].error.code === 'validation_failed')

const form = new FormData()
form.append('file', new Blob([await readFile(RESUME)]), 'resume.txt')
const file = { body: { file: '' }, bodySerializer: () => form }
assert.equal(ok(await api.POST('/api/v1/parse', file)).data.name, 'Mira Talden')
assert.equal(ok(await api.POST('/api/v1/parse/json-resume', file)).data.basics.name, 'Mira Talden')

const interview = { freelancer_id: best.id, job_title: 'React developer', required_skills: ['React'], num_questions: 2 }
const asked = ok(await api.POST('/api/v1/interview', { body: interview })).data
assert.equal(asked.interview_data.questions.length, 2)
const session_id = asked.session_id
const seen = ok(await api.POST('/api/v1/interview', {
  body: { freelancer_id: best.id, session_id, mode: 'report', view: 'candidate' },
})).data
assert.equal(seen.interview_data.questions[0].points, undefined)
const events = ok(await api.POST('/api/v1/interview/stream', { body: interview, parseAs: 'text' }))
assert.match(events, /event: result/)
ok(await api.DELETE('/api/v1/interviews/{id}', { params: { path: { id: session_id } } }))

const denied = await connect('svc_fr_wrong').GET('/api/v1/me')
assert.deepEqual([denied.response.status, denied.error?.error.code], [401, 'invalid_api_key'])
const missing = await api.GET('/api/v1/freelancers/{id}', { params: { path: { id: 'nobody' } } })
assert.deepEqual([missing.response.status, missing.error?.error.code], [404, 'freelancer_not_found'])
const invalid = await api.POST('/api/v1/match', { body: { ...brief, limit: 0 } })
assert.deepEqual([invalid.response.status, invalid.error?.error.details[0].field], [422, 'limit'])

// The plan of the second key shows 500 freelancers a day.
const small = connect(SMALL_KEY)
let cursor: string | undefined
for (let page = 0; page < 5; page++) {
  const list = ok(await small.GET('/api/v1/freelancers', { params: { query: { limit: 100, cursor } } }))
  assert.equal(list.data.length, 100)
  cursor = list.next_cursor ?? undefined
}
const refused = await small.GET('/api/v1/freelancers', { params: { query: { limit: 100, cursor } } })
assert.deepEqual([refused.response.status, refused.error?.error.code], [429, 'freelancer_limit_exceeded'])
assert.ok(refused.response.headers.get('Retry-After'))
console.log('all passed')
