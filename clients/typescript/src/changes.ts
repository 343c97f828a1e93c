import { ConnectionError, errorInStream } from './errors.js'
import type { ChangeListAnswer, Failure, FeedChange } from './schema.js'
import { eventsOf, linesOf } from './streams.js'
import { type CallOptions, demandedWait, isTransient, type Transport } from './transport.js'

// The number of changes on the largest page.
const maxPage = 1000

// How often a stream connects again, for each retry that the options allow: often enough for a server that restarts.
const persistence = 5

/**
 * Which freelancers have changed, for copies of their records. Ask for the cursor, read all freelancers, and then list
 * or stream the changes after it. Read all freelancers again after a change of the kind `index.replaced`, and after a
 * `CursorExpiredError`. The key needs the permission `data:read`.
 */
export class Changes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns the cursor after which changes from now on come. */
  async cursor(options: CallOptions = {}): Promise<string> {
    return (await this.#page(undefined, options)).next_cursor
  }

  /**
   * Yields the changes after a cursor, in their order, and ends after the newest one. The sequence of a change is a
   * cursor, too, and 0 is the beginning of all changes that are kept.
   */
  async *list(cursor: string | number, options: CallOptions = {}): AsyncGenerator<FeedChange, void> {
    for (let isLast = false; !isLast; ) {
      const page = await this.#page(cursor, options)
      yield* page.data
      cursor = page.next_cursor
      isLast = !page.has_more
    }
  }

  /**
   * Yields the changes after a cursor, by default from now on, and then further ones as they happen. It ends only with
   * the loop, `signal` or an error: when the server ends a connection, as it does after an hour, or when it breaks, the
   * client connects again and continues after the last change.
   */
  async *stream(cursor?: string | number, options: CallOptions = {}): AsyncGenerator<FeedChange, void> {
    // Without a cursor to continue from, changes would be missed after a broken connection.
    let after = cursor ?? (await this.cursor(options))

    for (let failures = 0; ; ) {
      let demanded = 0
      try {
        const { response, deadline } = await this.#transport.open({
          method: 'GET',
          path: '/api/v1/changes/stream',
          query: { cursor: after },
          headers: { Accept: 'text/event-stream' },
          repeatable: true,
          ...options,
        })

        try {
          // A comment is progress, too: there may be no changes for hours.
          const lines = observed(linesOf(response, deadline), () => (failures = 0))
          for await (const { type, id, data } of eventsOf(lines)) {
            if (type === 'error') throw errorInStream(response, JSON.parse(data) as Failure)
            if (type !== 'change') continue
            after = id
            yield JSON.parse(data) as FeedChange
          }
        } finally {
          deadline.end()
        }
        throw new ConnectionError('The stream ended.')
      } catch (error) {
        failures++
        demanded = demandedWait(error)
        const mayContinue =
          isTransient(error, true) &&
          demanded <= this.#transport.maxWait &&
          failures <= Math.max(1, persistence * this.#transport.retries)
        if (!mayContinue) throw error
      }

      await this.#transport.pause(Math.max(demanded, this.#transport.backoff(failures)), options.signal)
    }
  }

  #page(cursor: string | number | undefined, options: CallOptions): Promise<ChangeListAnswer> {
    const query = cursor === undefined ? {} : { cursor, limit: maxPage }
    return this.#transport.json({ method: 'GET', path: '/api/v1/changes', query, repeatable: true, ...options })
  }
}

/** Yields values, and calls a function for each. */
async function* observed<T>(values: AsyncIterable<T>, note: () => void): AsyncGenerator<T> {
  for await (const value of values) {
    note()
    yield value
  }
}
