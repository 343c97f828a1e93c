import type { Load, LoadAnswer, LoadOptions } from './schema.js'
import { blobOf, type Call, type CallOptions, type DocumentFile, segment, type Transport } from './transport.js'

/** The parameters of an upload. */
export interface CreateLoadOptions extends CallOptions {
  /** The name of the file, for display. */
  name?: string
  /** `load`, the default, replaces all freelancers; `upsert` adds those of the file, or replaces them by ID. */
  mode?: LoadOptions['mode']
  /** The currency of all amounts, such as EUR. */
  currency?: string
}

/** Files with freelancers. Nothing changes before a load is published. The key needs the permission `data:write`. */
export class Loads {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Uploads a file: CSV, NDJSON, JSON, XLSX or Parquet. The service reads it afterward; `wait` returns what it found.
   * In Node.js, `openAsBlob(path)` gives a file that isn't read into memory. Streams need a runtime that sends them.
   */
  create(file: DocumentFile | ReadableStream<Uint8Array>, options: CreateLoadOptions = {}): Promise<Load> {
    const { name = file instanceof Blob && 'name' in file ? String(file.name) : undefined, mode, currency, ...rest } =
      options
    return this.#load({
      method: 'POST',
      path: '/api/v1/loads',
      query: { name, mode, currency },
      headers: { 'Content-Type': 'application/octet-stream' },
      body: file instanceof ReadableStream ? file : blobOf(file),
      repeatable: false,
      timeout: 0, // a large file takes as long as the network needs
      ...rest,
    })
  }

  /** Returns the state of a load and, once the file was read, what publishing it would change. */
  get(id: string, options: CallOptions = {}): Promise<Load> {
    return this.#load({ method: 'GET', path: path(id), repeatable: true, ...options })
  }

  /** Waits until the service has read the file, or published it, and returns the load then. */
  async wait(id: string, options: CallOptions & { interval?: number } = {}): Promise<Load> {
    const { interval = 1000, ...rest } = options
    for (;;) {
      const load = await this.get(id, rest)
      if (load.state !== 'reading' && load.state !== 'publishing') return load
      await this.#transport.pause(interval, options.signal)
    }
  }

  /** Changes how the file is read, such as which column is which field, and has it read again. */
  changeMapping(id: string, request: LoadOptions, options: CallOptions = {}): Promise<Load> {
    return this.#load({ method: 'PUT', path: path(id) + '/mapping', json: request, repeatable: true, ...options })
  }

  /** Starts to make the freelancers of the file live; `wait` returns the outcome. */
  publish(id: string, options: CallOptions & { allowShrink?: boolean } = {}): Promise<Load> {
    const { allowShrink, ...rest } = options
    const query = { allow_shrink: allowShrink }
    return this.#load({ method: 'POST', path: path(id) + '/publish', query, repeatable: false, ...rest })
  }

  /** Makes the freelancers live again that the load replaced. */
  rollBack(id: string, options: CallOptions = {}): Promise<Load> {
    return this.#load({ method: 'POST', path: path(id) + '/rollback', repeatable: false, ...options })
  }

  /** Removes a load that isn't published. */
  async cancel(id: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: path(id), repeatable: true, ...options })
  }

  async #load(call: Call): Promise<Load> {
    return (await this.#transport.json<LoadAnswer>(call)).data
  }
}

function path(id: string): string {
  return '/api/v1/loads/' + segment(id)
}
