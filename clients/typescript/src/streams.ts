import type { Deadline, pause } from './deadline.js'
import { ConnectionError } from './errors.js'

/** Yields the lines of a response, without their ends. The deadline limits the wait for each part of the body. */
export async function* linesOf(response: Response, deadline: Deadline): AsyncGenerator<string> {
  if (response.body === null) return
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let rest = ''

  for (;;) {
    deadline.restart()
    const { done, value } = await reader.read().catch((cause: unknown) => {
      deadline.caller?.throwIfAborted()
      if (cause instanceof ConnectionError) throw cause
      throw new ConnectionError('The connection broke off.', { cause })
    })
    deadline.rest()

    const lines = (rest + decoder.decode(value, { stream: !done })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line

    // What follows the last end of a line is cut off, because every stream of the service ends with one.
    if (done) return
  }
}

/** A server-sent event as it arrives. */
export interface RawEvent {
  type: string
  id: string
  data: string
}

/** Yields the events that lines contain. An event that is cut off is left out. */
export async function* eventsOf(lines: AsyncIterable<string>): AsyncGenerator<RawEvent> {
  const event: RawEvent = { type: 'message', id: '', data: '' }

  for await (const line of lines) {
    if (line === '') {
      if (event.data !== '') yield { ...event }
      event.type = 'message'
      event.data = ''
      continue
    }

    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') event.type = value
    else if (name === 'id') event.id = value
    else if (name === 'data') event.data += event.data === '' ? value : '\n' + value
  }
}

// A list is sent in parts of about this size. A source of changes that may have to wait is sent line by line.
const partLength = 16 * 1024

// So many lines may be sent before their results arrive.
const maxAhead = 1000

// The milliseconds that a body waits for results, before it takes the silence for a proxy that wants the whole request.
// The server takes a second to refuse a request whose body goes on.
const patience = 5000

/**
 * A body with a line of JSON for each value. It reads a value when the connection takes more, and stays only so far
 * ahead of the results: while Node.js writes to a connection that the server closes, it may lose what the server has
 * sent, such as the results and the reason. Before the response has begun, it sends only the first part.
 */
export class LineBody<T> {
  readonly stream: ReadableStream<Uint8Array>
  readonly #pause: typeof pause
  #ahead = 0 // lines without a result
  #maxAhead = 0
  #wake = () => {}
  readonly #encoder = new TextEncoder()
  #failure: { error: unknown } | undefined

  constructor(values: Iterable<T> | AsyncIterable<T>, wait: typeof pause) {
    this.#pause = wait
    const source = Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]()
    this.stream = new ReadableStream({
      pull: async (controller) => {
        try {
          await this.#pull(source, controller)
        } catch (error) {
          this.#failure = { error }
          throw error
        }
      },
      cancel: async () => {
        await source.return?.()
      },
    })
  }

  /** Notes that the response has begun. */
  begin(): void {
    this.#maxAhead = Math.max(this.#maxAhead, maxAhead)
    this.#wake()
  }

  /** Notes that a line has its result. */
  answered(): void {
    this.#ahead--
    this.#wake()
  }

  /** Throws the error of the source of values, if that is why the request failed. */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async #pull(source: Iterator<T> | AsyncIterator<T>, controller: ReadableStreamDefaultController<Uint8Array>) {
    while (this.#ahead > this.#maxAhead) {
      const timer = new AbortController()
      const woken = new Promise<boolean>((resolve) => (this.#wake = () => resolve(true)))
      const isWoken = await Promise.race([woken, this.#pause(patience, timer.signal).then(() => false)])
      timer.abort()
      if (!isWoken) this.#maxAhead = Infinity
    }

    let part = ''
    for (;;) {
      const next = source.next()
      const { done, value } = next instanceof Promise ? await next : next
      if (!done) {
        part += JSON.stringify(value) + '\n'
        this.#ahead++
      }
      if (!done && !(next instanceof Promise) && part.length < partLength) continue

      if (part !== '') controller.enqueue(this.#encoder.encode(part))
      if (done) controller.close()
      return
    }
  }
}
