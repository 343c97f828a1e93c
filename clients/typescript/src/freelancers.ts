import type { Deadline } from './deadline.js'
import { ConnectionError, errorInStream } from './errors.js'
import type {
  BulkResult,
  BulkSummary,
  Failure,
  FreelancerAnswer,
  FreelancerChange,
  FreelancerChangeAnswer,
  FreelancerListAnswer,
  FreelancerRecord,
  operations,
  StoredFreelancer,
} from './schema.js'
import { LineBody, linesOf } from './streams.js'
import { type Call, type CallOptions, segment, type Transport } from './transport.js'

type ListParameters = NonNullable<operations['listFreelancers']['parameters']['query']>

/** The filters of a list, and `limit`, the size of its pages. */
export type FreelancerQuery = Omit<ListParameters, 'cursor' | 'unknown'>

/** A line of a bulk change: a record to store, fields to change (with `patch`), or an erasure. */
export type BulkChange = ({ id: string } & FreelancerRecord) | { id: string; deleted: true }

/** How a record is changed. */
export interface ChangeOptions extends CallOptions {
  /** The version that the freelancer must have, or `*` for any. Otherwise, the call rejects with ConflictError. */
  ifMatch?: string
  /** `*` makes the change only if the freelancer does not exist. */
  ifNoneMatch?: '*'
}

/** How a record is stored. */
export interface StoreOptions {
  /** Also accept values as files have them, such as "$25/hr". */
  lenient?: boolean
  /** Also store freelancers who were erased, because they agree to it. */
  readmit?: boolean
  /** The currency of the amounts, such as EUR. */
  currency?: string
}

/** How many records are changed. */
export interface BulkOptions extends StoreOptions, CallOptions {
  /** Lines have only the fields to change. */
  patch?: boolean
}

/** A source of changes: a list, a generator, or a stream. */
export type Source<T> = Iterable<T> | AsyncIterable<T>

/** The records of freelancers. The key needs the permissions `data:read` and `data:write`. */
export class Freelancers {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns a freelancer, with the version of the record. Unknown values are null. */
  async get(id: string, options: CallOptions = {}): Promise<StoredFreelancer> {
    const call: Call = { method: 'GET', path: path(id), query: { unknown: 'null' }, repeatable: true, ...options }
    return (await this.#transport.json<FreelancerAnswer>(call)).data
  }

  /** Creates or replaces a freelancer. */
  put(id: string, record: FreelancerRecord, options: ChangeOptions & StoreOptions = {}): Promise<FreelancerChange> {
    return this.#change('PUT', id, record, options)
  }

  /** Changes the fields that the record has. A null makes a field unknown. */
  patch(
    id: string,
    record: FreelancerRecord,
    options: ChangeOptions & Pick<StoreOptions, 'lenient'> = {},
  ): Promise<FreelancerChange> {
    return this.#change('PATCH', id, record, options)
  }

  /** Erases a freelancer with everything stored about the person. Later loads leave the person out. */
  erase(id: string, options: ChangeOptions = {}): Promise<FreelancerChange> {
    return this.#change('DELETE', id, undefined, options)
  }

  /** Yields all freelancers that pass the filters, page after page. */
  async *list(query: FreelancerQuery = {}, options: CallOptions = {}): AsyncGenerator<StoredFreelancer, void> {
    let cursor: string | null | undefined
    do {
      const call: Call = {
        method: 'GET',
        path: '/api/v1/freelancers',
        query: { ...query, cursor, unknown: 'null' },
        repeatable: true,
        ...options,
      }
      const page = await this.#transport.json<FreelancerListAnswer>(call)
      yield* page.data
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  /**
   * Makes many changes in one stream and yields a result for each, in the same order, while further changes are sent.
   * A change that fails has the outcome `failed` and affects no other. When the stream ends early, the last changes
   * without a result may have been made; it is safe to send them again.
   *
   * The changes are sent as they are read, which needs Node.js or another runtime that sends streams. With `mapping`,
   * they are in the shape of your own data, and a mapping file on the server says how to read them.
   */
  bulk(changes: Source<BulkChange>, options?: BulkOptions): AsyncGenerator<BulkResult, void>
  bulk(changes: Source<object>, options: BulkOptions & { mapping: string }): AsyncGenerator<BulkResult, void>
  async *bulk(changes: Source<object>, options: BulkOptions & { mapping?: string } = {}) {
    const { patch, lenient, readmit, currency, mapping, ...rest } = options
    const lines = new LineBody(changes, (milliseconds, signal) => this.#transport.pause(milliseconds, signal))
    let deadline: Deadline | undefined
    try {
      const answer = await this.#transport.open({
        method: 'POST',
        path: '/api/v1/freelancers/bulk',
        query: { patch, lenient, readmit, currency, mapping },
        headers: { 'Content-Type': 'application/x-ndjson', Accept: 'application/x-ndjson' },
        body: lines.stream,
        repeatable: false,
        timeout: 0, // the source of the changes may be slow
        ...rest,
      })

      lines.begin()
      deadline = answer.deadline
      for await (const line of linesOf(answer.response, deadline)) {
        const result = JSON.parse(line) as BulkResult | BulkSummary | Failure
        if ('outcome' in result) {
          lines.answered()
          yield result
          continue
        }
        if ('error' in result) throw errorInStream(answer.response, result)
        return
      }
      throw new ConnectionError('The stream ended before all changes had a result.')
    } catch (error) {
      lines.throwIfFailed()
      throw error
    } finally {
      deadline?.end()
    }
  }

  async #change(
    method: 'PUT' | 'PATCH' | 'DELETE',
    id: string,
    json: FreelancerRecord | undefined,
    options: ChangeOptions & StoreOptions,
  ): Promise<FreelancerChange> {
    const { ifMatch, ifNoneMatch, lenient, readmit, currency, ...rest } = options
    const answer = await this.#transport.json<FreelancerChangeAnswer>({
      method,
      path: path(id),
      query: { lenient, readmit, currency },
      headers: {
        'If-Match': ifMatch === undefined || ifMatch === '*' ? ifMatch : `"${ifMatch}"`,
        'If-None-Match': ifNoneMatch,
      },
      json,
      // If the response to a conditional change is lost, a second attempt would be refused: the version is a new one.
      repeatable: ifMatch === undefined && ifNoneMatch === undefined,
      ...rest,
    })
    return answer.data
  }
}

function path(id: string): string {
  return '/api/v1/freelancers/' + segment(id)
}
