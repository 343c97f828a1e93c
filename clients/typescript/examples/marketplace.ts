// What a marketplace does with the service: it finds freelancers, keeps their records, reads résumés, and interviews.
// It changes and erases records, so run it on a server with generated freelancers. The key needs all permissions.
import assert from 'node:assert/strict'
import { openAsBlob } from 'node:fs'
import { type BulkChange, Client, ConflictError, NotFoundError, ValidationError } from '../src/index.js'

const client = new Client()
const resume = await openAsBlob(process.env.RESUME ?? 'resume.pdf')

async function findFreelancers() {
  assert.equal((await client.health()).status, 'healthy')
  assert.deepEqual((await client.me()).permissions, ['data:read', 'data:write', 'webhooks:write'])

  const brief = { required_skills: ['React', 'Node.js'], limit: 20 }
  const answer = await client.match({ ...brief, explain: true })
  const best = answer.matches[0]!.freelancer

  let count = 0
  for await (const match of client.matches(brief)) {
    assert.ok(match.score > 0)
    if (++count === 50) break
  }
  assert.equal(count, 50)

  assert.equal((await client.explain({ ...brief, freelancer_id: best.id })).rank, 1)
  assert.equal((await client.similar(best.id, { limit: 3 })).matches.length, 3)
  assert.equal((await client.verifySkill('k8s')).skill?.name, 'Kubernetes')
  const { token } = await client.createBrowserToken({ origins: ['https://shop.example'], hide: ['hourly_rate'] })
  assert.match(token, /^svc_web_/)

  // A brief that fails doesn't fail the others.
  const [found, failed] = await client.matchBatch([brief, { ...brief, profile: 'cheap' }])
  assert.ok(found?.status === 'success' && found.matches.length === 20)
  assert.ok(failed?.status === 'error' && failed.error.code === 'validation_failed')

  const document = new Blob(['We need a React developer with Node.js for an online shop.'])
  const inDocument = await client.matchDocument(document, { limit: 5, filters: { available: true } })
  assert.equal(inDocument.matches.length, 5)
  assert.match(inDocument.brief?.description ?? '', /React developer/)

  const event = { type: 'clicked' as const, request_id: answer.request_id, freelancer_id: best.id }
  assert.equal((await client.recordEvents([event])).recorded, 1)
  return best.id
}

async function keepRecords() {
  const id = 'typescript/1'
  const ada = { name: 'Ada Byron', job_title: 'Go developer', skills: ['Go'] }
  const created = await client.freelancers.put(id, ada, { readmit: true }) // an earlier run erased the record
  assert.equal(created.outcome, 'created')
  await client.freelancers.patch(id, { hourly_rate: 65, location: null }, { ifMatch: created.version ?? '*' })
  await assert.rejects(client.freelancers.patch(id, { hourly_rate: 70 }, { ifMatch: created.version! }), ConflictError)

  // Unknown values are null, and what was read can be written.
  const { freelancer } = await client.freelancers.get(id)
  assert.deepEqual([freelancer.hourly_rate, freelancer.rating], [65, null])
  assert.equal((await client.freelancers.put(id, freelancer)).outcome, 'unchanged')

  let listed = 0
  for await (const { freelancer } of client.freelancers.list({ must_have_skills: ['Go'], limit: 100 })) {
    if (freelancer.id === id) listed++
  }
  assert.equal(listed, 1)

  assert.equal((await client.freelancers.erase(id)).outcome, 'deleted')
  await assert.rejects(client.freelancers.get(id), NotFoundError)
  await assert.rejects(client.match({ limit: 0 }), (error) => {
    return error instanceof ValidationError && error.details.some((detail) => detail.field === 'limit')
  })
}

