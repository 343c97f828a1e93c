import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../src/index.js'

const skip = process.env.MATCHING_URL === undefined && 'needs a server: make sdks'

test('the server continues an interview for a client whose connections break', { skip }, async () => {
  const lastEvents: (string | null)[] = []
  const breaking: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || !String(input).endsWith('/interview/stream')) return response
    lastEvents.push(new Headers(init?.headers).get('Last-Event-ID'))

    // Each connection breaks in its second event. The last one has only one event.
    const [first, second] = (await response.text()).split('\n\n')
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`${first}\n\n${second?.slice(0, 9)}`)),
      pull: (controller) => (second ? controller.error(new TypeError('terminated')) : controller.close()),
    })
    return new Response(body, response)
  }

  const client = new Client({ fetch: breaking, pause: () => new Promise(setImmediate), maxWait: Infinity })
  const { matches } = await client.match({ required_skills: ['React'], limit: 1 })
  const request = { freelancer_id: matches[0]!.freelancer.id, job_title: 'React developer', num_questions: 2 }

  const types = []
  let session = ''
  for await (const event of client.interviews.stream(request)) {
    types.push(event.type)
    if (event.type === 'result') session = event.data.session_id
  }
  await client.interviews.delete(session)

  assert.deepEqual(types, ['session', 'question', 'question', 'result'])
  assert.equal(lastEvents.length, 4)
  assert.equal(new Set(lastEvents).size, 4)
})
