// Keeps copies of records current: it follows changes of freelancers, and receives messages about them. The key needs
// the permissions data:read, data:write and webhooks:write, and the server the option -webhook-allow 127.0.0.1.
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Client, InvalidWebhookError, NotFoundError, verifyWebhook } from '../src/index.js'

const client = new Client()
const id = 'typescript/feed'

async function followChanges() {
  const cursor = await client.changes.cursor()
  await client.freelancers.put(id, { name: 'Ada Byron', skills: ['Go'] }, { readmit: true })
  await client.freelancers.erase(id)

  const kinds = []
  for await (const change of client.changes.stream(cursor)) {
    if (change.id === id) kinds.push(change.kind)
    if (kinds.length === 2) break
  }
  assert.deepEqual(kinds, ['stored', 'erased'])

  let last = 0
  for await (const change of client.changes.list(cursor)) last = change.sequence
  for await (const change of client.changes.list(last)) assert.fail(change.kind)
}

interface Received {
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Starts an endpoint, and returns its address and a function that returns the next request. */
async function startReceiver() {
  const requests: Received[] = []
  let wake = () => {}
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await buffer(request) })
    response.writeHead(204).end()
    wake()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  async function next(): Promise<Received> {
    for (;;) {
      const request = requests.shift()
      if (request !== undefined) return request
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, next, close: () => server.close() }
}

async function receiveMessages() {
  const receiver = await startReceiver()
  const { webhooks } = client
  const created = await webhooks.create({ url: receiver.url, events: ['freelancer.changed'] })
  assert.equal((await webhooks.change(created.id, { name: 'TypeScript' })).name, 'TypeScript')
  assert.equal((await webhooks.get(created.id)).enabled, true)
  assert.ok((await webhooks.list()).some((endpoint) => endpoint.id === created.id))

  const rotated = await webhooks.rotate(created.id)
  const sent = await webhooks.test(created.id, 'load.live')
  const { headers, body } = await receiver.next()
  for (const secrets of [created.secret, rotated.secret, [rotated.secret, created.secret]]) {
    const message = await verifyWebhook(headers, body, secrets)
    assert.ok(message.type === 'load.live' && message.data.freelancers > 0 && message.test)
    assert.equal(message.id, sent.id)
  }
  const altered = Buffer.concat([body, Buffer.from(' ')])
  await assert.rejects(verifyWebhook(headers, altered, created.secret), InvalidWebhookError)
  await assert.rejects(verifyWebhook(headers, body, 'whsec_' + 'A'.repeat(32)), InvalidWebhookError)

  // The outcome is stored after the response.
  for (let state = ''; state !== 'delivered'; ) {
    for await (const delivery of webhooks.deliveries(created.id, { limit: 1 })) {
      assert.equal(delivery.id, sent.id)
      state = delivery.state
    }
  }
  assert.equal((await webhooks.retry(created.id, sent.id)).id, sent.id)
  assert.equal((await receiver.next()).headers['webhook-id'], sent.id)

  await webhooks.delete(created.id)
  await assert.rejects(webhooks.get(created.id), NotFoundError)
  receiver.close()
}

await followChanges()
await receiveMessages()
console.log('all passed')
