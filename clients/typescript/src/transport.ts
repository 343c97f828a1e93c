import { Deadline, pause } from './deadline.js'
import { ApiError, ConnectionError, errorOf } from './errors.js'

/** The version of this client and of the service that it was made for. */
export const VERSION = '1.0.0'

/** The requests that remain, according to the last response. Unlimited plans have no such limit. */
export interface RateLimit {
  limit: number
  remaining: number
  /** The seconds until the window ends. */
  reset: number
  /** The window with fewer requests remaining: `minute` or `month`. */
  window: string
}

/** How a client reaches the service. */
export interface ClientOptions {
  /** The API key. By default, the one in MATCHING_API_KEY. */
  key?: string
  /**
   * The address of the service. By default, the one in MATCHING_URL, or http://127.0.0.1:8080. Of several addresses,
   * the client uses one until it can't be reached or is unavailable, and then the next one.
   */
  url?: string | string[]
  /** The milliseconds of an attempt: by default 60,000, 0 for no limit. In a stream, the longest silence. */
  timeout?: number
  /** How often a request is repeated at most, 2 by default. */
  retries?: number
  /** The milliseconds that a call may wait between its attempts in total, 60,000 by default. */
  maxWait?: number
  /** The fetch to use, such as one with a proxy. */
  fetch?: typeof fetch
  /** Waits between attempts; for tests. */
  pause?: typeof pause
}

/** What every call accepts. */
export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal
  /** The milliseconds that each attempt may take. */
  timeout?: number
}

export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>

/** A request, which may be sent several times. */
export interface Call extends CallOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Query
  headers?: Record<string, string | undefined>
  json?: unknown
  body?: BodyInit
  /** Whether it does no harm to send the request again after it was carried out. */
  repeatable: boolean
  /** An error status whose body is an answer, too. */
  accepts?: number
}

/** A response that has begun, and the deadline that ends it. */
export interface Answer {
  response: Response
  deadline: Deadline
}

const firstWait = 500 // milliseconds before the second attempt, doubled before each further one
const longestWait = 8000

/** A Transport sends requests to one of several hosts, and repeats them if that may help and does no harm. */
export class Transport {
  rateLimit: RateLimit | undefined
  readonly #options: Required<Omit<ClientOptions, 'url'>>
  readonly #hosts: string[]
  #current = 0 // counts up; the host is this number modulo the number of hosts

