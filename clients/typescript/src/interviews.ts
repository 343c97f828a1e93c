import { ConnectionError, errorInStream } from './errors.js'
import type {
  Failure,
  Interview,
  InterviewAnswer,
  InterviewBegun,
  InterviewListAnswer,
  InterviewQuestion,
  InterviewRequest,
  InterviewSummary,
  InvitationAnswer,
  InvitationLink,
  InvitationRequest,
  Judgement,
  operations,
  ReviewRequest,
} from './schema.js'
import { eventsOf, linesOf } from './streams.js'
import { type Call, type CallOptions, segment, type Transport } from './transport.js'

/** An event of an interview that is conducted in a stream. The last one is the result. */
export type InterviewEvent =
  | { type: 'session'; id: string; data: InterviewBegun }
  | { type: 'question'; id: string; data: InterviewQuestion }
  | { type: 'judgement'; id: string; data: Judgement }
  | { type: 'result'; id: string; data: Interview }

/** The filters of a list of sessions, and `limit`, the size of its pages. */
export type InterviewQuery = Omit<NonNullable<operations['listInterviews']['parameters']['query']>, 'cursor'>

/** How an interview is conducted. */
export interface ConductOptions extends CallOptions {
  /** Makes a call the same as an earlier one with this key. By default, each call has a new key for its attempts. */
  idempotencyKey?: string
}

/** Interviews with freelancers. */
export class Interviews {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Asks questions, or evaluates answers; `mode` says which. */
  async conduct(request: InterviewRequest, options: ConductOptions = {}): Promise<Interview> {
    const { idempotencyKey = crypto.randomUUID(), ...rest } = options
    const answer = await this.#transport.json<InterviewAnswer>({
      method: 'POST',
      path: '/api/v1/interview',
      headers: { 'Idempotency-Key': idempotencyKey },
      json: request,
      repeatable: true,
      ...rest,
    })
    return answer.data
  }

  /**
   * Conducts an interview and yields its events as they happen: the session, questions, judgments, and the result.
   * After a broken connection, the stream continues after the last event. An error of the service rejects.
   */
  async *stream(request: InterviewRequest, options: ConductOptions = {}): AsyncGenerator<InterviewEvent, void> {
    const { idempotencyKey = crypto.randomUUID(), ...rest } = options
    let lastEvent: string | undefined

    for (let failures = 0; ; ) {
      const { response, deadline } = await this.#transport.open({
        method: 'POST',
        path: '/api/v1/interview/stream',
        headers: { 'Idempotency-Key': idempotencyKey, 'Last-Event-ID': lastEvent, Accept: 'text/event-stream' },
        json: request,
        repeatable: true,
        ...rest,
      })

      try {
        for await (const { type, id, data } of eventsOf(linesOf(response, deadline))) {
          const content = JSON.parse(data) as InterviewAnswer | Failure
          if (type === 'error') throw errorInStream(response, content as Failure)

          lastEvent = id
          failures = 0
          yield { type, id, data: type === 'result' ? (content as InterviewAnswer).data : content } as InterviewEvent
          if (type === 'result') return
        }
        throw new ConnectionError('The stream ended without a result.')
      } catch (error) {
        failures++
        if (!(error instanceof ConnectionError) || failures > this.#transport.retries) throw error
      } finally {
        deadline.end()
      }

      await this.#transport.pause(this.#transport.backoff(failures), options.signal)
    }
  }

  /** Yields the sessions of the account without questions and answers, newest first, page after page. */
  async *list(query: InterviewQuery = {}, options: CallOptions = {}): AsyncGenerator<InterviewSummary, void> {
    let cursor: string | null | undefined
    do {
      const page = await this.#transport.json<InterviewListAnswer>({
        method: 'GET',
        path: '/api/v1/interviews',
        query: { ...query, cursor },
        repeatable: true,
        ...options,
      })
      yield* page.data
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  /** Returns a session with its questions, answers and evaluation. */
  async get(id: string, options: CallOptions = {}): Promise<Interview> {
    const call: Call = { method: 'GET', path: path(id), repeatable: true, ...options }
    return (await this.#transport.json<InterviewAnswer>(call)).data
  }

  /** Deletes a session with everything stored about it. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: path(id), repeatable: true, ...options })
  }

  /** Creates a link with which the candidate answers on pages of the service. */
  async invite(id: string, request: InvitationRequest = {}, options: CallOptions = {}): Promise<InvitationLink> {
    const answer = await this.#transport.json<InvitationAnswer>({
      method: 'POST',
      path: path(id) + '/invitation',
      json: request,
      repeatable: false,
      ...options,
    })
    return answer.data
  }

  /** Records the mark that a person gives in place of the judge's. */
  async review(id: string, request: ReviewRequest, options: CallOptions = {}): Promise<Interview> {
    const answer = await this.#transport.json<InterviewAnswer>({
      method: 'POST',
      path: path(id) + '/reviews',
      json: request,
      repeatable: false,
      ...options,
    })
    return answer.data
  }
}

function path(id: string): string {
  return '/api/v1/interviews/' + segment(id)
}
