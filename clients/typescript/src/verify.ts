import { MatchingError } from './errors.js'
import type { CoveredPoints, webhooks } from './schema.js'

/** A message about an interview. Values that are not known yet are null. */
export interface InterviewMessage {
  type: 'interview.submitted' | 'interview.evaluated'
  timestamp: string
  test?: boolean
  data: {
    session_id: string
    freelancer_id: string
    state: string
    overall_score: number | null
    points: CoveredPoints | null
    hiring_recommendation: boolean | null
  }
}

type AccountMessage = webhooks[keyof webhooks]['post']['requestBody']['content']['application/json']

/**
 * A verified message. Its `id` is the same when it is sent again, so ignore a message whose ID you have. Later releases
 * may send other types; ignore those that you don't know.
 */
export type WebhookMessage = (AccountMessage | InterviewMessage) & { id: string }

/** A message must not be processed: it has no valid signature, is too old, or isn't JSON. Respond with 400. */
export class InvalidWebhookError extends MatchingError {
  override name = 'InvalidWebhookError'
}

/** How messages are verified. */
export interface VerifyOptions {
  /** The milliseconds by which the time of a message may differ from now: by default five minutes. */
  tolerance?: number
  /** The current time in milliseconds since 1970. */
  now?: number
}

/** The headers of a request, in any case: those of fetch, or those of Node.js. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

const defaultTolerance = 300_000
const secretPrefix = 'whsec_'
const encoder = new TextEncoder()

/**
 * Returns the message of a request to a webhook endpoint, and rejects with an `InvalidWebhookError` if it isn't signed.
 * `body` is what was received, before it is parsed. `secrets` is the secret of the endpoint, `whsec_…`, or several of
 * them while a rotated one is in use.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: Uint8Array | ArrayBuffer | string,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookMessage> {
  const keys = await Promise.all([secrets].flat().map(keyOf))
  if (keys.length === 0) throw new TypeError('verifyWebhook needs a secret.')

  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = header(headers, 'webhook-signature').split(' ')

  // A dot separates the signed parts, so an ID with one could take a part of the body for the time.
  if (!/^[!-~]+$/.test(id) || id.includes('.')) {
    throw new InvalidWebhookError('The header webhook-id is missing or invalid.')
  }
  const { tolerance = defaultTolerance, now = Date.now() } = options
  const isNumber = /^[0-9]{1,12}$/.test(timestamp)
  if (!isNumber || !(Math.abs(now - Number(timestamp) * 1000) <= tolerance)) {
    throw new InvalidWebhookError('The header webhook-timestamp is missing or too far from the current time.')
  }

  // Every signature is compared with every key, so that the time doesn't tell which of them matched.
  const bytes = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body)
  const signed = await new Blob([encoder.encode(`${id}.${timestamp}.`), bytes]).arrayBuffer()
  let isValid = false
  for (const key of keys) {
    const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
    const want = 'v1,' + btoa(String.fromCharCode(...digest))
    for (const signature of signatures) isValid = equal(signature, want) || isValid
  }
  if (!isValid) {
    throw new InvalidWebhookError('No signature in the header webhook-signature belongs to this message and secret.')
  }

  return { ...parse(bytes), id }
}

/** Imports the key in a secret. The error doesn't quote the secret. */
async function keyOf(secret: string): Promise<CryptoKey> {
  let key = ''
  if (secret.startsWith(secretPrefix)) {
    try {
      key = atob(secret.slice(secretPrefix.length))
    } catch {
      // It isn't base64.
    }
  }
  if (key === '') throw new TypeError(`The secret of a webhook is ${secretPrefix} and a key in base64.`)

  const bytes = Uint8Array.from(key, (character) => character.charCodeAt(0))
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

/** Returns the value of a header, or '' if it is absent. */
function header(headers: WebhookHeaders, name: string): string {
  // Headers of another implementation of fetch have the method, too.
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? ''
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)
  return [entry?.[1] ?? ''].flat().join(' ')
}

/** Compares two texts in a time that depends on their lengths only. */
function equal(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

function parse(body: Uint8Array): AccountMessage | InterviewMessage {
  let message: Partial<AccountMessage> | null
  try {
    message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Partial<AccountMessage> | null
  } catch (cause) {
    throw new InvalidWebhookError("The body isn't JSON.", { cause })
  }
  if (typeof message?.type !== 'string' || message.data === undefined) {
    throw new InvalidWebhookError("The body isn't a message of the service.")
  }
  return message as AccountMessage
}
