import { Briefs } from './briefs.js'
import { Changes } from './changes.js'
import { Freelancers } from './freelancers.js'
import { Interviews } from './interviews.js'
import { Loads } from './loads.js'
import { Resumes } from './resumes.js'
import type {
  BriefResult,
  BrowserToken,
  BrowserTokenAnswer,
  BrowserTokenRequest,
  Event,
  EventsAnswer,
  ExplainAnswer,
  ExplainRequest,
  HealthAnswer,
  Match,
  MatchAnswer,
  MatchBatchAnswer,
  MatchRequest,
  Me,
  MeAnswer,
  operations,
  RecordedEvents,
  Standing,
  Teams,
  TeamsAnswer,
  TeamsRequest,
  TestDataAnswer,
  TestRecord,
  Unhealthy,
  Verification,
  VerifySkillAnswer,
} from './schema.js'
import {
  type Call,
  type CallOptions,
  type ClientOptions,
  type DocumentFile,
  formOf,
  type Query,
  type RateLimit,
  segment,
  Transport,
} from './transport.js'
import { Webhooks } from './webhooks.js'

/** The filters of a search for similar freelancers, and its page. */
export type SimilarQuery = Omit<NonNullable<operations['similarFreelancers']['parameters']['query']>, 'unknown'>

/** The parameters of generated records. */
export type TestDataQuery = Omit<NonNullable<operations['generateTestData']['parameters']['query']>, 'format'>

const unknown: Query = { unknown: 'null' }

/**
 * A client of the freelancer matching service. Use one for all requests of a program: it remembers which host works,
 * and connections are used again. Unknown values of freelancers are null.
 *
 * Requests that do no harm when they are repeated are sent again after a failed connection, 502, 503 and 504, and all
 * requests but streams after 429, after the time in `Retry-After`.
 */
export class Client {
  readonly changes: Changes
  readonly freelancers: Freelancers
  readonly interviews: Interviews
  readonly loads: Loads
  readonly resumes: Resumes
  readonly webhooks: Webhooks
  readonly briefs: Briefs
  readonly #transport: Transport

  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(options)
    this.changes = new Changes(this.#transport)
    this.freelancers = new Freelancers(this.#transport)
    this.interviews = new Interviews(this.#transport)
    this.loads = new Loads(this.#transport)
    this.resumes = new Resumes(this.#transport)
    this.webhooks = new Webhooks(this.#transport)
    this.briefs = new Briefs(this.#transport)
  }

  /** The requests that remain according to the last response, or undefined on an unlimited plan. */
  get rateLimit(): RateLimit | undefined {
    return this.#transport.rateLimit
  }

  /** Returns the best freelancers for a brief, one page of them. */
  match(brief: MatchRequest, options: CallOptions = {}): Promise<MatchAnswer> {
    return this.#post('/api/v1/match', brief, options, unknown)
  }

  /** Yields the matches of all pages that the plan allows, best first. `limit` is the size of a page. */
  async *matches(brief: MatchRequest, options: CallOptions = {}): AsyncGenerator<Match, void> {
    let offset = brief.offset
    do {
      const page = await this.match({ ...brief, offset }, options)
      yield* page.matches
      offset = page.next_offset
    } while (offset !== null)
  }

  /** Matches up to 100 briefs and returns a result for each: matches, or a failure with the status `error`. */
  async matchBatch(briefs: MatchRequest[], options: CallOptions = {}): Promise<BriefResult[]> {
    return (await this.#post<MatchBatchAnswer>('/api/v1/match/batch', { briefs }, options, unknown)).data.results
  }

  /** Matches a brief in a document, such as a PDF. `brief` has what the document doesn't say, such as filters. */
  matchDocument(file: DocumentFile, brief: MatchRequest = {}, options: CallOptions = {}): Promise<MatchAnswer> {
    const body = formOf(file, brief)
    const call: Call = { method: 'POST', path: '/api/v1/match/document', query: unknown, body, repeatable: true }
    return this.#transport.json({ ...call, ...options })
  }

  /** Returns where a freelancer ranks for a brief, and why. */
  async explain(request: ExplainRequest, options: CallOptions = {}): Promise<Standing> {
    return (await this.#post<ExplainAnswer>('/api/v1/match/explain', request, options, unknown)).data
  }

  /** Returns teams of freelancers for a brief with one budget, and says who brings what and what is missing. */
  async teams(request: TeamsRequest, options: CallOptions = {}): Promise<Teams> {
    return (await this.#post<TeamsAnswer>('/api/v1/teams', request, options, unknown)).data
  }

  /** Returns the freelancers who are most like another one. */
  similar(id: string, query: SimilarQuery = {}, options: CallOptions = {}): Promise<MatchAnswer> {
    return this.#get(`/api/v1/freelancers/${segment(id)}/similar`, options, { ...query, ...unknown })
  }

  /** Resolves a word to a skill or a job title, with spelling suggestions. */
  async verifySkill(keyword: string, options: CallOptions = {}): Promise<Verification> {
    return (await this.#post<VerifySkillAnswer>('/api/v1/verify-skill', { keyword }, options)).data
  }

  /** Reports what became of matched freelancers, such as that one was hired. */
  async recordEvents(events: Event[], options: CallOptions = {}): Promise<RecordedEvents> {
    return (await this.#post<EventsAnswer>('/api/v1/events', { events }, options)).data
  }

  /** Returns invented freelancers. */
  async generateTestData(query: TestDataQuery = {}, options: CallOptions = {}): Promise<TestRecord[]> {
    return (await this.#get<TestDataAnswer>('/api/v1/generate-test-data', options, query)).data
  }

  /** Returns the plan, the permissions and the remaining limits of the key. It doesn't count as a request. */
  async me(options: CallOptions = {}): Promise<Me> {
    return (await this.#get<MeAnswer>('/api/v1/me', options)).data
  }

  /** Returns a token with which pages of some origins may match, and do nothing else. The API key stays secret. */
  async createBrowserToken(token: BrowserTokenRequest, options: CallOptions = {}): Promise<BrowserToken> {
    return (await this.#post<BrowserTokenAnswer>('/api/v1/browser-tokens', token, options)).data
  }

  /** Returns the state of each component. It doesn't count as a request. An unhealthy service is an answer, too. */
  health(options: CallOptions = {}): Promise<HealthAnswer | Unhealthy> {
    return this.#transport.json({ method: 'GET', path: '/api/v1/health', repeatable: true, accepts: 503, ...options })
  }

  #get<T>(path: string, options: CallOptions, query?: Query): Promise<T> {
    return this.#transport.json({ method: 'GET', path, query, repeatable: true, ...options })
  }

  /** Sends a request that changes nothing, or that the service recognizes when it is repeated. */
  #post<T>(path: string, json: unknown, options: CallOptions, query?: Query): Promise<T> {
    return this.#transport.json({ method: 'POST', path, query, json, repeatable: true, ...options })
  }
}
