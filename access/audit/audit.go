// Package audit defines the entries of the audit log: who changed accounts, users and keys, and how. A store writes
// each entry in the same transaction as the change, so neither exists without the other.
package audit

import "time"

// An Event is one change. It never contains a secret: no token, no password, and no hash of either.
type Event struct {
	At      time.Time
	Actor   string // id of the user or API key that made the change, CommandLine, System or Learning
	Account string // id of the affected account; "" for a key without an account
	Action  Action
	Subject string // id of the key, user, account, link or interview session
	Detail  string // for people, such as "plan freelancer → professional"
	Address string // network address of the actor, if any
	Browser string // of the actor, such as "Firefox on Linux", if known; for notices, not in the audit log
	// Erased is when pseudonyms replaced what identified people in a stored entry; zero if it is as it was written.
	Erased time.Time
}

// The actors that are not users.
const (
	CommandLine = "command line"
	System      = "system"
	Learning    = "learning"  // the nightly run that learns rankings from events
	Candidate   = "candidate" // who opened the invitation to an interview
)

// An Action is a kind of change, written as a noun and a verb.
type Action string

// The actions.
const (
	KeyCreated     Action = "key.created"
	KeyRenamed     Action = "key.renamed"
	KeyChanged     Action = "key.changed" // operations, networks, expiry
	KeyPermissions Action = "key.permissions_changed"
	KeyDisabled    Action = "key.disabled"
	KeyEnabled     Action = "key.enabled"
	KeyRotated     Action = "key.rotated"
	KeyRevoked     Action = "key.revoked"

	AccountCreated  Action = "account.created"
	AccountDisabled Action = "account.disabled"
	AccountEnabled  Action = "account.enabled"
	PlanChanged     Action = "account.plan_changed"
	AccountExported Action = "account.exported"
	AccountDeleted  Action = "account.deleted"
	ResultsOn       Action = "account.results_on" // results of the playground are stored
	ResultsOff      Action = "account.results_off"
	RecordingOn     Action = "account.recording_on" // requests to the API are recorded
	RecordingOff    Action = "account.recording_off"

	TwoFactorRequired Action = "account.two_factor_required" // of all users
	TwoFactorOptional Action = "account.two_factor_optional"

	UserCreated     Action = "user.created"
	UserSignedIn    Action = "user.signed_in"
	UserNewBrowser  Action = "user.signed_in_from_new_browser" // besides UserSignedIn
	SignInFailed    Action = "user.sign_in_failed"             // the first, second, fourth, eighth and so on of a series
	TwoFactorOn     Action = "user.two_factor_enabled"
	TwoFactorOff    Action = "user.two_factor_disabled"
	RecoveryChanged Action = "user.recovery_codes_created"
	RecoveryUsed    Action = "user.recovery_code_used"
	UserSignedOut   Action = "user.signed_out_everywhere"
	SessionEnded    Action = "user.session_ended" // one of them, by the user
	UserRoleChanged Action = "user.role_changed"
	UserRemoved     Action = "user.removed"
	UserExported    Action = "user.exported"
	PasswordChanged Action = "user.password_changed"
	EmailChanged    Action = "user.email_changed"

	PersonFound      Action = "person.found" // a search for everything about a freelancer
	PersonExported   Action = "person.exported"
	PersonErased     Action = "person.erased"
	PersonReadmitted Action = "person.readmitted" // may be loaded again

	FreelancerStored  Action = "freelancer.stored"  // the whole record
	FreelancerPatched Action = "freelancer.patched" // some fields
	FreelancerDeleted Action = "freelancer.deleted"

	IndexCreated Action = "index.created" // an empty one, for the first freelancer who is stored over HTTP

	LoadUploaded   Action = "load.uploaded" // a file for a load
	LoadPublished  Action = "load.published"
	LoadCanceled   Action = "load.canceled"
	LoadRolledBack Action = "load.rolled_back"

	WebhookCreated Action = "webhook.created"
	WebhookChanged Action = "webhook.changed"
	WebhookRotated Action = "webhook.rotated" // its secret
	WebhookDeleted Action = "webhook.deleted"

	ProjectCreated     Action = "project.created"
	ProjectDeleted     Action = "project.deleted"
	ProjectExported    Action = "project.exported"
	ProjectShared      Action = "project.shared" // by a link that needs no sign-in
	ProjectLinkRevoked Action = "project.link_revoked"
	ProjectReleased    Action = "project.person_released" // links show name and profile
	ProjectHidden      Action = "project.person_hidden"

	BriefSaved   Action = "brief.saved"
	BriefChanged Action = "brief.changed"
	BriefDeleted Action = "brief.deleted"

	RankingPublished  Action = "ranking.published"   // a new version
	RankingRolledBack Action = "ranking.rolled_back" // to an earlier version
	RankingWithdrawn  Action = "ranking.withdrawn"   // the shipped profiles apply again

	EventsExported Action = "events.exported" // as judgments
	BriefsKept     Action = "events.briefs_kept"
	BriefsDropped  Action = "events.briefs_dropped"
	SwapsAllowed   Action = "events.swaps_allowed" // coins decide the order of neighbors, and a ranking is learned
	SwapsForbidden Action = "events.swaps_forbidden"

	LogExported Action = "audit.exported" // the whole audit log

	InterviewRead    Action = "interview.read" // at most once per session, actor and day (UTC)
	InterviewDeleted Action = "interview.deleted"

	InterviewInvited   Action = "interview.invited" // a candidate, by a link
	InterviewRevoked   Action = "interview.invitation_revoked"
	InterviewOpened    Action = "interview.invitation_opened"
	InterviewSubmitted Action = "interview.submitted"
	InterviewReviewed  Action = "interview.reviewed"

	LinkMade    Action = "link.made"
	LinkRevoked Action = "link.revoked"
)

