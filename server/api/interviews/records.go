package interviews

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Records lists, reads and deletes stored interviews. An account sees its own only.
type Records interface {
	// List returns up to limit sessions after a place in the list, the newest first.
	List(ctx context.Context, s interview.Selection, after interview.Place, limit int) (interview.Page, error)
	// Read returns a session. If it does not exist, the error has the code interview.CodeSessionNotFound.
	Read(ctx context.Context, account, id string, by interview.Requester) (interview.Result, error)
	// Export returns all selected sessions, the newest first. After interview.ErrDamaged it continues.
	Export(ctx context.Context, s interview.Selection, by interview.Requester) iter.Seq2[interview.Result, error]
	// Review replaces the level of a mark and returns the session.
	Review(ctx context.Context, r interview.ReviewRequest) (interview.Result, error)
	// DeleteAll deletes the selected sessions, and returns their number.
	DeleteAll(ctx context.Context, s interview.Selection, by interview.Requester) (int, error)
}

const (
	// ExportTime limits an export, which lasts as long as its client takes to read it.
	ExportTime = 10 * time.Minute

	parameterFreelancer = "freelancer_id"
	parameterState      = "state"
)

// Sessions handles stored interviews.
type Sessions struct {
	Interviewer Interviewer
	Records     Records
	WriteTime   time.Duration // for a client to receive a part of an export
}

// List handles GET /interviews. It responds with a page of the account's sessions.
func (h *Sessions) List(ctx context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	q := call.Query(&faults, parameterFreelancer, parameterState, "limit", "cursor")
	selected := selection(call, &faults, q)

	limit := wire.PageSize(q, &faults)

	// A cursor is valid with the filters of its list only: with others, sessions would be left out silently.
	var after interview.Place
	if text, ok := q["cursor"]; ok {
		after = parsePlace(&faults, text, selectionHash(selected))
	}

	if err := faults.Err(); err != nil {
		return err
	}

	page, err := h.Records.List(ctx, selected, after, limit)
	if err != nil {
		return err
	}

	answer := wire.InterviewListAnswer{
		Status: "success", Data: wire.Convert(page.Sessions, wire.NewInterviewSummary), Damaged: page.Damaged,
		RequestID: call.ID,
	}

	if page.Next.ID != "" {
		next := placeCursor(page.Next, selectionHash(selected))
		answer.NextCursor = wire.NullableString(next)
		call.LinkNext("cursor", next)
	}
	answer.TookMS = call.TookMS()

	return call.WriteJSON(http.StatusOK, endpoint.JSONType, answer)
}

// selection returns the sessions that a query selects. Errors in it are added to faults.
func selection(
	call *endpoint.Call, faults *validate.Faults, query map[string]string,
) interview.Selection {
	selected := interview.Selection{Account: call.Caller.Account, FreelancerID: query[parameterFreelancer]}
	if id, ok := query[parameterFreelancer]; ok {
		n := utf8.RuneCountInString(id)
		fits := n >= 1 && n <= interview.MaxFreelancerID
		storable := utf8.ValidString(id) && !strings.ContainsRune(id, 0)
		if !fits || !storable {
			faults.Add(parameterFreelancer, "invalid_value", "%s must be an ID of 1 to %d characters.", parameterFreelancer,
				interview.MaxFreelancerID)
		}
	}
	if state, ok := query[parameterState]; ok {
		validate.OneOf(faults, parameterState, &state, string(interview.Open), string(interview.Evaluated))
		selected.State = interview.State(state)
	}
	return selected
}

// selectionHash identifies the filters of a selection in cursors.
func selectionHash(s interview.Selection) string {
	sum := sha256.Sum256([]byte(s.FreelancerID + "\x00" + string(s.State)))
	return hex.EncodeToString(sum[:8])
}

// placeCursor returns the cursor for a place in the list of sessions.
func placeCursor(p interview.Place, filters string) string {
	begun := int64(0)
	if !p.Begun.IsZero() {
		begun = p.Begun.UnixMicro()
	}
	return wire.Cursor{After: strconv.FormatInt(begun, 10) + ":" + p.ID, Filters: filters}.Encode()
}

