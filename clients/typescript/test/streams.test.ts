import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '../src/index.js'
import { broken, connect, failure, FakeServer, json } from './fake.js'

const events = 'text/event-stream'
const begun = 'id: 1\nevent: session\ndata: {"session_id":"s1","mode":"ai_full"}\n\n'
const question = ': still here\r\n\r\nid: 2\r\nevent: question\r\ndata: {"id":"q1"}\r\n\r\n'
const result = 'id: 3\nevent: result\ndata: {"status":"success","data":{"session_id":"s1"}}\n\n'

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const value of values) list.push(value)
  return list
}

test('a broken stream of events continues after the last event', async (t) => {
  const server = await FakeServer.start(
    t,
    broken(events, begun + question + 'id: 9\nevent: question\ndata: {"id":'), // the last event is cut off
    failure(409, 'idempotency_conflict', { 'Retry-After': '5' }),
    broken(events, ''),
    (response) => response.writeHead(200, { 'Content-Type': events }).end(result),
  )
  const seen = await all(connect(server.url).client.interviews.stream({ freelancer_id: 'f1' }))

  assert.deepEqual(seen.map((event) => event.type), ['session', 'question', 'result'])
  assert.deepEqual(seen.at(-1)?.data, { session_id: 's1' })
  assert.deepEqual(server.received.map((r) => r.headers['last-event-id']), [undefined, '2', '2', '2'])
  assert.equal(new Set(server.received.map((r) => r.headers['idempotency-key'])).size, 1)
  assert.equal(new Set(server.received.map((r) => r.body)).size, 1)
})

test('a stream that never gets further is given up', async (t) => {
  const server = await FakeServer.start(t, broken(events, begun), broken(events, ''))
  const stream = connect(server.url).client.interviews.stream({ freelancer_id: 'f1' })
  await assert.rejects(all(stream), api.ConnectionError)
  assert.equal(server.received.length, 3) // the first attempt got an event, and the two retries none
})

test('an error in a stream rejects', async (t) => {
  const body = JSON.stringify({ status: 'error', error: { code: 'internal', message: 'No.' }, request_id: 'r2' })
  const server = await FakeServer.start(t, (response) => response.end(begun + `id: 1\nevent: error\ndata: ${body}\n\n`))
  const stream = connect(server.url).client.interviews.stream({ freelancer_id: 'f1' })
  await assert.rejects(all(stream), { code: 'internal', status: 500, requestId: 'r2' })
  assert.equal(server.received.length, 1)
})

test('a silent stream is resumed', async (t) => {
  const server = await FakeServer.start(t, (response, request) => {
    response.writeHead(200, { 'Content-Type': events })
    if (request.headers['last-event-id'] === '1') response.end(question + result)
    else response.write(begun)
  })
  // On a slow machine, attempts may also end before their first event.
  const { client } = connect(server.url, { timeout: 100, retries: 1000 })
  const seen = await all(client.interviews.stream({ freelancer_id: 'f1' }))
  assert.deepEqual(seen.map((event) => event.type), ['session', 'question', 'result'])
})

test('leaving a stream closes its connection', async (t) => {
  let close = () => {}
  const closed = new Promise<void>((resolve) => (close = resolve))
  const server = await FakeServer.start(t, (response) => {
    response.on('close', close)
    response.writeHead(200, { 'Content-Type': events }).write(begun)
  })
  for await (const event of connect(server.url).client.interviews.stream({ freelancer_id: 'f1' })) {
    assert.equal(event.type, 'session')
    break
  }
  await closed
})

const summary = '{"status":"success","lines":2}\n'

