package api

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

	"github.com/gin-gonic/gin"

	"freelancer-matching/interview"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// InterviewRecords lists, reads and deletes stored interviews. An account sees its own only.
type InterviewRecords interface {
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
	// exportTime limits an export, which lasts as long as its client takes to read it.
	exportTime = 10 * time.Minute
	// maxExports limits concurrent exports of interviews, which keep the database busy.
	maxExports        = 16
	maxAccountExports = 2

	parameterFreelancer = "freelancer_id"
	parameterState      = "state"
)

// interviewRoutes returns the routes for stored interviews.
func (s *Server) interviewRoutes() []route {
	const (
		permission = "interview"
		all        = basePath + "/interviews"
		one        = all + "/{id}"
	)

	g := &s.gates
	return []route{
		{
			method: http.MethodGet, path: all, name: "interview-list", permission: permission,
			handle: s.listInterviews, gate: g.other,
		},
		{
			method: http.MethodGet, path: all + "/export", name: "interview-export", permission: permission,
			handle: s.exportInterviews, gate: g.exports, time: exportTime,
		},
		{
			method: http.MethodDelete, path: all, name: "interview-delete-all", permission: permission,
			handle: s.deleteInterviews, gate: g.other,
		},
		{
			method: http.MethodGet, path: one, name: "interview-get", permission: permission,
			handle: s.getInterview, gate: g.other,
		},
		{
			method: http.MethodDelete, path: one, name: "interview-delete", permission: permission,
			handle: s.deleteInterviewByID, gate: g.other,
		},
		{
			method: http.MethodPost, path: one + "/reviews", name: "interview-review", permission: permission,
			handle: s.reviewInterview, receive: g.receiveJSON(), gate: g.other,
		},
	}
}

// listInterviews responds with a page of the account's sessions.
func (s *Server) listInterviews(c *gin.Context) error {
	var faults validate.Faults
	q := validate.Query(c.Request.URL.RawQuery, &faults, parameterFreelancer, parameterState, "limit", "cursor")
	selected := selection(c, &faults, q)
	limit := wire.DefaultPage

	if text, ok := q["limit"]; ok {
		limit = int(validate.WholeNumber(&faults, "limit", text, 1, wire.MaxPage))
	}
	var after interview.Place

	if text, ok := q["cursor"]; ok {
		after = parsePlace(&faults, text, selectionHash(selected))
	}

	if err := faults.Err(); err != nil {
		return err
	}
	page, err := s.deps.Interviews.List(c.Request.Context(), selected, after, limit)
	if err != nil {
		return err
	}

	answer := wire.InterviewListAnswer{
		Status: "success", Data: wire.Convert(page.Sessions, wire.NewInterviewSummary), Damaged: page.Damaged,
		RequestID: requestID(c),
	}

	if page.Next.ID != "" {
		answer.NextCursor = wire.NullableString(placeCursor(page.Next, selectionHash(selected)))
	}
	answer.TookMS = tookMS(c)

	return writeJSON(c, http.StatusOK, jsonType, answer)
}

// selection returns the sessions that a query selects. Errors in it are added to faults.
func selection(c *gin.Context, faults *validate.Faults, query map[string]string) interview.Selection {
	selected := interview.Selection{Account: ownerOf(keyOf(c)), FreelancerID: query[parameterFreelancer]}
	if id, ok := query[parameterFreelancer]; ok {
		n := utf8.RuneCountInString(id)
		if n == 0 || n > interview.MaxFreelancerID || !utf8.ValidString(id) || strings.ContainsRune(id, 0) {
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
	if err != nil || id == "" || strings.ContainsRune(id, 0) {
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

// getInterview responds with a session, as POST /interview does in mode report.
func (s *Server) getInterview(c *gin.Context) error {
	id, err := sessionIDOf(c)
	if err != nil {
		return err
	}
	result, err := s.deps.Interviews.Read(c.Request.Context(), ownerOf(keyOf(c)), id, interviewRequester(c))
	if err != nil {
		return err
	}
	return writeAnswer(c, wire.NewInterview(&result))
}

// sessionIDOf returns the session ID in the path of a request without parameters.
func sessionIDOf(c *gin.Context) (string, error) {
	id, err := idOf(c)
	if err != nil {
		return "", err
	}
	var faults validate.Faults
	validate.Query(c.Request.URL.RawQuery, &faults)
	return id, faults.Err()
}

// exportInterviews streams the account's sessions with their answers, one per line. An error after the first line cuts
// the connection, so that a truncated export doesn't look complete.
func (s *Server) exportInterviews(c *gin.Context) error {
	var faults validate.Faults
	selected := selection(c, &faults, validate.Query(c.Request.URL.RawQuery, &faults, parameterFreelancer, parameterState))

	if err := faults.Err(); err != nil {
		return err
	}

	out := &stream{
		w: c.Writer, control: http.NewResponseController(c.Writer), timeout: s.deps.RequestTimeout,
	}
	begin := func() {
		c.Header("Content-Type", linesType)
		c.Status(http.StatusOK)
	}
	for result, err := range s.deps.Interviews.Export(c.Request.Context(), selected, interviewRequester(c)) {
		var line any
		switch {
		case errors.Is(err, interview.ErrDamaged):
			line = wire.DamagedSession{SessionID: result.SessionID, Damaged: true}
		case err != nil:
			return fmt.Errorf("export interviews: %w", err)
		default:
			line = wire.NewInterview(&result)
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
	return out.end()
}

// deleteInterviewByID deletes a session with everything the interviewed person said.
func (s *Server) deleteInterviewByID(c *gin.Context) error {
	id, err := sessionIDOf(c)
	if err != nil {
		return err
	}
	if err := s.deps.Interviewer.Delete(c.Request.Context(), ownerOf(keyOf(c)), id, interviewRequester(c)); err != nil {
		return err
	}
	return writeAnswer(c, wire.DeletedSession{SessionID: id})
}

// deleteInterviews deletes the account's sessions about a freelancer, or all of them.
func (s *Server) deleteInterviews(c *gin.Context) error {
	var faults validate.Faults
	q := validate.Query(c.Request.URL.RawQuery, &faults, parameterFreelancer, parameterState, "all")
	selected := selection(c, &faults, q)
	all := validate.Boolean(&faults, "all", q)
	_, hasFilter := q[parameterFreelancer]
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
	deleted, err := s.deps.Interviews.DeleteAll(c.Request.Context(), selected, interviewRequester(c))
	if err != nil {
		return err
	}

	return writeAnswer(c, wire.DeletedSessions{Deleted: deleted})
}
