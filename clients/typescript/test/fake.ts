import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { Client, type ClientOptions } from '../src/index.js'

/** A request as the fake server received it. */
export interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

type Handler = (response: ServerResponse, request: Received) => void

/** A server whose responses a test writes, one handler for each request. The last one handles all further requests. */
export class FakeServer {
  readonly received: Received[] = []
  url = ''

  static async start(t: TestContext, ...handlers: Handler[]): Promise<FakeServer> {
    const fake = new FakeServer()
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      const { method = '', url = '', headers } = request
      const received = { method, url, headers, body }
      fake.received.push(received)
      const handler = handlers[Math.min(fake.received.length, handlers.length) - 1]
      handler?.(response, received)
    })

    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return fake
  }
}

/** Returns an address at which nothing listens. */
export async function deadAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

/** Responds with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Handler {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

/** Responds with an error of the API. */
export function failure(status: number, code: string, headers: Record<string, string> = {}): Handler {
  const error = { code, message: `It is ${code}.`, details: [{ field: 'limit', code: 'too_small', message: 'No.' }] }
  return json(status, { status: 'error', error, detail: error.message, request_id: 'r1' }, headers)
}

/** Sends the beginning of a response, and breaks the connection off. */
export function broken(type: string, text: string): Handler {
  return (response) => {
    response.writeHead(200, { 'Content-Type': type, 'Transfer-Encoding': 'chunked' })
    response.write(text, () => response.destroy())
  }
}

/** Returns a client of an address that doesn't wait between its attempts, and the waits that it would have made. */
export function connect(url: string | string[], options: ClientOptions = {}): { client: Client; waits: number[] } {
  const waits: number[] = []
  const pause = (milliseconds: number) => {
    waits.push(milliseconds)
    return Promise.resolve()
  }
  return { client: new Client({ key: 'svc_test', url, pause, ...options }), waits }
}