async function changeMany() {
  // Each result arrives before the next change is read, so the source could be a queue that never ends.
  let arrived = 0
  async function* changes(): AsyncGenerator<BulkChange> {
    for (let i = 1; i <= 5; i++) {
      assert.equal(arrived, i - 1)
      yield { id: `typescript-${i}`, name: 'Ada Byron', skills: ['Go'], rating: i === 5 ? 9 : 4 }
      await answered(i)
    }
  }

  let wake = () => {}
  async function answered(line: number) {
    while (arrived < line) await new Promise<void>((resolve) => (wake = resolve))
  }

  const outcomes = []
  for await (const result of client.freelancers.bulk(changes(), { readmit: true })) {
    outcomes.push(result.outcome)
    arrived++
    wake()
  }
  assert.deepEqual(outcomes, ['created', 'created', 'created', 'created', 'failed'])

  // With a mapping file on the server, records have the shape of your own data.
  const row = { person: { nr: 'typescript-5' }, 'full name': 'Ada Byron', skills: ['Go'], rate: 65 }
  for await (const result of client.freelancers.bulk([row], { mapping: 'shop', readmit: true })) {
    assert.deepEqual([result.id, result.outcome], ['typescript-5', 'created'])
  }

  const erasures = Array.from({ length: 1000 }, (_, i): BulkChange => ({ id: `typescript-${i + 1}`, deleted: true }))
  let deleted = 0
  for await (const result of client.freelancers.bulk(erasures)) if (result.outcome === 'deleted') deleted++
  assert.equal(deleted, 5)
}

async function readResumes() {
  assert.equal((await client.resumes.parse(resume)).name, 'Mira Talden')
  assert.equal((await client.resumes.parse(resume, { anonymize: true })).name, null)
  assert.equal((await client.resumes.parse(resume, { include: 'text' })).text?.[0]?.text, 'Mira Talden')
  assert.equal((await client.resumes.toJSONResume(resume)).basics.name, 'Mira Talden')
}

async function interview(freelancer: string) {
  const job = { job_title: 'React developer', required_skills: ['React'] }
  const request = { freelancer_id: freelancer, ...job, num_questions: 2 }
  const asked = await client.interviews.conduct(request)
  assert.equal(asked.interview_data.questions.length, 2)

  const evaluated = await client.interviews.conduct({
    freelancer_id: freelancer,
    mode: 'ai_full',
    session_id: asked.session_id,
    provided_answers: ['I keep state in hooks and lift it up to a common parent.', 'I profile renders, then memoize.'],
  })
  const judged = evaluated.evaluation!.details[0]!
  const mark = { question: judged.question, criterion: 'technical' as const, level: 4, reason: 'Names the cause.' }
  assert.equal((await client.interviews.review(asked.session_id, mark)).evaluation?.reviews?.length, 1)

  const types = []
  let session = ''
  for await (const event of client.interviews.stream(request)) {
    types.push(event.type)
    if (event.type === 'result') session = event.data.session_id
  }
  assert.deepEqual(types, ['session', 'question', 'question', 'result'])
  assert.match((await client.interviews.invite(session)).url, /^http/)

  for await (const { session_id } of client.interviews.list({ freelancer_id: freelancer, limit: 1 })) {
    assert.equal((await client.interviews.get(session_id)).freelancer.id, freelancer)
    await client.interviews.delete(session_id)
  }
  await assert.rejects(client.interviews.get(session), NotFoundError)
}

async function loadFile() {
  const [invented] = await client.generateTestData({ num_freelancers: 1, seed: 7 })
  const { details: _, ...record } = { ...invented, id: 'typescript-load' }
  const file = new Blob([JSON.stringify(record) + '\n']).stream()

  const { id } = await client.loads.create(file, { name: 'new.ndjson', mode: 'upsert' })
  const read = await client.loads.wait(id, { interval: 50 })
  assert.deepEqual([read.state, read.preview?.changes.new_ids], ['ready', ['typescript-load']])

  await client.loads.publish(id)
  assert.equal((await client.loads.wait(id, { interval: 50 })).state, 'live')
  assert.equal((await client.loads.rollBack(id)).state, 'rolled_back')
}

const best = await findFreelancers()
await keepRecords()
await changeMany()
await readResumes()
await interview(best)
await loadFile()
console.log('all passed')
