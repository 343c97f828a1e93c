import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '../src/index.js'
import { broken, connect, deadAddress, failure, FakeServer, json } from './fake.js'

const me = json(200, { status: 'success', data: { plan: 'professional' } })
const change = json(200, { status: 'success', data: { id: 'f1', outcome: 'replaced' } })

test('a request carries the key, the version and nulls for unknown values', async (t) => {
  const server = await FakeServer.start(t, json(200, { status: 'success', matches: [], next_offset: null }))
  await connect(server.url + '/').client.match({ required_skills: ['React'] })

  const [request] = server.received
  assert.equal(request?.url, '/api/v1/match?unknown=null')
  assert.equal(request.headers['x-api-key'], 'svc_test')
  assert.equal(request.headers['user-agent'], `freelancer-matching-typescript/${api.VERSION}`)
  assert.deepEqual(JSON.parse(request.body), { required_skills: ['React'] })
})

test('key and address come from the environment', async (t) => {
  const server = await FakeServer.start(t, me)
  process.env.MATCHING_API_KEY = 'svc_environment'
  process.env.MATCHING_URL = server.url
  t.after(() => {
    delete process.env.MATCHING_API_KEY
    delete process.env.MATCHING_URL
  })

  assert.equal((await new api.Client().me()).plan, 'professional')
  assert.equal(server.received[0]?.headers['x-api-key'], 'svc_environment')
})

test('without a key, there is no client', () => {
  assert.throws(() => new api.Client({ url: 'http://127.0.0.1:1' }), /MATCHING_API_KEY/)
})

test('an error has the class of its status and what the response says', async (t) => {
  const classes: [number, typeof api.ApiError][] = [
    [400, api.ValidationError],
    [401, api.AuthenticationError],
    [403, api.PermissionError],
    [404, api.NotFoundError],
    [409, api.ConflictError],
    [410, api.CursorExpiredError],
    [412, api.ConflictError],
    [413, api.ValidationError],
    [415, api.ValidationError],
    [422, api.ValidationError],
    [429, api.RateLimitError],
    [500, api.ServerError],
    [503, api.ServerError],
    [418, api.ApiError],
  ]
  for (const [status, kind] of classes) {
    const server = await FakeServer.start(t, failure(status, 'some_code', { 'Retry-After': '7' }))
    const error: unknown = await connect(server.url, { retries: 0 }).client.me().catch((e: unknown) => e)
    assert.ok(error instanceof kind && error.constructor === kind, `${status}: ${error}`)
    assert.deepEqual([error.code, error.message, error.status], ['some_code', 'It is some_code.', status])
    assert.deepEqual([error.requestId, error.retryAfter, error.details[0]?.field], ['r1', 7, 'limit'])
  }
})

test('an error page of a proxy is an error, too', async (t) => {
  const server = await FakeServer.start(t, (response) => response.writeHead(403).end('<h1>Forbidden</h1>'))
  await assert.rejects(connect(server.url).client.me(), { code: 'unexpected_response', status: 403 })
})

test('a request is repeated after 429, 502, 503 and 504, and waits as long as the server demands', async (t) => {
  for (const status of [429, 502, 503, 504]) {
    const patient = failure(status, 'busy', { 'Retry-After': '9' })
    const server = await FakeServer.start(t, patient, failure(status, 'busy'), me)
    const { client, waits } = connect(server.url)
    assert.equal((await client.me()).plan, 'professional')

    assert.equal(waits[0], 9000)
    assert.ok(waits[1] !== undefined && waits[1] >= 500 && waits[1] <= 1000, `${waits[1]} ms after two failures`)
  }
})

test('other errors are not repeated', async (t) => {
  for (const status of [400, 401, 403, 404, 409, 422, 500]) {
    const server = await FakeServer.start(t, failure(status, 'no'))
    await assert.rejects(connect(server.url).client.me(), { status })
    assert.equal(server.received.length, 1)
  }
})

test('the number of attempts and the total wait are limited', async (t) => {
  const server = await FakeServer.start(t, failure(503, 'overloaded'))
  await assert.rejects(connect(server.url, { retries: 3 }).client.me(), { code: 'overloaded' })
  assert.equal(server.received.length, 4)

  const limited = await FakeServer.start(t, failure(429, 'rate_limit_exceeded', { 'Retry-After': '40' }))
  const { client, waits } = connect(limited.url)
  await assert.rejects(client.me(), api.RateLimitError)
  assert.deepEqual(waits, [40_000]) // a second wait would exceed 60 seconds
})

test('a lost response is repeated only if that does no harm', async (t) => {
  const harmless = [
    (c: api.Client) => c.freelancers.put('f1', { name: 'Ada' }),
    (c: api.Client) => c.freelancers.patch('f1', { name: 'Ada' }),
    (c: api.Client) => c.freelancers.erase('f1'),
    (c: api.Client) => c.verifySkill('k8s'),
    (c: api.Client) => c.createBrowserToken({ origins: ['https://shop.example'] }),
    (c: api.Client) => c.recordEvents([]),
    (c: api.Client) => c.interviews.conduct({ freelancer_id: 'f1' }),
    (c: api.Client) => c.resumes.parse(new Blob(['cv'])),
  ]
  for (const call of harmless) {
    const server = await FakeServer.start(t, broken('application/json', '{"status":'), change)
    await call(connect(server.url).client)
    assert.equal(server.received.length, 2, String(call))
    assert.equal(server.received[0]?.headers['idempotency-key'], server.received[1]?.headers['idempotency-key'])
  }

  const harmful = [
    (c: api.Client) => c.freelancers.put('f1', { name: 'Ada' }, { ifMatch: 'v1' }),
    (c: api.Client) => c.freelancers.put('f1', { name: 'Ada' }, { ifNoneMatch: '*' }),
    (c: api.Client) => c.interviews.invite('s1'),
    (c: api.Client) => c.interviews.review('s1', { question: 'q1', criterion: 'technical', level: 3, reason: 'Good.' }),
    (c: api.Client) => c.loads.create(new Blob(['id,name\n'])),
    (c: api.Client) => c.loads.publish('l1'),
    (c: api.Client) => c.freelancers.bulk([{ id: 'f1' }]).next(),
  ]
  for (const call of harmful) {
    for (const handler of [broken('application/json', '{"status":'), failure(503, 'overloaded')]) {
      const server = await FakeServer.start(t, handler)
      await assert.rejects(call(connect(server.url).client), api.MatchingError)
      assert.equal(server.received.length, 1, String(call))
    }
  }
})

