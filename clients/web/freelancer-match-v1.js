// <freelancer-match>: a form for a brief and the freelancers who match it, for the pages of a marketplace.
//
//   <script type="module" src="https://match.example.com/assets/freelancer-match-v1.js"></script>
//   <freelancer-match token-url="/match-token"></freelancer-match>
//
// Attributes: token-url (an address of your backend that returns a browser token) or token; url (the matching service,
// by default the server of this file); limit; fields; theme; description and skills (to begin with).
// Events: match, select and failure. Everything from profiles is shown as text, never as HTML.

const styles = `
:host {
  --_color: var(--fm-color, #1b1f27); --_muted: var(--fm-muted, #545c6b);
  --_background: var(--fm-background, #fff);
  --_border: var(--fm-border, #767e8d); --_accent: var(--fm-accent, #1a56c4); --_on-accent: var(--fm-on-accent, #fff);
  --_error: var(--fm-error, #a5171c); --_radius: var(--fm-radius, 8px);
  display: block; container-type: inline-size; color-scheme: light;
  color: var(--_color); background: var(--_background);
  font: var(--fm-font, 16px/1.5 system-ui, sans-serif);
}
@media (prefers-color-scheme: dark) { :host(:not([theme="light"])) { DARK } }
:host([theme="dark"]) { DARK }
:host([hidden]), [hidden] { display: none !important }
*, ::before { box-sizing: border-box }
form { display: grid; gap: 12px }
.row { display: grid; gap: 12px }
@container (min-width: 560px) { .row { grid-template-columns: 2fr 1fr } }
label { display: grid; gap: 4px; font-weight: 600 }
small, .muted { color: var(--_muted); font-size: .875em; font-weight: 400 }
input, textarea, button {
  font: inherit; color: inherit; background: transparent; border: 1px solid var(--_border);
  border-radius: var(--_radius); padding: 8px 12px; width: 100%; min-height: 44px;
}
input, textarea { font-weight: 400 }
textarea { min-height: 6em; resize: vertical }
button { width: auto; cursor: pointer; font-weight: 600 }
button.main { color: var(--_on-accent); background: var(--_accent); border-color: var(--_accent); justify-self: start }
button[aria-disabled="true"] { opacity: .6; cursor: progress }
:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px }
.status { margin: 12px 0; min-height: 1.5em }
.error { color: var(--_error); border-left: 4px solid; padding-left: 12px }
ol { list-style: none; margin: 0; padding: 0; display: grid; gap: 12px }
li.match {
  display: grid; grid-template-columns: 56px minmax(0, 1fr); gap: 4px 16px; padding: 16px;
  border: 1px solid var(--_border); border-radius: var(--_radius); overflow-wrap: anywhere;
}
svg { width: 56px; height: 56px }
svg circle { fill: none; stroke: var(--_border); stroke-opacity: .35; stroke-width: 4 }
svg circle.part { stroke: var(--_accent); stroke-opacity: 1; transform: rotate(-90deg); transform-origin: center }
svg text { fill: currentColor; font-size: 13px; font-weight: 700; text-anchor: middle; dominant-baseline: central }
h3, p { margin: 0 }
h3 { font-size: 1.125em }
.facts, .skills { display: flex; flex-wrap: wrap; gap: 4px 12px; padding: 0; margin: 4px 0; list-style: none }
.skills li::before { content: "✓ "; color: var(--_accent) }
.skills li.missing::before { content: "– "; color: var(--_muted) }
.actions { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; margin-top: 8px }
summary { cursor: pointer; min-height: 24px }
details ul { margin: 4px 0; padding-left: 20px }
a { color: var(--_accent) }
.more { margin-top: 12px }
`.replaceAll('DARK', `
  --_color: var(--fm-color, #e9ebf0); --_muted: var(--fm-muted, #aab2c0);
  --_background: var(--fm-background, #14171d);
  --_border: var(--fm-border, #808999); --_accent: var(--fm-accent, #8fb6ff);
  --_on-accent: var(--fm-on-accent, #0b1020); --_error: var(--fm-error, #ff9c98); color-scheme: dark;`)

