import { TimeoutError } from './errors.js'

/** A Deadline ends an attempt when its time is up, or when the caller's signal is aborted. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #abort: () => void
  #timer: ReturnType<typeof setTimeout> | undefined

  /** timeout is in milliseconds; 0 is no limit. */
  constructor(
    readonly timeout: number,
    readonly caller: AbortSignal | undefined,
  ) {
    this.#abort = () => this.#controller.abort(caller?.reason)
    if (caller?.aborted) this.#abort()
    caller?.addEventListener('abort', this.#abort)
    this.restart()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Gives the attempt its whole time again. */
  restart(): void {
    clearTimeout(this.#timer)
    if (this.timeout === 0) return

    this.#timer = setTimeout(() => {
      this.#controller.abort(new TimeoutError(`Nothing arrived within ${this.timeout} ms.`))
    }, this.timeout)
  }

  /** Stops the clock while nothing is awaited from the server. */
  rest(): void {
    clearTimeout(this.#timer)
  }

  /** Forgets the attempt, whose response has been read. Its connection can be used again. */
  release(): void {
    clearTimeout(this.#timer)
    this.caller?.removeEventListener('abort', this.#abort)
  }

  /** Ends the attempt, and closes its connection. */
  end(): void {
    this.release()
    this.#controller.abort()
  }
}

/** Waits for some milliseconds. It rejects with the signal's reason when that is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)

    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