// parsePlace returns the place in a cursor of placeCursor. An invalid cursor is added to faults.
func parsePlace(faults *validate.Faults, text, filters string) (p interview.Place) {
	begun, id, _ := strings.Cut(wire.ParseCursor(faults, text, filters).After, ":")
	microseconds, err := strconv.ParseInt(begun, 10, 64)
	isPlace := err == nil && id != "" && !strings.ContainsRune(id, 0) // PostgreSQL stores no NUL
	if !isPlace {
		if !faults.In("cursor") {
			faults.Add("cursor", "invalid_value", "cursor must be the next_cursor of a response; omit it to begin.")
		}
		return p
	}
	if p.ID = id; microseconds != 0 {
		p.Begun = time.UnixMicro(microseconds).UTC()
	}
	return p
}

// Get handles GET /interviews/{id}. It responds with a session, as POST /interview does in mode report.
func (h *Sessions) Get(ctx context.Context, call *endpoint.Call) error {
	id, err := sessionID(call)
	if err != nil {
		return err
	}
	result, err := h.Records.Read(ctx, call.Caller.Account, id, requester(call))
	if err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.NewInterview(&result, call.Now()))
}

// sessionID returns the session ID in the path of a request without parameters.
func sessionID(call *endpoint.Call) (string, error) {
	id, err := call.PathID()
	if err != nil {
		return "", err
	}
	var faults validate.Faults
	call.Query(&faults)
	return id, faults.Err()
}

// Export handles GET /interviews/export. It streams the account's sessions with their answers, one per line. An error
// after the first line cuts the connection, so that a truncated export doesn't look complete.
func (h *Sessions) Export(ctx context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	selected := selection(call, &faults, call.Query(&faults, parameterFreelancer, parameterState))

	if err := faults.Err(); err != nil {
		return err
	}

	// The response begins with the first line, so that an error before it still has its status.
	out := endpoint.NewStream(call, h.WriteTime)
	begin := func() {
		call.SetHeader("Content-Type", endpoint.LinesType)
		call.Response.WriteHeader(http.StatusOK)
	}

	for result, err := range h.Records.Export(ctx, selected, requester(call)) {
		var line any
		switch {
		case errors.Is(err, interview.ErrDamaged):
			// A session that can't be read must not keep its account from exporting the others.
			line = wire.DamagedSession{SessionID: result.SessionID, Damaged: true}
		case err != nil:
			return fmt.Errorf("export interviews: %w", err)
		default:
			line = wire.NewInterview(&result, call.Now())
		}

		text, err := wire.Encode(line)
		if err != nil {
			return err
		}

		begin()
		if _, err := out.Write(text); err != nil {
			return err
		}
	}

	begin()
	return out.End()
}

// Delete handles DELETE /interviews/{id}. It deletes a session with everything the interviewed person said.
func (h *Sessions) Delete(ctx context.Context, call *endpoint.Call) error {
	id, err := sessionID(call)
	if err != nil {
		return err
	}
	if err := h.Interviewer.Delete(ctx, call.Caller.Account, id, requester(call)); err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.DeletedSession{SessionID: id})
}

// DeleteAll handles DELETE /interviews. It deletes the account's sessions about a freelancer, or all of them.
func (h *Sessions) DeleteAll(ctx context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	q := call.Query(&faults, parameterFreelancer, parameterState, "all")
	selected := selection(call, &faults, q)
	all := validate.Boolean(&faults, "all", q)
	_, hasFilter := q[parameterFreelancer]

	// A client that forgot its filter must not delete everything.
	switch {
	case faults.In("all") || faults.In(parameterFreelancer):
	case !all && !hasFilter:
		faults.Add(parameterFreelancer, "required", "%s is missing. To delete all sessions of the account, send all=true.",
			parameterFreelancer)
	case all && hasFilter:
		faults.Add("all", "contradiction", "Send either %s or all=true.", parameterFreelancer)
	}

	if err := faults.Err(); err != nil {
		return err
	}

	deleted, err := h.Records.DeleteAll(ctx, selected, requester(call))
	if err != nil {
		return err
	}

	return endpoint.WriteAnswer(call, wire.DeletedSessions{Deleted: deleted})
}
