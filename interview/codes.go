package interview

import "github.com/freelancer-matching/service/internal/matching"

// The codes of errors about sessions. Others are matching.CodeInvalid and matching.CodeFreelancerUnknown.
const (
	CodeSessionNotFound matching.Code = "session_not_found"    // 404: no such session in this account, or it expired
	CodeSessionClosed   matching.Code = "session_closed"       // 409: the session is evaluated and accepts no more answers
	CodeSessionOpen     matching.Code = "session_open"         // 409: the session is not evaluated yet
	CodeSessionChanged  matching.Code = "session_changed"      // 409: another request changed the session at the same time
	CodeTooManySessions matching.Code = "too_many_sessions"    // 409: the account has as many sessions as it may
	CodeStorageFull     matching.Code = "interviews_full"      // 409: the account's sessions take too much space
	CodeIdempotency     matching.Code = "idempotency_conflict" // 409: the key belongs to another request, or is in use

	CodeInvitationNotFound matching.Code = "invitation_not_found" // 404: the session has no invitation
)