  constructor(options: ClientOptions) {
    const env = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {}
    const key = options.key ?? env.MATCHING_API_KEY
    if (!key) throw new TypeError('The client needs an API key: pass key, or set MATCHING_API_KEY.')

    const urls = [options.url ?? env.MATCHING_URL ?? 'http://127.0.0.1:8080'].flat()
    if (urls.length === 0) throw new TypeError('The client needs at least one url.')
    this.#hosts = urls.map((url) => url.replace(/\/+$/, ''))

    this.#options = {
      key,
      timeout: options.timeout ?? 60_000,
      retries: options.retries ?? 2,
      maxWait: options.maxWait ?? 60_000,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      pause: options.pause ?? pause,
    }
  }

  /** Returns the decoded body of the response. */
  json<T>(call: Call): Promise<T> {
    return this.#send(call, async ({ response, deadline }) => {
      const body = (await response.json()) as T
      deadline.release()
      return body
    })
  }

  /** Returns a response whose body is still to be read. The caller ends its deadline. */
  open(call: Call): Promise<Answer> {
    return this.#send(call, (answer) => Promise.resolve(answer))
  }

  /** Returns the milliseconds to wait after a number of failures in a row. Clients that failed together spread out. */
  backoff(failures: number): number {
    return Math.min(longestWait, firstWait * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)
  }

  /** Waits between two attempts. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return this.#options.pause(milliseconds, signal)
  }

  get retries(): number {
    return this.#options.retries
  }

  get maxWait(): number {
    return this.#options.maxWait
  }

  async #send<T>(call: Call, read: (answer: Answer) => Promise<T>): Promise<T> {
    let waited = 0
    for (let failures = 1; ; failures++) {
      const host = this.#current
      try {
        return await this.#attempt(call, read)
      } catch (error) {
        // Another call may have left the host in the meantime.
        if (leavesHost(error) && this.#current === host) this.#current++

        const wait = this.#waitAfter(error, call, failures)
        if (wait === undefined || waited + wait > this.#options.maxWait) throw error
        await this.pause(wait, call.signal)
        waited += wait
      }
    }
  }

  async #attempt<T>(call: Call, read: (answer: Answer) => Promise<T>): Promise<T> {
    const deadline = new Deadline(call.timeout ?? this.#options.timeout, call.signal)
    try {
      const response = await this.#options.fetch(this.#address(call), this.#init(call, deadline))
      this.rateLimit = rateLimitOf(response.headers) ?? this.rateLimit
      if (response.ok || response.status === call.accepts) return await read({ response, deadline })

      const body: unknown = await response.json().catch(() => undefined)
      throw errorOf(response, body)
    } catch (error) {
      deadline.release()
      if (error instanceof ApiError || error instanceof ConnectionError) throw error
      call.signal?.throwIfAborted()
      throw new ConnectionError('The server did not respond, or its response broke off.', { cause: error })
    }
  }

  /** Returns how long to wait before another attempt, or undefined if there should be none. */
  #waitAfter(error: unknown, call: Call, failures: number): number | undefined {
    // A body that is a stream can't be read again.
    if (call.body instanceof ReadableStream || !isTransient(error, call.repeatable)) return undefined

    // The service is still working on an earlier attempt. The result is worth waiting for, so this is not a failure.
    const isRunning = error instanceof ApiError && error.code === 'idempotency_conflict'
    if (failures > this.#options.retries && !isRunning) return undefined

    // Another host may be asked at once, unless all have failed.
    if (leavesHost(error) && failures < this.#hosts.length) return 0

    return Math.max(demandedWait(error), this.backoff(failures))
  }

  #address(call: Call): string {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value === undefined || value === null) continue
      for (const entry of [value].flat()) query.append(name, String(entry))
    }

    const host = this.#hosts[this.#current % this.#hosts.length]
    return host + call.path + (query.size > 0 ? '?' + query : '')
  }

  #init(call: Call, deadline: Deadline): RequestInit {
    const headers: Record<string, string> = {
      'X-API-Key': this.#options.key,
      'User-Agent': `freelancer-matching-typescript/${VERSION}`,
      Accept: 'application/json',
    }
    if (call.json !== undefined) headers['Content-Type'] = 'application/json'
    for (const [name, value] of Object.entries(call.headers ?? {})) {
      if (value !== undefined) headers[name] = value
    }

    const init: RequestInit & { duplex?: 'half' } = {
      method: call.method,
      headers,
      body: call.json === undefined ? call.body : JSON.stringify(call.json),
      signal: deadline.signal,
      redirect: 'error', // the service has none, and the key is not for other hosts
    }
    if (call.body instanceof ReadableStream) init.duplex = 'half'
    return init
  }
}

// A request that got one of these errors was not carried out.
const refused = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** Reports whether another attempt may succeed, and does no harm. */
export function isTransient(error: unknown, repeatable: boolean): boolean {
  if (error instanceof ConnectionError) {
    const cause = (error.cause as { cause?: { code?: string } } | undefined)?.cause
    return repeatable || refused.has(cause?.code ?? '')
  }
  if (!(error instanceof ApiError)) return false

  switch (error.status) {
    case 429: // comes before any work
      return true
    case 409: // says when to come back if the state will change by itself
      return repeatable && error.code === 'idempotency_conflict' && error.retryAfter !== undefined
    case 502:
    case 503:
    case 504:
      return repeatable
    default:
      return false
  }
}

/** Returns the milliseconds to wait according to the service, or 0. */
export function demandedWait(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0
}

/** Reports whether the next attempt should go to another host. */
function leavesHost(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status === 503)
}

function rateLimitOf(headers: Headers): RateLimit | undefined {
  const number = (name: string) => Number(headers.get('X-RateLimit-' + name))
  if (!headers.has('X-RateLimit-Limit')) return undefined
  return {
    limit: number('Limit'),
    remaining: number('Remaining'),
    reset: number('Reset'),
    window: headers.get('X-RateLimit-Window') ?? '',
  }
}

/** A document to upload. In Node.js, `openAsBlob(path)` gives a file that isn't read into memory. */
export type DocumentFile = Blob | Uint8Array

/** Returns a form with a file, and with a request as JSON if there is one. */
export function formOf(file: DocumentFile, request?: object): FormData {
  const form = new FormData()
  if (request !== undefined) form.append('request', JSON.stringify(request))
  form.append('file', blobOf(file))
  return form
}

/** Returns bytes as a blob, which can be sent several times. */
export function blobOf(file: DocumentFile): Blob {
  // The types of a Blob exclude shared memory, which no file is in.
  return file instanceof Blob ? file : new Blob([file as Uint8Array<ArrayBuffer>])
}

/** Returns an ID as a part of a path. An ID that would lead to another path is refused. */
export function segment(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new TypeError(`"${id}" can't be an ID in an address.`)
  return encodeURIComponent(id)
}
