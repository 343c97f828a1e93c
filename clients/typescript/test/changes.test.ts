import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError, CursorExpiredError, PermissionError, ServerError } from '../src/index.js'
import { broken, connect, failure, FakeServer, json } from './fake.js'

const events = 'text/event-stream'
const change = (n: number) => `event: change\nid: ${n}\ndata: {"sequence":${n},"kind":"stored"}\n\n`
const error = (code: string) => `event: error\ndata: {"error":{"code":"${code}","message":"No."}}\n\n`

function page(numbers: number[], next_cursor: string, has_more = false) {
  return json(200, { data: numbers.map((sequence) => ({ sequence })), next_cursor, has_more })
}

function stream(text: string) {
  return (response: import('node:http').ServerResponse) => {
    response.writeHead(200, { 'Content-Type': events }).end(text)
  }
}

test('changes are listed page after page', async (t) => {
  const server = await FakeServer.start(t, page([], '3'), page([4, 5], '5', true), page([6], '6'))
  const { client } = connect(server.url)
  const numbers = []
  for await (const { sequence } of client.changes.list(await client.changes.cursor())) numbers.push(sequence)

  assert.deepEqual(numbers, [4, 5, 6])
  assert.deepEqual(server.received.map((r) => r.url), [
    '/api/v1/changes',
    '/api/v1/changes?cursor=3&limit=1000',
    '/api/v1/changes?cursor=5&limit=1000',
  ])
})

test('a stream of changes continues after the last change', async (t) => {
  const server = await FakeServer.start(
    t,
    page([], '1'),
    broken(events, ': heartbeat\n\n' + change(2) + 'event: change\nid: 3\ndata: {'),
    stream(': heartbeat\n\n'), // ended by the server, without a change
    failure(503, 'overloaded'),
    stream('event: later\nid: 9\ndata: {}\n\n' + error('overloaded')),
    stream(change(3) + error('cursor_expired')),
  )

  const numbers: number[] = []
  await assert.rejects(async () => {
    for await (const { sequence } of connect(server.url).client.changes.stream()) numbers.push(sequence)
  }, CursorExpiredError)
  assert.deepEqual(numbers, [2, 3])
  const cursors = server.received.slice(1).map((r) => new URL(r.url, server.url).searchParams.get('cursor'))
  assert.deepEqual(cursors, ['1', '2', '2', '2', '2'])
})

test('a stream of changes is given up', async (t) => {
  const silent = await FakeServer.start(t, stream(''))
  await assert.rejects(connect(silent.url).client.changes.stream(0).next(), ConnectionError)
  assert.equal(silent.received.length, 11)

  // Without retries, it still continues after a connection that worked.
  const once = await FakeServer.start(t, stream(change(1)), stream(change(2) + error('internal')))
  const changes = connect(once.url, { retries: 0 }).client.changes.stream(0)
  assert.deepEqual([(await changes.next()).value?.sequence, (await changes.next()).value?.sequence], [1, 2])
  await assert.rejects(changes.next(), ServerError)

  const forbidden = await FakeServer.start(t, failure(403, 'permission_required'))
  await assert.rejects(connect(forbidden.url).client.changes.stream(0).next(), PermissionError)
  assert.equal(forbidden.received.length, 1)
})

test('a stream of changes waits as long as the service demands', async (t) => {
  const server = await FakeServer.start(
    t,
    failure(429, 'rate_limit_exceeded', { 'Retry-After': '40' }),
    stream(change(1)),
    failure(503, 'overloaded', { 'Retry-After': '3600' }), // more than maxWait
  )
  const { client, waits } = connect(server.url, { retries: 0 })
  const changes = client.changes.stream(0)
  assert.equal((await changes.next()).value?.sequence, 1)
  await assert.rejects(changes.next(), ServerError)
  assert.equal(server.received.length, 3)
  assert.equal(waits.length, 2)
  assert.equal(waits[0], 40_000)
  assert.ok((waits[1] ?? Infinity) < 1000) // after the end of the connection
})

test('a signal ends a stream of changes', async (t) => {
  const server = await FakeServer.start(t, (response) => {
    response.writeHead(200, { 'Content-Type': events }).write(change(1))
  })
  const controller = new AbortController()
  const changes = connect(server.url).client.changes.stream(0, { signal: controller.signal })
  await changes.next()
  controller.abort(new Error('enough'))
  await assert.rejects(changes.next(), /enough/)
  assert.equal(server.received.length, 1)
})

test('requests about webhooks that could be done twice are sent once', async (t) => {
  const server = await FakeServer.start(t, failure(503, 'x'))
  const { webhooks } = connect(server.url).client
  const calls = [
    () => webhooks.create({ events: ['load.live'] }),
    () => webhooks.rotate('we/1'),
    () => webhooks.test('we_1'),
    () => webhooks.retry('we_1', 'msg/1'),
  ]
  for (const call of calls) await assert.rejects(call(), ServerError)

  assert.deepEqual(server.received.map((r) => r.method + r.url), [
    'POST/api/v1/webhooks',
    'POST/api/v1/webhooks/we%2F1/rotate',
    'POST/api/v1/webhooks/we_1/test',
    'POST/api/v1/webhooks/we_1/deliveries/msg%2F1/retry',
  ])
  assert.equal(server.received[2]?.body, '{}')
})