// The words of the element. Set `texts` to some of them to replace these.
const english = {
  description: 'What is the work?',
  skills: 'Skills',
  skillsHelp: 'Separated by commas',
  budget: 'Budget up to',
  submit: 'Find freelancers',
  empty: 'Describe the work, or name a skill.',
  searching: 'Searching …',
  found: (n) => (n === 1 ? 'Showing 1 freelancer.' : `Showing ${n} freelancers.`),
  nobody: 'No freelancer matches. Describe the work in other words, or name fewer skills.',
  suggestions: (skill, names) => `“${skill}” is unknown. Did you mean ${names.join(' or ')}?`,
  matches: 'Matching freelancers',
  nameless: 'Freelancer',
  score: (points, level) => `Score ${points} of 100, ${level}`,
  years: (n) => (n === 1 ? '1 year of experience' : `${n} years of experience`),
  rating: (n) => `rated ${n} of 5`,
  rate: (n, currency) => `${n} ${currency} per hour`.replace('  ', ' '),
  available: (is) => (is ? 'available' : 'not available'),
  missing: 'missing',
  has: 'has',
  reasons: 'Why this score?',
  profile: 'Profile',
  newTab: 'opens in a new tab',
  select: 'Select',
  more: 'Show more',
  expired: 'This page has been open for too long. Reload it.',
  busy: (seconds) => `Too many searches. Try again in ${seconds} s.`,
  unreachable: 'The search could not be reached. Check your connection, and try again.',
  failed: 'The search failed. Try again later.',
}

const timeout = 30_000 // milliseconds of a request
const earlier = 30_000 // how many milliseconds before its end a token is replaced

/** A Failure is an error that the element shows. */
class Failure extends Error {
  constructor(message, code, status = 0) {
    super(message)
    this.code = code
    this.status = status
  }
}

/** Returns an element with properties or attributes, and children. Children that are strings are text. */
function create(name, properties = {}, ...children) {
  const svg = ['svg', 'circle', 'text'].includes(name)
  const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue
    if (key === 'on') for (const [event, handle] of Object.entries(value)) element.addEventListener(event, handle)
    else element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...children.filter((child) => child !== undefined && child !== ''))
  return element
}

/** Returns an address if it leads to a web page: a profile may contain javascript:. */
function webAddress(text) {
  try {
    const address = new URL(text)
    return ['http:', 'https:'].includes(address.protocol) ? address.href : undefined
  } catch {
    return undefined
  }
}

export class FreelancerMatch extends HTMLElement {
  static observedAttributes = ['token', 'token-url', 'url']

  /** Words that replace the English ones, such as {submit: 'Suchen'}. Set it before the element is shown. */
  texts = {}

  #root = this.attachShadow({ mode: 'open' })
  #built = false
  #token // {token, ends} of the address token-url
  #request // the AbortController of the search that runs
  #brief // of the matches that are shown
  #form
  #status
  #problem
  #list
  #more

  connectedCallback() {
    if (this.#built) return
    this.#built = true
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    this.#root.adoptedStyleSheets = [sheet]
    this.#build()
  }

  disconnectedCallback() {
    this.#request?.abort()
  }

  attributeChangedCallback() {
    this.#token = undefined
  }

  /** Searches with a brief as POST /api/v1/match accepts it. Without one, it takes what the form says. */
  async search(brief = this.#readForm()) {
    if (!brief.description && !brief.required_skills?.length) {
      this.#showProblem(this.#text('empty'))
      this.#form.elements.description?.focus()
      return
    }
    this.#list.replaceChildren()
    await this.#load({ limit: Number(this.getAttribute('limit')) || 5, explain: true, ...brief }, 0)
  }

  #text(name, ...values) {
    const text = this.texts[name] ?? english[name]
    return typeof text === 'function' ? text(...values) : text
  }