test('a refused connection and a limit come before any work, so that every request is repeated', async (t) => {
  const server = await FakeServer.start(t, failure(429, 'rate_limit_exceeded'), change)
  await connect([await deadAddress(), server.url]).client.interviews.invite('s1')
  assert.equal(server.received.length, 2)
})

test('while the first attempt of an interview is running, its result is awaited', async (t) => {
  const running = failure(409, 'idempotency_conflict', { 'Retry-After': '5' })
  const server = await FakeServer.start(t, running, running, running, running, change)
  const { client, waits } = connect(server.url)
  await client.interviews.conduct({ freelancer_id: 'f1' })
  assert.equal(Math.min(...waits), 5000)

  const other = await FakeServer.start(t, failure(409, 'idempotency_conflict'))
  const conflict = connect(other.url).client.interviews.conduct({ freelancer_id: 'f1' }, { idempotencyKey: 'mine' })
  await assert.rejects(conflict, api.ConflictError)
  assert.deepEqual([other.received.length, other.received[0]?.headers['idempotency-key']], [1, 'mine'])
})

test('the next host is asked at once when one is gone or unavailable, and remembered', async (t) => {
  const unavailable = await FakeServer.start(t, failure(503, 'not_ready', { 'Retry-After': '30' }))
  const server = await FakeServer.start(t, me)
  const { client, waits } = connect([await deadAddress(), unavailable.url, server.url])
  await client.me()
  await client.me()

  assert.deepEqual(waits, [0, 0])
  assert.deepEqual([unavailable.received.length, server.received.length], [1, 2])
})

test('an attempt that takes too long is given up', async (t) => {
  const silent = await FakeServer.start(t, () => {})
  const { client, waits } = connect(silent.url, { timeout: 20, retries: 1 })
  await assert.rejects(client.me(), api.TimeoutError)
  assert.equal(waits.length, 1)

  const stalled = await FakeServer.start(t, (response) => response.writeHead(200).write('{"status":'))
  await assert.rejects(connect(stalled.url, { retries: 0 }).client.me({ timeout: 20 }), api.TimeoutError)
})

test('a signal cancels a request and a wait with its reason', async (t) => {
  const controller = new AbortController()
  const silent = await FakeServer.start(t, () => controller.abort(new Error('enough')))
  await assert.rejects(connect(silent.url).client.me({ signal: controller.signal }), /enough/)
  assert.equal(silent.received.length, 1)

  const waiting = new AbortController()
  const limited = await FakeServer.start(t, failure(429, 'rate_limit_exceeded', { 'Retry-After': '50' }))
  const client = new api.Client({ key: 'svc_test', url: limited.url })
  const pending = client.me({ signal: waiting.signal })
  setImmediate(() => waiting.abort(new Error('enough')))
  await assert.rejects(pending, /enough/)
})

test('the client has the limits of the last response', async (t) => {
  const headers = { 'X-RateLimit-Limit': '100', 'X-RateLimit-Remaining': '99', 'X-RateLimit-Reset': '42' }
  const server = await FakeServer.start(t, json(200, { data: {} }, { ...headers, 'X-RateLimit-Window': 'minute' }))
  const { client } = connect(server.url)
  assert.equal(client.rateLimit, undefined)
  await client.me()
  assert.deepEqual(client.rateLimit, { limit: 100, remaining: 99, reset: 42, window: 'minute' })
})

test('connections are used again', async (t) => {
  const ports = new Set<number | undefined>()
  const server = await FakeServer.start(t, (response, request) => {
    ports.add(response.socket?.remotePort)
    me(response, request)
  })
  const { client } = connect(server.url)
  for (let i = 0; i < 20; i++) await client.me()
  assert.ok(ports.size <= 2, `${ports.size} connections`) // Node.js may open a second one while the first is read
})

test('redirects are refused, because the key is not for other hosts', async (t) => {
  const other = await FakeServer.start(t, me)
  const server = await FakeServer.start(t, (response) => response.writeHead(307, { Location: other.url }).end())
  await assert.rejects(connect(server.url).client.me(), api.ConnectionError)
  assert.equal(other.received.length, 0)
})

test('an ID is encoded, and one that would lead elsewhere is refused', async (t) => {
  const server = await FakeServer.start(t, change)
  await connect(server.url).client.freelancers.erase('a/b?c')
  assert.equal(server.received[0]?.url, '/api/v1/freelancers/a%2Fb%3Fc')
  for (const id of ['', '.', '..']) {
    await assert.rejects(connect(server.url).client.interviews.delete(id), TypeError)
  }
})

test('an unhealthy service is an answer', async (t) => {
  const server = await FakeServer.start(t, json(503, { status: 'unhealthy', unhealthy_components: ['database'] }))
  const health = await connect(server.url).client.health()
  assert.deepEqual([health.status, health.unhealthy_components], ['unhealthy', ['database']])
})