test('bulk yields a result for each line and rejects if the stream fails or ends early', async (t) => {
  const line = (n: number) => `{"line":${n},"id":"f${n}","outcome":"created","version":"v"}\n`
  const changes: api.BulkChange[] = [{ id: 'f1', name: 'Ada' }, { id: 'f2', deleted: true }]
  const refused = { status: 'error', error: { code: 'change_limit_exceeded', message: 'No.' }, request_id: 'r3' }

  const server = await FakeServer.start(
    t,
    (response) => response.end(line(1) + line(2) + summary),
    (response) => response.end(line(1) + JSON.stringify(refused) + '\n'),
    (response) => response.end(line(1)),
  )
  const { client } = connect(server.url)

  const results = await all(client.freelancers.bulk(changes, { patch: true, currency: 'EUR' }))
  assert.deepEqual(results.map((r) => r.line), [1, 2])
  assert.equal(server.received[0]?.url, '/api/v1/freelancers/bulk?patch=true&currency=EUR')
  assert.equal(server.received[0]?.body, '{"id":"f1","name":"Ada"}\n{"id":"f2","deleted":true}\n')

  await assert.rejects(all(client.freelancers.bulk(changes)), api.RateLimitError)
  await assert.rejects(all(client.freelancers.bulk(changes)), api.ConnectionError)
  assert.equal(server.received.length, 3)
})

test('bulk also works through a proxy that passes requests on when they are complete', async (t) => {
  const changes = Array.from({ length: 5000 }, (_, i) => ({ id: `f${i}` }))
  const server = await FakeServer.start(t, (response, { body }) => {
    const results = body.trimEnd().split('\n').map((line) => `{"outcome":"unchanged",${line.slice(1)}\n`)
    response.end(results.join('') + summary)
  })
  const { client, waits } = connect(server.url)
  assert.equal((await all(client.freelancers.bulk(changes))).length, 5000)
  assert.deepEqual(waits, [5000]) // the first wait for results is the last
})

test('an error of the source of changes is the error of bulk', async (t) => {
  const server = await FakeServer.start(t, (response) => response.end(summary))
  const failing = (function* () {
    yield { id: 'f1' }
    throw new Error('the database is gone')
  })()
  await assert.rejects(all(connect(server.url).client.freelancers.bulk(failing)), /the database is gone/)
})

test('iterators read all pages', async (t) => {
  const server = await FakeServer.start(
    t,
    json(200, { status: 'success', matches: [{ score: 0.9 }, { score: 0.8 }], next_offset: 2 }),
    json(200, { status: 'success', matches: [{ score: 0.7 }], next_offset: null }),
    json(200, { status: 'success', data: [{ version: 'a' }], next_cursor: 'c1' }),
    json(200, { status: 'success', data: [{ version: 'b' }], next_cursor: null }),
    json(200, { status: 'success', data: [{ session_id: 's1' }], next_cursor: 'c2' }),
    json(200, { status: 'success', data: [{ session_id: 's2' }], next_cursor: null }),
  )
  const { client } = connect(server.url)

  assert.deepEqual((await all(client.matches({ limit: 2 }))).map((m) => m.score), [0.9, 0.8, 0.7])
  assert.deepEqual(server.received.map((r) => JSON.parse(r.body)), [{ limit: 2 }, { limit: 2, offset: 2 }])
  const list = client.freelancers.list({ countries: ['DE', 'AT'], limit: 1 })
  assert.deepEqual((await all(list)).map((f) => f.version), ['a', 'b'])
  assert.deepEqual((await all(client.interviews.list({ state: 'open' }))).map((s) => s.session_id), ['s1', 's2'])
  assert.deepEqual(server.received.slice(2).map((r) => r.url), [
    '/api/v1/freelancers?countries=DE&countries=AT&limit=1&unknown=null',
    '/api/v1/freelancers?countries=DE&countries=AT&limit=1&cursor=c1&unknown=null',
    '/api/v1/interviews?state=open',
    '/api/v1/interviews?state=open&cursor=c2',
  ])
})

test('a load is awaited until it was read or published', async (t) => {
  const load = (state: string) => json(200, { status: 'success', data: { id: 'l1', state } })
  const server = await FakeServer.start(t, load('reading'), load('publishing'), load('live'))
  const { client, waits } = connect(server.url)
  assert.equal((await client.loads.wait('l1', { interval: 7 })).state, 'live')
  assert.deepEqual(waits, [7, 7])
})
