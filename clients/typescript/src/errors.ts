import type { Failure, FieldError } from './schema.js'

/** Any error of the client itself. An aborted request rejects with the reason of its signal instead. */
export class MatchingError extends Error {
  override name = 'MatchingError'
}

/** There was no complete response: no connection, a broken one, or none within the time limit. */
export class ConnectionError extends MatchingError {
  override name = 'ConnectionError'
}

/** An attempt took longer than its time limit. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

/** What an error response says. */
export interface ErrorFacts {
  code: string
  message: string
  details: FieldError[]
  status: number
  requestId: string
  retryAfter: number | undefined
}

/** The service responded with an error. Decide by `code`, which is stable; `message` explains how to solve it. */
export class ApiError extends MatchingError {
  override name = 'ApiError'
  readonly code: string
  /** The invalid fields of the request. */
  readonly details: FieldError[]
  /** The HTTP status. An error inside a stream has the one that its code has elsewhere, or that of the stream, 200. */
  readonly status: number
  readonly requestId: string
  /** The seconds to wait before a retry, if the service named them. */
  readonly retryAfter: number | undefined

  constructor(facts: ErrorFacts) {
    super(facts.message)
    this.code = facts.code
    this.details = facts.details
    this.status = facts.status
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
  }
}

/** The key is missing, unknown, expired or revoked: 401. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}

/** The key may not do this: 403. */
export class PermissionError extends ApiError {
  override name = 'PermissionError'
}

/** There is no such freelancer, session, load, webhook or operation: 404. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** The present state forbids the request, such as another version of a freelancer: 409 or 412. */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}

/** Changes that far back are no longer kept: 410. Read all freelancers again. */
export class CursorExpiredError extends ApiError {
  override name = 'CursorExpiredError'
}

/** The request or its file is invalid: 400, 413, 415 or 422. `details` names the fields. */
export class ValidationError extends ApiError {
  override name = 'ValidationError'
}

/** A limit is used up: 429. `retryAfter` says for how long. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError'
}

/** The service, or something that it needs, has a problem: 5xx. */
export class ServerError extends ApiError {
  override name = 'ServerError'
}

const classes: Record<number, typeof ApiError> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: CursorExpiredError,
  412: ConflictError,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
}

// The statuses of errors that end streams.
const statuses: Record<string, number> = {
  revoked_api_key: 401,
  expired_api_key: 401,
  disabled_api_key: 401,
  permission_required: 403,
  cursor_expired: 410,
  body_too_large: 413,
  validation_failed: 422,
  quota_exceeded: 429,
  change_limit_exceeded: 429,
  internal: 500,
  overloaded: 503,
  not_processed: 503,
  engine_timeout: 504,
}

/** Returns the error that a line or an event of a stream contains. */
export function errorInStream(response: Response, body: Failure): ApiError {
  return errorOf({ status: statuses[body.error.code] ?? response.status, headers: response.headers }, body)
}

/** Returns the error of a response. body is its decoded JSON, or anything else, such as the page of a proxy. */
export function errorOf({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown): ApiError {
  const failure = body as { error?: Partial<ErrorFacts>; request_id?: string } | null | undefined
  const seconds = Number.parseInt(headers.get('Retry-After') ?? '', 10)
  const kind = classes[status] ?? (status >= 500 ? ServerError : ApiError)

  return new kind({
    code: failure?.error?.code ?? 'unexpected_response',
    message: failure?.error?.message ?? `The server responded with status ${status} and without an error of the API.`,
    details: failure?.error?.details ?? [],
    status,
    requestId: failure?.request_id ?? headers.get('X-Request-Id') ?? '',
    retryAfter: Number.isNaN(seconds) ? undefined : seconds,
  })
}
