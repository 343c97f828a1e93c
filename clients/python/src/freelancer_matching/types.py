"""The values of requests and responses, from the description of the API."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Adjustment(TypedDict):
    factor: float
    reason: str


class Agreement(TypedDict):
    """
    The agreement of two judgments. The model marks a third of the answers, and at most three, a second time. The
    agreement shows how repeatable the marks are. It doesn't change them.

    """

    answers: int
    exact: int
    marks: int
    within_one: int


class AllRequiredSkills(TypedDict):
    freelancers: int
    message: str
    skills: int


class Anchor(TypedDict):
    level: int
    text: str


class AnswerFacts(TypedDict):
    """
    How an answer was written, as the candidate's browser reported it. The server can't verify these figures. Null means unknown, for example without JavaScript.
    """

    by: Literal["api", "candidate"]
    pasted_characters: int | None
    pastes: int | None
    question: str
    seconds: int | None
    typed_characters: int | None


class Box(TypedDict):
    """
    A part of a page as readers see it: turned as the file says, and cropped. The unit is the point, 1/72 inch. The
    origin is the upper left corner of the page; `x` grows to the right and `y` downward.
    """

    height: float
    width: float
    x: float
    y: float


class BriefImprovement(TypedDict):
    message: str
    rank: int
    score: float


class BriefPerson(TypedDict):
    available: bool
    id: str
    level: str
    rank: int
    score: float
    since: str


class BrowserToken(TypedDict):
    expires_at: str
    token: str


class BrowserTokenAnswer(TypedDict):
    data: BrowserToken
    request_id: str
    status: Literal["success"]
    took_ms: float


class Budget(TypedDict):
    assumed: bool
    buys_hours: float | None
    message: str
    type: Literal["fixed", "hourly"]


class BulkSummary(TypedDict):
    """
    The last line of a complete response of `POST /api/v1/freelancers/bulk`.
    """

    changed: int
    failed: int
    lines: int
    request_id: str
    skipped: int
    status: Literal["success"]
    took_ms: float
    unchanged: int


class CanceledLoad(TypedDict):
    id: str


class ContactLink(TypedDict):
    kind: str
    url: str


class CoveredPoints(TypedDict):
    """
    How many points of rubrics the measured answers cover.
    """

    covered: int
    of: int


class CustomQuestion(TypedDict):
    expected_answer: NotRequired[str | None]
    follow_up: NotRequired[list[str] | None]
    kind: NotRequired[Literal["technical", "situational", "behavioural"] | None]
    scoring_criteria: NotRequired[dict[str, Any] | None]
    text: str


class DamagedSession(TypedDict):
    """
    The line of an export for a session whose stored data can't be read.
    """

    damaged: Literal[True]
    session_id: str


class DataSource(TypedDict):
    engine: Literal["embedded", "elasticsearch"]
    error: NotRequired[str]
    freelancer_count: int
    index: str
    indexed_at: NotRequired[str]
    status: Literal["healthy", "degraded", "error"]
    type: str


class Database(TypedDict):
    error: NotRequired[str]
    status: Literal["connected", "error"]
    type: str


class Degree(TypedDict):
    confidence: float
    degree: str | None
    end: str | None
    field: str | None
    institution: str | None
    start: str | None


class DeletedBrief(TypedDict):
    id: str


class DeletedSession(TypedDict):
    session_id: str


class DeletedSessions(TypedDict):
    deleted: int


class DeletedWebhook(TypedDict):
    id: str


class DetailsLanguage(TypedDict):
    language: str
    level: Literal["A1", "A2", "B1", "B2", "C1", "C2", "native"] | None


class DocumentBrief(TypedDict):
    characters: int
    description: str
    format: str
    omitted: int
    pages: int | None
    title: str | None
    warnings: list[str]


class DraftNote(TypedDict):
    field: str
    kind: str
    reason: str


Effort = TypedDict(
    "Effort",
    {
        "from": str,
        "high": float,
        "low": float,
        "typical": float,
    },
)


class Encoder(TypedDict):
    encoded: int
    freelancers: int
    status: Literal["encoding", "complete"]


class EncoderUse(TypedDict):
    """
    What the sentence encoder did. It compares the best freelancers with the whole brief. Absent if it is off or meanings don't count.
    """

    compared: int
    of: int


class ErasedOn(TypedDict):
    """
    The IDs of the servers by whether they have deleted all erased people from their index so far. Only if several servers with indexes of their own share the database. Pending servers leave these people out of their responses, too, and usually follow within a second.
    """

    pending: list[str]
    rewritten: list[str]


class Erasure(TypedDict):
    """
    What was erased. Only after a deletion.
    """

    indexed: bool
    interviews: int
    other: int
    servers: NotRequired[ErasedOn]


class Estimate(TypedDict):
    """
    An estimate for this freelancer. Values are null if the brief or the data is not sufficient.
    """

    cost: float | None
    currency: NotRequired[str]
    days: float | None
    hours: float | None


class Event(TypedDict):
    at: NotRequired[str | None]
    freelancer_id: str
    request_id: str
    type: Literal["shown", "clicked", "contacted", "hired", "rejected"]


class EventsRequest(TypedDict):
    events: list[Event]


ExchangeRate = TypedDict(
    "ExchangeRate",
    {
        "date": str,
        "from": str,
        "rate": float,
        "source": NotRequired[str],
        "to": str,
    },
)


class ExchangeRates(TypedDict):
    date: str
    status: Literal["current", "outdated"]


class Exclusion(TypedDict):
    actual: str | None
    filter: str
    wanted: str


class Explored(TypedDict):
    """
    Two neighbors whose order a coin decided, because an owner of the account allows the service to learn what its clients choose. Their scores are nearly equal and as computed, their levels are the same, and both are among the first 10 matches. The same brief gets the same order on each page. Absent if no coin decided, and on pages without either of them.
    """

    message: str
    rank: int
    swapped: bool


class Feature(TypedDict):
    contribution: float
    feature: str
    summary: str
    value: float
    weight: float


class FieldError(TypedDict):
    code: str
    field: str
    message: str


class FilterCount(TypedDict):
    excluded: int
    filter: str
    message: str
    unknown: int


class FilterStep(TypedDict):
    before: int
    excluded: int
    filter: str
    message: str
    unknown: int


class Freelancer(TypedDict):
    """
    A freelancer. With `unknown=null`, unknown values are null; otherwise nothing is.
    """

    availability: bool | None
    experience: float | None
    hourly_rate: float | None
    id: str
    job_title: str | None
    name: str | None
    profile_url: str | None
    rating: float | None
    skills: list[str] | None
    total_sales: int | None


class FreelancerChange(TypedDict):
    erased: NotRequired[Erasure]
    id: str
    outcome: Literal["created", "replaced", "patched", "unchanged", "deleted"]
    version: str | None
    warnings: list[FieldError]


class FreelancerChangeAnswer(TypedDict):
    data: FreelancerChange
    request_id: str
    status: Literal["success"]
    took_ms: float


class FreelancerDraft(TypedDict):
    """
    A record that the indexer can load without changes. Null means unknown.
    """

    availability: bool | None
    country: str | None
    description: str | None
    experience: float | None
    hourly_rate: float | None
    id: str
    job_title: str | None
    languages: list[DetailsLanguage]
    location: str | None
    name: str | None
    profile_url: str | None
    rating: float | None
    skills: list[str]
    total_sales: int | None


class InterviewBegun(TypedDict):
    """
    The data of the event session.
    """

    mode: str
    session_id: str


class InterviewDeleted(TypedDict):
    data: DeletedSession
    request_id: str
    status: Literal["success"]
    took_ms: float


class InterviewRemark(TypedDict):
    code: str
    message: str


class Interviewed(TypedDict):
    id: str
    job_title: str
    name: str


class InterviewsDeleted(TypedDict):
    data: DeletedSessions
    request_id: str
    status: Literal["success"]
    took_ms: float


class Invitation(TypedDict):
    """
    The invitation of a candidate.
    """

    consented_at: str | None
    expires_at: str
    opened_at: str | None
    state: Literal["pending", "opened", "submitted", "expired", "revoked"]
    submitted_at: str | None


class InvitationLink(TypedDict):
    expires_at: str
    url: str


class InvitationRequest(TypedDict):
    consent_text: NotRequired[str | None]
    expires_at: NotRequired[str | None]
    expires_in: NotRequired[int | None]
    language: NotRequired[Literal["en", "es", "de", "fr", "pt"] | None]
    return_url: NotRequired[str | None]
    time_limit_minutes: NotRequired[int | None]


class JSONResumeCertificate(TypedDict):
    date: NotRequired[str]
    issuer: NotRequired[str]
    name: str


class JSONResumeEducation(TypedDict):
    area: NotRequired[str]
    endDate: NotRequired[str]
    institution: NotRequired[str]
    startDate: NotRequired[str]
    studyType: NotRequired[str]


class JSONResumeLanguage(TypedDict):
    fluency: NotRequired[str]
    language: str


class JSONResumeLocation(TypedDict):
    address: str
    countryCode: NotRequired[str]


class JSONResumeProfile(TypedDict):
    network: str
    url: str


class JSONResumeProject(TypedDict):
    description: NotRequired[str]
    endDate: NotRequired[str]
    name: NotRequired[str]
    startDate: NotRequired[str]
    url: NotRequired[str]


class JSONResumePublication(TypedDict):
    name: str
    publisher: NotRequired[str]
    releaseDate: NotRequired[str]
    url: NotRequired[str]


class JSONResumeSkill(TypedDict):
    name: str


class JSONResumeVolunteer(TypedDict):
    endDate: NotRequired[str]
    organization: NotRequired[str]
    position: NotRequired[str]
    startDate: NotRequired[str]
    summary: NotRequired[str]


class JSONResumeWork(TypedDict):
    endDate: NotRequired[str]
    location: NotRequired[str]
    name: NotRequired[str]
    position: NotRequired[str]
    startDate: NotRequired[str]
    summary: NotRequired[str]


class KeyMessage(TypedDict):
    expires_at: str
    key_id: str
    name: str


class LLM(TypedDict):
    """
    The language model. It never makes the service unhealthy.
    """

    error: NotRequired[str]
    status: Literal["configured", "offline", "unreachable"]


class LanguageFilter(TypedDict):
    language: str
    min_level: NotRequired[str | None]


class Limit(TypedDict):
    """
    A limit of the plan, which its account or its key has used up in part.
    """

    limit: int
    name: str
    remaining: int
    reset: int
    window: str


class LoadCanceled(TypedDict):
    data: CanceledLoad
    request_id: str
    status: Literal["success"]
    took_ms: float


class LoadChanges(TypedDict):
    changed: int
    changed_ids: list[str]
    gone: int
    gone_ids: list[str]
    new: int
    new_ids: list[str]
    unchanged: int


class LoadColumn(TypedDict):
    column: str
    field: str
    number: NotRequired[int]


class LoadExample(TypedDict):
    line: int
    value: str


class LoadFailure(TypedDict):
    code: str
    message: str


class LoadFault(TypedDict):
    column: str
    reason: str
    value: str


class LoadFigures(TypedDict):
    freelancers: int
    known: dict[str, int]


class LoadLiveMessage(TypedDict):
    command: str
    freelancers: int
    index: str
    load_id: NotRequired[str]
    previous: NotRequired[str]
    sequence: int


class LoadOptions(TypedDict):
    """
    How to read a file, and what to do with it.
    """

    allow_kind: NotRequired[bool]
    columns: NotRequired[list[LoadColumn]]
    currency: NotRequired[str]
    encoding: NotRequired[str]
    max_failures: NotRequired[str]
    mode: NotRequired[Literal["load", "upsert"]]
    no_header: NotRequired[bool]
    sheet: NotRequired[str]
    skip_lines: NotRequired[int]


class LoadProgress(TypedDict):
    bytes: int
    rows: int
    size: int
    stage: str


class LoadReason(TypedDict):
    column: str
    count: int
    examples: list[LoadExample]
    reason: str


class LoadRefusedMessage(TypedDict):
    code: str
    file: str
    load_id: str
    message: str


class LoadRow(TypedDict):
    faults: list[LoadFault]
    line: int


class LoadRows(TypedDict):
    deletions: int
    duplicates: int
    erased: int
    freelancers: int
    merged: int
    read: int
    rejected: int
    skipped: int


class LoadSummary(TypedDict):
    command: str
    freelancers: int
    index: str
    load_id: NotRequired[str]
    previous: NotRequired[str]


class LoadedColumn(TypedDict):
    doubt: str
    examples: list[str]
    field: str
    header: str
    note: str
    number: int
    recognized_by: str


class MarkReview(TypedDict):
    """
    A level that counts instead of the model's, from a person who read the answer.
    """

    at: str
    by: str
    level: int
    reason: str


class Me(TypedDict):
    """
    An API key, what it may do, and what is left of its limits.
    """

    expires_at: str | None
    key_id: str
    limits: list[Limit]
    max_depth: int
    name: str
    operations: list[str]
    permissions: list[str]
    plan: str
    test: bool


class MeAnswer(TypedDict):
    data: Me
    request_id: str
    status: Literal["success"]
    took_ms: float


class OCR(TypedDict):
    languages: list[str]


class ParseQuality(TypedDict):
    reasons: list[str]
    score: float


class PersonBrief(TypedDict):
    id: str
    improvements: list[BriefImprovement] | None
    level: str
    matched_skills: list[str]
    message: str
    missing_skills: list[str]
    name: str
    rank: int | None
    score: float
    total: int


class PersonBriefs(TypedDict):
    briefs: list[PersonBrief]
    excluded: int
    left_out: bool
    ranked: int
    unwanted: int


class PersonBriefsAnswer(TypedDict):
    data: PersonBriefs
    request_id: str
    status: Literal["success"]
    took_ms: float


class PersonBriefsRequest(TypedDict):
    limit: NotRequired[int | None]
    min_hourly_rate: NotRequired[float | None]


class Position(TypedDict):
    company: str | None
    confidence: float
    current: bool
    description: str | None
    end: str | None
    location: str | None
    months: int | None
    start: str | None
    title: str | None


class Price(TypedDict):
    times: float | None
    verdict: Literal["within_budget", "over_budget", "unknown_rate"]


class ProbeAnswer(TypedDict):
    degraded_components: NotRequired[list[str]]
    status: Literal["alive", "ready", "draining", "unhealthy"]
    unhealthy_components: NotRequired[list[str]]


class Project(TypedDict):
    confidence: float
    description: str | None
    end: str | None
    name: str | None
    start: str | None
    url: str | None


class Publication(TypedDict):
    confidence: float
    date: str | None
    publisher: str | None
    title: str
    url: str | None


class QueuedDelivery(TypedDict):
    id: str


class QueuedDeliveryAnswer(TypedDict):
    data: QueuedDelivery
    request_id: str
    status: Literal["success"]
    took_ms: float


class QuotaMessage(TypedDict):
    key_id: str
    limit: int
    used: int
    window_end: str


class Quotation(TypedDict):
    criterion: Literal["technical", "experience", "communication"]
    question: str
    text: str


class RankingUse(TypedDict):
    """
    The published ranking of the account, which ordered the answer because the request names no `profile` and no `weights`. Absent if another profile did, and for browser tokens.
    """

    message: str
    name: str
    version: int


class RecordLanguage(TypedDict):
    language: str
    level: NotRequired[str | None]


class RecordedEvents(TypedDict):
    duplicates: int
    recorded: int
    rejected: list[FieldError]


class RequiredSkillModel(TypedDict):
    because: NotRequired[list[str]]
    freelancers: int
    message: str
    passing_filters: NotRequired[int]
    skill: str


class ResumeConfidence(TypedDict):
    """
    The confidence in single fields; null if the field is. Entries of lists have their own.
    """

    email: float | None
    job_title: float | None
    location: float | None
    name: float | None
    phone: float | None
    summary: float | None


class ResumeLine(TypedDict):
    box: Box | None
    page: int | None
    text: str


class ResumeSkill(TypedDict):
    confidence: float
    id: str | None
    last_used: str | None
    months: int | None
    name: str
    section: str
    written: str


class ReviewRequest(TypedDict):
    criterion: Literal["technical", "experience", "communication", "technical_accuracy", "experience_level"]
    level: int
    question: str
    reason: str
    reviewer: NotRequired[str | None]


class ReviewedMark(TypedDict):
    at: str
    by: str
    criterion: Literal["technical", "experience", "communication"]
    level: int
    question: str
    reason: str


class SavedBriefDeleted(TypedDict):
    data: DeletedBrief
    request_id: str
    status: Literal["success"]
    took_ms: float


class ScoringCriteria(TypedDict):
    """
    The weight of each criterion in percent. Experience has no weight in technical and situational questions, which don't ask for the person's own work, unless the request weighs nothing else.
    """

    communication: int
    experience: int
    technical: int


class Shortfall(TypedDict):
    feature: str
    points: float


class ShownMatch(TypedDict):
    rank: int
    score: float


class SkillExtractor(TypedDict):
    error: NotRequired[str]
    skills: int
    status: Literal["ready", "error"]


class SkillFacts(TypedDict):
    broader: list[str]
    category: str
    freelancer_count: int
    id: str
    name: str
    related: list[str]
    synonyms: list[str]


class SkillResult(TypedDict):
    evidence: list[Quotation]
    level: float | None
    must_have: bool
    points: CoveredPoints
    questions: list[str]
    score: int | None
    skill: str
    standard_error: float | None
    state: Literal["shown", "partly_shown", "weak", "answered", "not_shown", "not_asked"]


class Skipped(TypedDict):
    feature: str
    reason: str


class SpokenLanguage(TypedDict):
    confidence: float
    level: str | None
    name: str


class SuggestedFilter(TypedDict):
    because: list[str]
    filter: str
    value: Any


class TeamPart(TypedDict):
    contribution: float
    part: str
    summary: str
    value: float
    weight: float


class TeamRole(TypedDict):
    hours: NotRequired[float | None]
    members: NotRequired[list[str] | None]
    people: NotRequired[int | None]
    required_skills: NotRequired[list[str] | None]
    title: str


class TeamSearch(TypedDict):
    """
    What the search for the first team has shown.
    """

    bound: float
    exact: bool
    gap: float
    steps: int


class TeamSwap(TypedDict):
    """
    What the first team would be with the candidate in the place of a member of the role. Absent for its members.
    """

    cost: float | None
    days: float | None
    fit: float
    languages: list[str] | None
    missing_skills: list[str]
    overlap_hours: float | None
    replaces: str
    start_date: str | None
    within_budget: bool | None


class TimeZoneFilter(TypedDict):
    within_hours: NotRequired[float | None]
    zone: str


class UnknownSkill(TypedDict):
    corrected_to: NotRequired[str]
    skill: str
    suggestions: list[str]


class Verification(TypedDict):
    confidence: float
    exists: bool
    freelancer_count: int
    job_titles: list[str]
    matches: list[str]
    no_verdict: Literal["limit_reached", "llm_failed"] | None
    similar_terms: list[str]
    skill: SkillFacts | None
    skills: list[str]
    source: Literal["taxonomy", "index", "llm"] | None
    type: Literal["skill", "job_title"] | None


class VerifySkillAnswer(TypedDict):
    data: Verification
    request_id: str
    status: Literal["success"]
    took_ms: float


class VerifySkillRequest(TypedDict):
    keyword: str


class WebhookDeleted(TypedDict):
    data: DeletedWebhook
    request_id: str
    status: Literal["success"]
    took_ms: float


class WebhookRequest(TypedDict):
    """
    An endpoint that receives a message when the session is evaluated, and when a candidate has submitted answers. The first request of a session sets it.
    """

    secret: str
    url: str


class WebhookStatus(TypedDict):
    """
    The state of the last message to the session's webhook. Absent without a webhook.
    """

    attempts: int
    delivered_at: str | None
    last_error: str | None
    next_attempt_at: str | None
    type: Literal["interview.submitted", "interview.evaluated"] | None
    url: str


class WebhookTestRequest(TypedDict):
    event: NotRequired[str]


class WebhookWithSecret(TypedDict):
    created_at: str
    enabled: bool
    events: list[str]
    id: str
    name: str
    previous_secret_until: str | None
    secret: str
    url: str | None


class AnnouncedChange(TypedDict):
    """
    A change in a message.
    """

    at: str
    id: NotRequired[str]
    kind: str
    load: NotRequired[LoadSummary]
    sequence: NotRequired[int]


class BriefPeople(TypedDict):
    matched_at: str | None
    people: list[BriefPerson]


class BriefPeopleAnswer(TypedDict):
    data: BriefPeople
    request_id: str
    status: Literal["success"]
    took_ms: float


class BriefStanding(TypedDict):
    """
    The place on the list, and why. Absent for somebody who has left it.
    """

    explanation: list[Feature]
    level: str
    matched_skills: list[str]
    missing_skills: list[str]
    rank: int
    score: float


class Certification(TypedDict):
    confidence: float
    date: str | None
    issuer: str | None
    name: str


class ChangesMessage(TypedDict):
    changes: list[AnnouncedChange]


class Components(TypedDict):
    data_source: DataSource
    database: Database
    encoder: NotRequired[Encoder]
    exchange_rates: NotRequired[ExchangeRates]
    llm: LLM
    ocr: NotRequired[OCR]
    skill_extractor: SkillExtractor


class Contact(TypedDict):
    email: str | None
    links: list[ContactLink]
    location: str | None
    phone: str | None


class Delivery(TypedDict):
    attempts: int
    body: dict[str, Any]
    created_at: str
    event: str
    id: str
    last_attempt_at: str | None
    last_error: str | None
    next_attempt_at: str | None
    response_ms: float | None
    response_status: int | None
    state: str


class DeliveryListAnswer(TypedDict):
    data: list[Delivery]
    next_cursor: str | None
    request_id: str
    status: Literal["success"]
    took_ms: float


class Details(TypedDict):
    """
    What else is known about the freelancer. A value is null if it is unknown.
    """

    available_from: str | None
    country: str | None
    currency: str | None
    hours_per_week: float | None
    languages: list[DetailsLanguage] | None
    location: str | None
    time_zone: str | None
    verified: bool | None


class EndpointRequest(TypedDict):
    """
    A webhook endpoint to create, or what to change about one.
    """

    enabled: NotRequired[bool]
    events: NotRequired[list[str]]
    name: NotRequired[str]
    url: NotRequired[str]


class EventsAnswer(TypedDict):
    data: RecordedEvents
    request_id: str
    status: Literal["success"]
    took_ms: float


class FailureError(TypedDict):
    code: str
    details: list[FieldError]
    message: str


class FeedChange(TypedDict):
    at: str
    id: str | None
    kind: str
    load: LoadSummary | None
    sequence: int


class FreelancerRecord(TypedDict):
    """
    A freelancer as `PUT`, `PATCH` and `GET` have it. A field whose value is unknown is absent or null. In a patch,
    null makes a field unknown, and an absent field stays as it is. Unknown fields in requests are rejected.

    """

    availability: NotRequired[bool | None]
    available_from: NotRequired[str | None]
    country: NotRequired[str | None]
    currency: NotRequired[str | None]
    description: NotRequired[str | None]
    experience: NotRequired[float | None]
    hourly_rate: NotRequired[float | None]
    hours_per_week: NotRequired[float | None]
    id: NotRequired[str]
    job_title: NotRequired[str | None]
    languages: NotRequired[list[RecordLanguage] | None]
    location: NotRequired[str | None]
    name: NotRequired[str | None]
    profile_url: NotRequired[str | None]
    rating: NotRequired[float | None]
    skills: NotRequired[list[str] | None]
    time_zone: NotRequired[str | None]
    total_sales: NotRequired[int | None]
    verified: NotRequired[bool | None]


class HealthAnswer(TypedDict):
    components: Components
    degraded_components: NotRequired[list[str]]
    detail: NotRequired[str]
    request_id: str
    status: Literal["healthy", "degraded", "unhealthy"]
    took_ms: float
    unhealthy_components: NotRequired[list[str]]


class InterviewQuestion(TypedDict):
    """
    A question. With `view: candidate`, the members after `kind` are absent.
    """

    anchors: NotRequired[list[Anchor]]
    difficulty: NotRequired[Literal["easy", "medium", "hard"] | None]
    expected_answer: NotRequired[str]
    follow_up: NotRequired[list[str]]
    generated_by: NotRequired[str]
    id: str
    kind: Literal["technical", "situational", "behavioural"] | None
    points: NotRequired[list[str]]
    scoring_criteria: NotRequired[ScoringCriteria]
    skill: str | None
    text: str


class InterviewRequest(TypedDict):
    additional_questions: NotRequired[list[str] | None]
    custom_questions: NotRequired[list[CustomQuestion] | None]
    freelancer_id: str
    job_title: NotRequired[str | None]
    language: NotRequired[str | None]
    mode: NotRequired[Literal["ai_questions", "ai_full", "custom_full", "hybrid", "adaptive", "report"] | None]
    must_have_skills: NotRequired[list[str] | None]
    num_questions: NotRequired[int | None]
    project_description: NotRequired[str | None]
    provided_answers: NotRequired[list[str] | None]
    required_skills: NotRequired[list[str] | None]
    scoring_criteria: NotRequired[dict[str, Any] | None]
    session_id: NotRequired[str | None]
    view: NotRequired[Literal["full", "candidate"] | None]
    webhook: NotRequired[WebhookRequest]


class InterviewSummary(TypedDict):
    answered: int
    created_at: str
    evaluated_at: str | None
    expires_at: str
    freelancer: Interviewed
    hiring_recommendation: bool | None
    job_title: str
    language: str
    mode: Literal["ai_full", "custom_full", "hybrid", "adaptive"]
    overall_score: int | None
    points: CoveredPoints | None
    questions: int
    session_id: str
    state: Literal["open", "evaluated"]


class InvitationAnswer(TypedDict):
    data: InvitationLink
    request_id: str
    status: Literal["success"]
    took_ms: float


class JSONResumeBasics(TypedDict):
    email: NotRequired[str]
    label: NotRequired[str]
    location: NotRequired[JSONResumeLocation]
    name: NotRequired[str]
    phone: NotRequired[str]
    profiles: list[JSONResumeProfile]
    summary: NotRequired[str]
    url: NotRequired[str]


class LoadPreview(TypedDict):
    after: LoadFigures | None
    before: LoadFigures | None
    changes: LoadChanges
    columns: list[LoadedColumn]
    currency: str
    format: str
    losses: list[str]
    notes: list[str]
    rejected_rows: list[LoadRow]
    rejections: list[LoadReason]
    rows: LoadRows
    warnings: list[LoadReason]


class Mark(TypedDict):
    criterion: Literal["technical", "experience", "communication"]
    evidence: list[str]
    level: int | None
    review: NotRequired[MarkReview]


class Match(TypedDict):
    adjustments: NotRequired[list[Adjustment]]
    details: NotRequired[Details]
    estimate: Estimate
    explanation: NotRequired[list[Feature]]
    fit: float
    freelancer: Freelancer
    level: Literal["excellent", "strong", "fair", "weak"]
    matched_skills: list[str]
    matching_skills: int
    missing_skills: list[str]
    price: NotRequired[Price]
    score: float
    unknown_fields: list[str]


class MatchAnswer(TypedDict):
    all_required_skills: NotRequired[AllRequiredSkills]
    brief: NotRequired[DocumentBrief]
    budget: NotRequired[Budget]
    considered: int
    currency: NotRequired[str]
    derived_skills: NotRequired[list[str]]
    effort: NotRequired[Effort]
    encoder: NotRequired[EncoderUse]
    exchange_rate: NotRequired[ExchangeRate]
    excluded_skills: NotRequired[list[str]]
    explored: NotRequired[Explored]
    filters: NotRequired[list[FilterCount]]
    hourly_rate_currency: NotRequired[str]
    matches: list[Match]
    next_offset: int | None
    nice_to_have_skills: NotRequired[list[str]]
    ranking: NotRequired[RankingUse]
    reason: NotRequired[str]
    reason_detail: NotRequired[list[FilterStep]]
    request_id: str
    required_skills: NotRequired[list[RequiredSkillModel]]
    skipped: list[Skipped]
    status: Literal["success"]
    suggested_filters: NotRequired[list[SuggestedFilter]]
    took_ms: float
    understood: NotRequired[float]
    unknown_skills: list[UnknownSkill]


class MatchFilters(TypedDict):
    """
    A freelancer must meet all conditions. One whose data lacks the value for a condition does not meet it.
    """

    available: NotRequired[bool | None]
    available_by: NotRequired[str | None]
    countries: NotRequired[list[str] | None]
    exclude_ids: NotRequired[list[str] | None]
    exclude_skills: NotRequired[list[str] | None]
    ids: NotRequired[list[str] | None]
    languages: NotRequired[list[LanguageFilter] | None]
    max_cost: NotRequired[float | None]
    max_hourly_rate: NotRequired[float | None]
    min_experience: NotRequired[float | None]
    min_rating: NotRequired[float | None]
    must_have_skills: NotRequired[list[str] | None]
    time_zone: NotRequired[TimeZoneFilter | None]
    verified: NotRequired[bool | None]


class MatchRequest(TypedDict):
    budget_range: NotRequired[list[float] | None]
    budget_type: NotRequired[Literal["fixed", "hourly"] | None]
    complexity: NotRequired[Literal["low", "medium", "high"] | None]
    currency: NotRequired[str | None]
    description: NotRequired[str | None]
    details: NotRequired[bool | None]
    effort_hours: NotRequired[float | None]
    explain: NotRequired[bool | None]
    filters: NotRequired[MatchFilters | None]
    job_title: NotRequired[str | None]
    limit: NotRequired[int | None]
    nice_to_have_skills: NotRequired[list[str] | None]
    offset: NotRequired[int | None]
    profile: NotRequired[str | None]
    required_skills: NotRequired[list[str] | None]
    start_date: NotRequired[str | None]
    timeline: NotRequired[int | None]
    weights: NotRequired[dict[str, Any] | None]


class Resume(TypedDict):
    certifications: list[Certification]
    confidence: ResumeConfidence
    contact: Contact
    education: list[Degree]
    experience: list[Position]
    freelancer: FreelancerDraft
    freelancer_notes: list[DraftNote]
    job_title: str | None
    language: str | None
    languages: list[SpokenLanguage]
    name: str | None
    pages: int | None
    projects: list[Project]
    publications: list[Publication]
    quality: ParseQuality
    skill_details: list[ResumeSkill]
    skills: list[str]
    summary: str | None
    text: NotRequired[list[ResumeLine]]
    total_experience_years: float | None
    volunteering: list[Position]
    warnings: list[str]


class SavedBrief(TypedDict):
    changed_at: str
    closed: bool
    created_at: str
    id: str
    match: MatchRequest
    matched_at: str | None
    min_level: str | None
    min_score: float
    name: str
    notify: bool
    people: int
    top: int


class SavedBriefAnswer(TypedDict):
    data: SavedBrief
    request_id: str
    status: Literal["success"]
    took_ms: float


class SavedBriefList(TypedDict):
    data: list[SavedBrief]
    next_cursor: str | None
    request_id: str
    status: Literal["success"]
    took_ms: float


class SavedBriefRequest(TypedDict):
    """
    A brief to save, or what to change about one.
    """

    closed: NotRequired[bool | None]
    match: NotRequired[MatchRequest | None]
    min_level: NotRequired[Literal["excellent", "strong", "fair", "weak", ""] | None]
    min_score: NotRequired[float | None]
    name: NotRequired[str | None]
    notify: NotRequired[bool | None]
    top: NotRequired[int | None]


class Standing(TypedDict):
    """
    The place of a freelancer in the ranking of a brief.
    """

    budget: NotRequired[Budget]
    currency: NotRequired[str]
    derived_skills: NotRequired[list[str]]
    effort: NotRequired[Effort]
    encoder: NotRequired[EncoderUse]
    exchange_rate: NotRequired[ExchangeRate]
    excluded: bool
    excluded_by: list[Exclusion]
    excluded_skills: NotRequired[list[str]]
    hourly_rate_currency: NotRequired[str]
    last_shown: ShownMatch | None
    match: Match
    nice_to_have_skills: NotRequired[list[str]]
    rank: int | None
    ranking: NotRequired[RankingUse]
    shortfalls: list[Shortfall]
    skipped: list[Skipped]
    total: int
    understood: NotRequired[float]
    unknown_skills: list[UnknownSkill]


class StoredFreelancer(TypedDict):
    freelancer: FreelancerRecord
    version: str


class TeamCandidate(TypedDict):
    cost: float | None
    match: Match
    rank: int
    swap: NotRequired[TeamSwap]


class TeamMember(TypedDict):
    brings: list[str]
    cost: float | None
    days: float | None
    hours: float | None
    match: Match
    rank: int
    role: int
    role_title: str


class TeamsRequest(TypedDict):
    """
    A brief for several people, with their roles.
    """

    budget_range: NotRequired[list[float] | None]
    budget_type: NotRequired[Literal["fixed"] | None]
    candidates: NotRequired[int | None]
    complexity: NotRequired[Literal["low", "medium", "high"] | None]
    currency: NotRequired[str | None]
    description: NotRequired[str | None]
    details: NotRequired[bool | None]
    effort_hours: NotRequired[float | None]
    explain: NotRequired[bool | None]
    filters: NotRequired[MatchFilters | None]
    job_title: NotRequired[str | None]
    limit: NotRequired[int | None]
    nice_to_have_skills: NotRequired[list[str] | None]
    profile: NotRequired[str | None]
    required_skills: NotRequired[list[str] | None]
    roles: NotRequired[list[TeamRole] | None]
    start_date: NotRequired[str | None]
    timeline: NotRequired[int | None]
    weights: NotRequired[dict[str, Any] | None]


class TestRecord(TypedDict):
    availability: bool
    description: str
    details: NotRequired[Details]
    experience: float
    hourly_rate: float
    id: str
    job_title: str
    name: str
    profile_url: str
    rating: float
    skills: list[str]
    total_sales: int


class Unhealthy(TypedDict):
    """
    Either the state of the components (`status` is `unhealthy`), or an error that kept the server from checking them (`status` is `error`).
    """

    components: NotRequired[Components]
    degraded_components: NotRequired[list[str]]
    detail: str
    error: NotRequired[FailureError]
    request_id: str
    status: Literal["unhealthy", "error"]
    took_ms: NotRequired[float]
    unhealthy_components: NotRequired[list[str]]


class WebhookEndpoint(TypedDict):
    created_at: str
    enabled: bool
    events: list[str]
    id: str
    name: str
    url: str | None


class WebhookListAnswer(TypedDict):
    data: list[WebhookEndpoint]
    request_id: str
    status: Literal["success"]
    took_ms: float


class WebhookSecretAnswer(TypedDict):
    data: WebhookWithSecret
    request_id: str
    status: Literal["success"]
    took_ms: float


class BriefNews(TypedDict):
    brief_id: str
    brief_name: str
    cause: str
    freelancer_id: str
    replaced: NotRequired[str]
    replaced_by: NotRequired[str]
    standing: NotRequired[BriefStanding]


class BrowserTokenRequest(TypedDict):
    currency: NotRequired[str | None]
    expires_in: NotRequired[int | None]
    filters: NotRequired[MatchFilters | None]
    hide: NotRequired[list[str] | None]
    origins: list[str]
    requests_per_minute: NotRequired[int | None]
    visitor: NotRequired[str | None]


class BulkResult(TypedDict):
    """
    A line of the response of `POST /api/v1/freelancers/bulk`.
    """

    erased: NotRequired[Erasure]
    error: NotRequired[FailureError]
    id: str | None
    line: int
    outcome: Literal["created", "replaced", "patched", "unchanged", "deleted", "failed", "skipped"]
    version: str | None
    warnings: NotRequired[list[FieldError]]


class ChangeListAnswer(TypedDict):
    data: list[FeedChange]
    has_more: bool
    next_cursor: str
    request_id: str
    status: Literal["success"]
    took_ms: float


class ExplainAnswer(TypedDict):
    data: Standing
    request_id: str
    status: Literal["success"]
    took_ms: float


class ExplainRequest(TypedDict):
    """
    A match request with the ID of a freelancer.
    """

    budget_range: NotRequired[list[float] | None]
    budget_type: NotRequired[Literal["fixed", "hourly"] | None]
    complexity: NotRequired[Literal["low", "medium", "high"] | None]
    currency: NotRequired[str | None]
    description: NotRequired[str | None]
    details: NotRequired[bool | None]
    effort_hours: NotRequired[float | None]
    explain: NotRequired[bool | None]
    filters: NotRequired[MatchFilters | None]
    freelancer_id: str
    job_title: NotRequired[str | None]
    limit: NotRequired[int | None]
    nice_to_have_skills: NotRequired[list[str] | None]
    offset: NotRequired[int | None]
    profile: NotRequired[str | None]
    required_skills: NotRequired[list[str] | None]
    start_date: NotRequired[str | None]
    timeline: NotRequired[int | None]
    weights: NotRequired[dict[str, Any] | None]


class Failure(TypedDict):
    detail: str
    error: FailureError
    request_id: str
    status: Literal["error"]


class FilledRole(TypedDict):
    """
    A role with its candidates.
    """

    because: list[str]
    candidates: list[TeamCandidate]
    compared: int
    considered: int
    hours: float | None
    people: int | None
    required_skills: list[str]
    share: float
    title: str
    unknown_skills: list[UnknownSkill]
    without_rate: int


class FreelancerAnswer(TypedDict):
    data: StoredFreelancer
    request_id: str
    status: Literal["success"]
    took_ms: float


class FreelancerListAnswer(TypedDict):
    damaged: int
    data: list[StoredFreelancer]
    next_cursor: str | None
    request_id: str
    status: Literal["success"]
    took_ms: float


class InterviewData(TypedDict):
    answer_facts: NotRequired[list[AnswerFacts]]
    answers: NotRequired[list[str]]
    questions: list[InterviewQuestion]


class InterviewListAnswer(TypedDict):
    damaged: int
    data: list[InterviewSummary]
    next_cursor: str | None
    request_id: str
    status: Literal["success"]
    took_ms: float


JSONResume = TypedDict(
    "JSONResume",
    {
        "$schema": str,
        "basics": JSONResumeBasics,
        "certificates": list[JSONResumeCertificate],
        "education": list[JSONResumeEducation],
        "languages": list[JSONResumeLanguage],
        "projects": list[JSONResumeProject],
        "publications": list[JSONResumePublication],
        "skills": list[JSONResumeSkill],
        "volunteer": list[JSONResumeVolunteer],
        "work": list[JSONResumeWork],
    },
)


class JSONResumeAnswer(TypedDict):
    data: JSONResume
    request_id: str
    status: Literal["success"]
    took_ms: float


class Judgement(TypedDict):
    answered: bool
    areas_for_improvement: list[str]
    covered_points: list[int]
    feedback: str
    marks: list[Mark]
    method: str | None
    question: str
    remarks: list[str]
    score: int | None
    strengths: list[str]
    unmeasured: list[Literal["technical", "experience", "communication"]]


class Load(TypedDict):
    bytes: int
    created_at: str
    error: LoadFailure | None
    expires_at: str
    file: str
    id: str
    index: str | None
    mode: Literal["load", "upsert"]
    preview: LoadPreview | None
    previous: str | None
    progress: LoadProgress | None
    publishable: bool
    server: str
    state: str


class LoadAnswer(TypedDict):
    data: Load
    request_id: str
    status: Literal["success"]
    took_ms: float


class LoadListAnswer(TypedDict):
    data: list[Load]
    next_cursor: str | None
    request_id: str
    status: Literal["success"]
    took_ms: float


class MatchBatchRequest(TypedDict):
    briefs: list[MatchRequest]


class ParseAnswer(TypedDict):
    data: Resume
    request_id: str
    status: Literal["success"]
    took_ms: float


class Team(TypedDict):
    cost: float | None
    days: float | None
    fit: float
    languages: list[str] | None
    members: list[TeamMember]
    missing_skills: list[str]
    overlap_hours: float | None
    parts: list[TeamPart]
    start_date: str | None
    summary: str
    unknown_rates: int
    warnings: list[str]
    weakest_point: str
    within_budget: bool | None


class Teams(TypedDict):
    """
    The teams for a brief.
    """

    budget: float | None
    cheapest_cost: NotRequired[float]
    currency: NotRequired[str]
    effort: NotRequired[Effort]
    exchange_rate: NotRequired[ExchangeRate]
    hourly_rate_currency: NotRequired[str]
    message: NotRequired[str]
    notes: list[str]
    proposed: bool
    reason: NotRequired[Literal["no_data", "no_candidates", "budget", "no_team"]]
    roles: list[FilledRole]
    search: TeamSearch
    teams: list[Team]


class TeamsAnswer(TypedDict):
    data: Teams
    request_id: str
    status: Literal["success"]
    took_ms: float


class TestDataAnswer(TypedDict):
    data: list[TestRecord]
    request_id: str
    seed: int
    status: Literal["success"]
    took_ms: float


class WebhookAnswer(TypedDict):
    data: WebhookEndpoint
    request_id: str
    status: Literal["success"]
    took_ms: float


class BriefMessage(TypedDict):
    entries: list[BriefNews]


class Evaluation(TypedDict):
    agreement: Agreement | None
    ai_feedback: NotRequired[list[str]]
    ai_scores: NotRequired[list[int | None]]
    areas_for_improvement: list[str]
    confidence: float | None
    custom_feedback: NotRequired[list[str]]
    custom_scores: NotRequired[list[int | None]]
    details: list[Judgement]
    evaluated_at: str
    evidence: list[Quotation]
    feedback: list[str]
    hiring_recommendation: bool | None
    method: str
    overall_score: int | None
    points: CoveredPoints
    recommendation_reason: str
    reviews: NotRequired[list[ReviewedMark]]
    scores: list[int | None]
    skills: list[SkillResult]
    standard_error: float | None
    strengths: list[str]
    total_method: Literal["mean", "equated"]
    verdict: bool


class Interview(TypedDict):
    """
    An interview. With `view: candidate`, `generated_by`, `unknown_skills`, `remarks` and everything about judging is absent, also from the questions.
    """

    created_at: str
    derived_skills: NotRequired[list[str]]
    evaluation: NotRequired[Evaluation]
    expires_at: str
    freelancer: Interviewed
    generated_by: NotRequired[str]
    interview_data: InterviewData
    invitation: NotRequired[Invitation]
    language: str
    mode: Literal["ai_questions", "ai_full", "custom_full", "hybrid", "adaptive", "report"]
    remarks: NotRequired[list[InterviewRemark]]
    session_id: str
    state: Literal["open", "evaluated"]
    unknown_skills: NotRequired[list[str]]
    webhook: NotRequired[WebhookStatus]


class InterviewAnswer(TypedDict):
    data: Interview
    request_id: str
    status: Literal["success"]
    took_ms: float


class MatchBatch(TypedDict):
    failed: int
    results: list[MatchAnswer | Failure]
    succeeded: int


class MatchBatchAnswer(TypedDict):
    data: MatchBatch
    request_id: str
    status: Literal["success"]
    took_ms: float