// By identifies who makes a change, and from where.
type By struct {
	Actor   string // as in Event
	Address string // as in Event
	Browser string // as in Event
}

// A Query selects entries of the audit log, newest first.
type Query struct {
	Account string    // "": all accounts
	Actor   string    // as in Event; "": all actors
	Action  Action    // "": all actions
	Since   time.Time // zero: back to the oldest entry
	Before  time.Time // zero: start with the newest entry
	Limit   int       // at least 1
}

// Actions returns all actions.
func Actions() []Action {
	return []Action{
		KeyCreated, KeyRenamed, KeyChanged, KeyPermissions, KeyDisabled, KeyEnabled, KeyRotated, KeyRevoked,
		AccountCreated, AccountDisabled, AccountEnabled, PlanChanged, AccountExported, AccountDeleted, ResultsOn,
		ResultsOff, RecordingOn, RecordingOff, TwoFactorRequired, TwoFactorOptional, UserCreated, UserSignedIn,
		UserNewBrowser, SignInFailed, TwoFactorOn, TwoFactorOff, RecoveryChanged, RecoveryUsed, UserSignedOut,
		SessionEnded, UserRoleChanged, UserRemoved,
		UserExported, PasswordChanged, EmailChanged, PersonFound, PersonExported, PersonErased, PersonReadmitted,
		FreelancerStored, FreelancerPatched, FreelancerDeleted, IndexCreated, LoadUploaded, LoadPublished, LoadCanceled,
		LoadRolledBack, WebhookCreated, WebhookChanged, WebhookRotated, WebhookDeleted, ProjectCreated, ProjectDeleted,
		ProjectExported, ProjectShared, ProjectLinkRevoked, ProjectReleased, ProjectHidden, BriefSaved, BriefChanged,
		BriefDeleted, RankingPublished, RankingRolledBack, RankingWithdrawn, EventsExported, BriefsKept, BriefsDropped,
		SwapsAllowed, SwapsForbidden,
		LogExported, InterviewRead, InterviewDeleted,
		InterviewInvited, InterviewRevoked, InterviewOpened, InterviewSubmitted, InterviewReviewed, LinkMade, LinkRevoked,
	}
}
