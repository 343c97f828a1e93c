import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { InvalidWebhookError, verifyWebhook, type VerifyOptions } from '../src/index.js'

const key = '0123456789abcdef01234567'
const other = 'another key, 24 bytes ok'
const seconds = 1_767_323_045
const text = JSON.stringify({ type: 'load.live', timestamp: '2026-01-02T03:04:05Z', data: { sequence: 43 } })

const secret = (key: string) => 'whsec_' + Buffer.from(key).toString('base64')

function sign(key: string, body: string | Uint8Array = text, id = 'msg_1', at: string | number = seconds): string {
  return 'v1,' + createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64')
}

function signed(signature: string, id = 'msg_1', at: string | number = seconds) {
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature }
}

function verify(
  headers: Parameters<typeof verifyWebhook>[0],
  body: string | Uint8Array = text,
  secrets: string | string[] = secret(key),
  options: VerifyOptions = { now: seconds * 1000 },
) {
  return verifyWebhook(headers, body, secrets, options)
}

async function refuses(message: RegExp, ...given: Parameters<typeof verify>) {
  await assert.rejects(verify(...given), (error) => {
    return error instanceof InvalidWebhookError && message.test(error.message)
  })
}

test('a signed message is returned with its ID', async () => {
  const message = await verify(signed(sign(key)))
  assert.deepEqual(message, { id: 'msg_1', ...JSON.parse(text) })

  // The type of the data follows from the type of the message.
  if (message.type === 'load.live') assert.equal(message.data.sequence, 43)
  else assert.fail()

  await verify(new Headers(signed(sign(key))), Buffer.from(text))
  await verify({ 'Webhook-Id': ['msg_1'], 'WEBHOOK-TIMESTAMP': String(seconds), 'Webhook-Signature': sign(key) })
})

test('the example of Standard Webhooks has a valid signature', async () => {
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  const headers = signed(signature, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330)
  const now = 1614265330_000
  await refuses(/message of/, headers, '{"test": 2432232314}', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { now })
})

test('while a secret is rotated, either secret is enough', async () => {
  const both = signed(`${sign(other)} ${sign(key)}`)
  await verify(both)
  await verify(both, text, secret(other))
  await verify(signed(`v2,unknown ${sign(key)}`), text, [secret(other), secret(key)])
})

test('a message of another time is refused', async () => {
  for (const at of [seconds - 300, seconds + 300]) await verify(signed(sign(key, text, 'msg_1', at), 'msg_1', at))

  const invalid = [seconds - 301, seconds + 301, 0, -seconds, '', 'now', `${seconds}.0`, '9'.repeat(5000), '1e9', ' ']
  for (const at of invalid) {
    await refuses(/webhook-timestamp/, signed(sign(key, text, 'msg_1', at), 'msg_1', at))
  }
  await refuses(/webhook-timestamp/, signed(sign(key)), text, secret(key), {}) // of the past, by the clock
  await verify(signed(sign(key)), text, secret(key), { now: (seconds + 900) * 1000, tolerance: 900_000 })
})

test('a message without a valid signature is refused', async () => {
  const valid = sign(key)
  for (const signature of [
    sign(other), valid.slice(0, -2), valid + 'A', valid.slice(3), valid.replace('v1', 'v2'), 'v1,', 'v1,é\udc80', '',
  ]) {
    await refuses(/signature/, signed(signature))
  }
  await refuses(/signature/, signed(valid), text + ' ')
  await refuses(/signature/, signed(valid), text.replace('43', '44'))
  await refuses(/signature/, signed(valid, 'msg_2'))
  await refuses(/signature/, signed(valid, 'msg_1', seconds + 1))
  await refuses(/signature/, { 'webhook-id': 'msg_1', 'webhook-timestamp': String(seconds) })
  await refuses(/webhook-id/, {})
  for (const id of ['', 'msg.1', 'é']) await refuses(/webhook-id/, signed(sign(key, text, id), id))
})

test('a signed body that is no message is refused', async () => {
  const bodies = ['', 'null', '[]', '{', '{"type":1,"data":{}}', '{"type":"x"}', Buffer.from([0x22, 0xff, 0x22])]
  for (const body of bodies) await refuses(/body/, signed(sign(key, body)), body)
})

test('a secret that is none is an error of the program, which does not quote it', async () => {
  for (const secrets of ['', [], 'whsec_', 'whsec_é', 'whsec_a', 'MDEyMzQ1Njc4OWFiY2RlZg==']) {
    await assert.rejects(verify(signed(sign(key)), text, secrets), (error) => {
      return error instanceof TypeError && /secret/.test(error.message) && !error.message.includes('MDEy')
    })
  }
})

test('the example of the README responds to messages', async (t) => {
  const examples = (await readFile('README.md', 'utf8')).match(/(?<=```js\n)[^]*?(?=```)/g) ?? []
  const module = new URL('../readme.mjs', import.meta.url)
  await writeFile(module, examples.find((example) => example.includes('receive'))!)
  const { receive } = (await import(module.href)) as { receive: (request: Request) => Promise<Response> }

  process.env.WEBHOOK_SECRET = secret(key)
  const log = t.mock.method(console, 'log', () => {})
  const body = '{"type":"freelancer.erased","data":{"changes":[{"kind":"erased","id":"f1"}]}}'
  const now = Math.floor(Date.now() / 1000)
  async function respond(signature: string) {
    const headers = signed(signature, 'msg_1', now)
    return (await receive(new Request('http://localhost/', { method: 'POST', headers, body }))).status
  }
  assert.equal(await respond(sign(key, body, 'msg_1', now)), 204)
  assert.deepEqual(log.mock.calls.map((call) => call.arguments), [['erase the copy of', 'f1']])
  assert.equal(await respond(sign(other, body, 'msg_1', now)), 400)
})