  #build() {
    const shown = (this.getAttribute('fields') ?? 'description skills budget').split(/[\s,]+/)
    const field = (name, control, help) =>
      shown.includes(name)
        ? create('label', { part: 'label' }, create('span', {}, this.#text(name), help ? ' ' : '', help ?? ''), control)
        : undefined
    const input = (name, more) => create('input', { name, part: 'input', autocomplete: 'off', ...more })

    const description = create('textarea', { name: 'description', part: 'input', maxlength: 20000 })
    description.value = this.getAttribute('description') ?? ''
    const skills = input('skills', { value: this.getAttribute('skills') ?? '' })
    const budget = input('budget', { type: 'number', min: 0, step: 'any', inputmode: 'decimal' })

    this.#form = create(
      'form',
      { part: 'form', novalidate: true, on: { submit: (event) => this.#submit(event) } },
      field('description', description),
      create('div', { class: 'row' },
        field('skills', skills, create('small', {}, this.#text('skillsHelp'))), field('budget', budget)),
      create('button', { class: 'main', part: 'button submit' }, this.#text('submit')),
    )
    this.#status = create('p', { class: 'status muted', part: 'status', role: 'status' })
    this.#problem = create('p', { class: 'error', part: 'error', role: 'alert', hidden: true })
    this.#list = create('ol', { part: 'matches', 'aria-label': this.#text('matches') })
    const more = { class: 'more', part: 'button more', type: 'button', hidden: true }
    this.#more = create('button', more, this.#text('more'))
    this.#root.replaceChildren(this.#form, this.#status, this.#problem, this.#list, this.#more)
  }

  #submit(event) {
    event.preventDefault()
    if (this.#form.getAttribute('aria-busy') !== 'true') this.search()
  }

  #readForm() {
    const value = (name) => this.#form.elements[name]?.value.trim() ?? ''
    const brief = { description: value('description') }
    const skills = value('skills').split(/[,;\n]/).map((skill) => skill.trim()).filter(Boolean)
    if (skills.length > 0) brief.required_skills = skills.slice(0, 50)
    const budget = Number(value('budget'))
    if (budget > 0) brief.budget_range = [0, budget]
    return brief
  }

  /** Loads a page of matches and shows them after those that are there. */
  async #load(brief, offset) {
    this.#request?.abort()
    const request = new AbortController()
    this.#request = request
    this.#brief = brief
    this.#setBusy(true)

    try {
      const answer = await this.#match({ ...brief, offset }, request.signal)
      if (request.signal.aborted) return
      this.#show(answer, offset)
      this.#emit('match', { brief, answer })
    } catch (error) {
      if (request.signal.aborted) return
      const failure = error instanceof Failure ? error : new Failure(this.#text('unreachable'), 'unreachable')
      this.#status.textContent = ''
      this.#showProblem(failure.message)
      this.#emit('failure', { code: failure.code, status: failure.status, message: failure.message })
    } finally {
      if (this.#request === request) this.#setBusy(false)
    }
  }

  #setBusy(busy) {
    this.#form.setAttribute('aria-busy', busy)
    this.#list.setAttribute('aria-busy', busy)
    for (const button of [this.#form.querySelector('button'), this.#more]) button.setAttribute('aria-disabled', busy)
    if (!busy) return
    this.#problem.hidden = true
    this.#more.hidden = true
    this.#status.textContent = this.#text('searching')
  }

  #showProblem(message) {
    this.#problem.hidden = false
    this.#problem.textContent = message
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
  }

  /** Sends a brief. If the server doesn't accept the token, it gets a new one and tries once more. */
  async #match(brief, signal) {
    const retries = this.hasAttribute('token-url')
    for (let attempt = 1; ; attempt++) {
      const token = await this.#currentToken(signal, attempt > 1)
      const isLast = !retries || attempt > 1

      // The browser doesn't show the page a response that says nothing about its origin, as to an invalid token.
      const response = await this.#send(brief, token, signal).catch((error) => {
        if (isLast || signal.aborted) throw error
      })
      if (response?.ok) return await response.json()
      if (isLast || (response && response.status !== 401)) throw await this.#failureOf(response)
    }
  }

  #send(brief, token, signal) {
    return fetch(this.#address(), {
      method: 'POST', credentials: 'omit', referrerPolicy: 'origin',
      headers: { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' },
      body: JSON.stringify(brief), signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    })
  }

  #address() {
    const server = this.getAttribute('url') || import.meta.url
    return new URL('/api/v1/match?unknown=null', new URL(server, location.href))
  }

  async #currentToken(signal, renew) {
    const address = this.getAttribute('token-url')
    if (!address) return this.getAttribute('token') ?? ''
    if (!renew && this.#token && Date.now() < this.#token.ends - earlier) return this.#token.token

    const response = await fetch(address, {
      method: 'POST', credentials: 'same-origin', signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    })
    if (!response.ok) throw new Failure(this.#text('failed'), 'token_not_created', response.status)

    // Both are accepted: the data of the response of POST /api/v1/browser-tokens, and the whole response.
    const body = await response.json()
    const { token, expires_at: end } = body.data ?? body
    this.#token = { token, ends: Date.parse(end) || Date.now() }
    return token
  }

  async #failureOf(response) {
    const { error } = await response.json().catch(() => ({}))
    const code = error?.code ?? 'failed'
    const wait = response.headers.get('Retry-After')
    let message = this.#text('failed')
    if (response.status === 401) message = this.#text('expired')
    else if (response.status === 429 && wait) message = this.#text('busy', wait)
    else if (response.status === 422) message = error?.details?.[0]?.message ?? error?.message ?? message
    return new Failure(message, code, response.status)
  }

  #show(answer, offset) {
    const items = answer.matches.map((match) => this.#item(match, answer))
    this.#list.append(...items)
    const notes = answer.unknown_skills
      .filter((unknown) => unknown.suggestions.length > 0)
      .map((unknown) => this.#text('suggestions', unknown.skill, unknown.suggestions))
    const all = this.#list.children.length
    this.#status.textContent = [all > 0 ? this.#text('found', all) : this.#text('nobody'), ...notes].join(' ')

    const next = answer.next_offset
    this.#more.hidden = next === null
    this.#more.onclick = () => {
      if (this.#form.getAttribute('aria-busy') !== 'true') this.#load(this.#brief, next)
    }
    // The button that was pressed has moved, or is gone.
    if (offset > 0) items[0]?.querySelector('button').focus()
  }

  #item(match, answer) {
    const { freelancer } = match
    const points = Math.round(match.score * 100)
    const name = freelancer.name || freelancer.job_title || this.#text('nameless')
    const rate = freelancer.hourly_rate
    const facts = [
      freelancer.experience !== null && this.#text('years', freelancer.experience),
      freelancer.rating !== null && this.#text('rating', freelancer.rating),
      rate !== null && this.#text('rate', rate, answer.hourly_rate_currency ?? ''),
      freelancer.availability !== null && this.#text('available', freelancer.availability),
    ].filter(Boolean)
    const skill = (text, has) => {
      const label = `${text}: ${this.#text(has ? 'has' : 'missing')}`
      return create('li', { class: has ? '' : 'missing', 'aria-label': label }, text)
    }
    const reasons = (match.explanation ?? []).map((feature) => create('li', {}, feature.summary))
    const profile = webAddress(freelancer.profile_url)

    return create(
      'li',
      { class: 'match', part: 'match' },
      this.#picture(points, match.level),
      create(
        'div',
        {},
        create('h3', { part: 'name' }, name),
        name === freelancer.job_title ? undefined : create('p', { part: 'title' }, freelancer.job_title ?? ''),
        create('ul', { class: 'facts muted', part: 'facts' }, ...facts.map((fact) => create('li', {}, fact))),
        create('ul', { class: 'skills', part: 'skills' },
          ...match.matched_skills.map((text) => skill(text, true)),
          ...match.missing_skills.map((text) => skill(text, false))),
        reasons.length > 0
          ? create('details', { part: 'reasons' },
            create('summary', {}, this.#text('reasons')), create('ul', {}, ...reasons))
          : undefined,
        create(
          'div',
          { class: 'actions' },
          create('button', {
            type: 'button', part: 'button select', 'aria-label': `${this.#text('select')}: ${name}`,
            on: { click: () => this.#emit('select', { match }) },
          }, this.#text('select')),
          profile && create('a', {
            href: profile, target: '_blank', rel: 'noopener noreferrer nofollow', part: 'profile',
            'aria-label': `${this.#text('profile')}: ${name}, ${this.#text('newTab')}`,
          }, this.#text('profile')),
        ),
      ),
    )
  }

  /** Returns a ring that is filled as far as the score, with the score in it. */
  #picture(points, level) {
    const ring = { cx: 20, cy: 20, r: 18, pathLength: 100 }
    return create(
      'svg',
      { viewBox: '0 0 40 40', role: 'img', part: 'score', 'aria-label': this.#text('score', points, level) },
      create('circle', ring),
      create('circle', { ...ring, class: 'part', 'stroke-dasharray': `${points} 100` }),
      create('text', { x: 20, y: 20, 'aria-hidden': 'true' }, String(points)),
    )
  }
}

if (!customElements.get('freelancer-match')) customElements.define('freelancer-match', FreelancerMatch)
