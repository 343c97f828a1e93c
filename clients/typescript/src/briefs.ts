import type {
  BriefPeople,
  BriefPeopleAnswer,
  operations,
  PersonBriefs,
  PersonBriefsAnswer,
  PersonBriefsRequest,
  SavedBrief,
  SavedBriefAnswer,
  SavedBriefList,
  SavedBriefRequest,
} from './schema.js'
import { type Call, type CallOptions, segment, type Transport } from './transport.js'

/** The size of the pages of saved briefs. */
export type BriefQuery = Omit<NonNullable<operations['listBriefs']['parameters']['query']>, 'cursor'>

/**
 * Saved briefs of the account. The service keeps the list of the best freelancers for each, and tells webhook endpoints
 * who is new on it.
 */
export class Briefs {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Saves a brief. */
  save(request: SavedBriefRequest, options: CallOptions = {}): Promise<SavedBrief> {
    const call: Call = { method: 'POST', path: '/api/v1/briefs', json: request, repeatable: false, ...options }
    return this.#data<SavedBriefAnswer>(call)
  }

  /** Yields the saved briefs in the order of their IDs, page after page. */
  async *all(query: BriefQuery = {}, options: CallOptions = {}): AsyncGenerator<SavedBrief, void> {
    let cursor: string | null | undefined
    do {
      const page: SavedBriefList = await this.#transport.json({
        method: 'GET',
        path: '/api/v1/briefs',
        query: { ...query, cursor },
        repeatable: true,
        ...options,
      })
      yield* page.data
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  /** Returns a saved brief. */
  get(id: string, options: CallOptions = {}): Promise<SavedBrief> {
    return this.#data<SavedBriefAnswer>({ method: 'GET', path: path(id), repeatable: true, ...options })
  }

  /** Changes what the request names. If anything but `name` and `notify` changes, the list starts empty. */
  change(id: string, request: SavedBriefRequest, options: CallOptions = {}): Promise<SavedBrief> {
    const call: Call = { method: 'PATCH', path: path(id), json: request, repeatable: true, ...options }
    return this.#data<SavedBriefAnswer>(call)
  }

  /** Deletes a saved brief with its list. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: path(id), repeatable: true, ...options })
  }

  /** Returns the list of the best freelancers for a saved brief. */
  people(id: string, options: CallOptions = {}): Promise<BriefPeople> {
    return this.#data<BriefPeopleAnswer>({ method: 'GET', path: path(id) + '/people', repeatable: true, ...options })
  }

  /** Ranks the open saved briefs of the account for a freelancer. */
  forFreelancer(id: string, wishes: PersonBriefsRequest = {}, options: CallOptions = {}): Promise<PersonBriefs> {
    const path = '/api/v1/freelancers/' + segment(id) + '/briefs'
    return this.#data<PersonBriefsAnswer>({ method: 'POST', path, json: wishes, repeatable: true, ...options })
  }

  async #data<T extends { data: unknown }>(call: Call): Promise<T['data']> {
    return (await this.#transport.json<T>(call)).data
  }
}

function path(id: string): string {
  return '/api/v1/briefs/' + segment(id)
}
