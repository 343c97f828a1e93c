package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/api/wire"
)

// maxExported limits each list of an export.
const maxExported = 1_000_000

// The records in exports. They have no secrets: no password, token or key, and no hash of one.
type (
	exportedAccount struct {
		ID        string     `json:"id"`
		Name      string     `json:"name"`
		Plan      string     `json:"plan"`
		PlanSince time.Time  `json:"plan_since"`
		Created   time.Time  `json:"created"`
		Disabled  *time.Time `json:"disabled,omitempty"`

		ResultsOff *time.Time `json:"playground_results_off,omitempty"`

		TwoFactorRequired *time.Time `json:"two_factor_required,omitempty"`

		RecordingUntil *time.Time `json:"recording_until,omitempty"`
	}
	exportedUser struct {
		ID         string       `json:"id"`
		Email      string       `json:"email"`
		Role       account.Role `json:"role"`
		Created    time.Time    `json:"created"`
		LastSignIn *time.Time   `json:"last_sign_in,omitempty"`
		TwoFactor  *time.Time   `json:"two_factor_since,omitempty"`
	}
	exportedRequest struct {
		ID        string          `json:"id"`
		Key       string          `json:"key_id"`
		RequestID string          `json:"request_id"`
		Operation string          `json:"operation"`
		Status    int             `json:"status"`
		Code      string          `json:"code,omitempty"`
		At        time.Time       `json:"at"`
		Expires   time.Time       `json:"expires_at"`
		Content   json.RawMessage `json:"content"`
	}
	exportedRanking struct {
		matching.Ranking
		Note    string    `json:"note,omitempty"`
		User    string    `json:"user"`
		Created time.Time `json:"created"`
	}
	exportedKey struct {
		ID           string     `json:"id"`
		Name         string     `json:"name"`
		Key          string     `json:"key"` // masked
		Plan         string     `json:"plan"`
		Operations   []string   `json:"operations,omitempty"` // empty: all
		Networks     []string   `json:"networks,omitempty"`   // empty: any
		Created      time.Time  `json:"created"`
		Expires      *time.Time `json:"expires,omitempty"`
		Revoked      *time.Time `json:"revoked,omitempty"`
		LastUsed     *time.Time `json:"last_used,omitempty"`
		LastUsedFrom string     `json:"last_used_from,omitempty"` // network address
	}
	exportedLink struct {
		ID      string          `json:"id"`
		Purpose account.Purpose `json:"purpose"`
		Email   string          `json:"email,omitempty"`
		Role    account.Role    `json:"role,omitempty"`
		Created time.Time       `json:"created"`
		Expires time.Time       `json:"expires"`
	}
	exportedCount struct {
		Key       string `json:"key"`
		Day       string `json:"day"`
		Operation string `json:"operation"`
		Status    int    `json:"status"`
		Code      string `json:"code,omitempty"`
		Requests  int    `json:"requests"`
	}
	exportedFailure struct {
		Key       string    `json:"key"`
		At        time.Time `json:"at"`
		RequestID string    `json:"request_id"`
		Operation string    `json:"operation"`
		Status    int       `json:"status"`
		Code      string    `json:"code"`
	}
	exportedEvent struct {
		At      time.Time    `json:"at"`
		Actor   string       `json:"actor"`
		Action  audit.Action `json:"action"`
		Subject string       `json:"subject"`
		Detail  string       `json:"detail,omitempty"`
		Address string       `json:"address,omitempty"`
	}
	// An exportedMatch is a record of a response, with the events about it.
	exportedMatch struct {
		RequestID string          `json:"request_id"`
		At        time.Time       `json:"at"`
		Brief     json.RawMessage `json:"brief,omitempty"`
		Events    []reportedEvent `json:"events"`
	}
	reportedEvent struct {
		Type       events.Type `json:"type"`
		Freelancer string      `json:"freelancer_id"`
		At         time.Time   `json:"at"`
		Rank       int         `json:"rank"`
	}
	exportedResult struct {
		ID      string          `json:"id"`
		User    string          `json:"user"`
		Kind    results.Kind    `json:"kind"`
		Created time.Time       `json:"created"`
		Expires time.Time       `json:"expires"`
		Content json.RawMessage `json:"content"`
	}
	exportedProject struct {
		ID      string           `json:"id"`
		Owner   string           `json:"owner"` // ID of the user
		Name    string           `json:"name"`
		Brief   url.Values       `json:"brief"`
		Note    string           `json:"note,omitempty"`
		Created time.Time        `json:"created"`
		Changed time.Time        `json:"changed"`
		People  []exportedPerson `json:"people"`
	}
	exportedBrief struct {
		wire.SavedBrief
		List []briefs.Person `json:"list"`
	}
	exportedPerson struct {
		Freelancer string         `json:"freelancer_id"`
		State      projects.State `json:"state"`
		Note       string         `json:"note,omitempty"`
		Released   bool           `json:"released"`
		Rank       int            `json:"rank"`
		Score      float64        `json:"score"`
		Added      time.Time      `json:"added"`
		Changed    time.Time      `json:"changed"`
	}
	exportedInterview struct {
		ID      string          `json:"id"`
		Expires time.Time       `json:"expires"`
		Session json.RawMessage `json:"session"`
	}
)

// ExportAccount writes everything that belongs to an account as JSON, and records that somebody exported it. It returns
// account errors before it writes anything.
func (a *Access) ExportAccount(ctx context.Context, by audit.By, id string, w io.Writer) error {
	found, err := a.Accounts.Find(ctx, id)
	if err != nil {
		return err
	}
	users, err := a.Users.List(ctx, id)
	if err != nil {
		return err
	}

	keys, err := a.Keys.ListOf(ctx, id)
	if err != nil {
		return err
	}
	links, err := a.Links.List(ctx, id)
	if err != nil {
		return err
	}

	counts, err := a.DB.Usage.Usage(ctx, id, time.Unix(0, 0))
	if err != nil {
		return err
	}
	failures, err := a.DB.Usage.Failures(ctx, id, maxExported)
	if err != nil {
		return err
	}

	entries, err := a.AuditLog.Events(ctx, audit.Query{Account: id, Limit: maxExported})
	if err != nil {
		return err
	}
	interviews, err := a.DB.Interviews.IDsOf(ctx, id)
	if err != nil {
		return err
	}

	versions, published, err := a.DB.Rankings.List(ctx, id)
	if err != nil {
		return err
	}

	// An entry without an export is better than an export without an entry.
	err = a.DB.AuditLog.Record(ctx, audit.Event{
		At: time.Now().UTC(), Actor: by.Actor, Address: by.Address, Account: id, Action: audit.AccountExported, Subject: id,
	})
	if err != nil {
		return err
	}

	return writeObject(w, []member{
		{"exported", time.Now().UTC().Truncate(time.Second)},
		{"account", exportAccount(found)},
		{"users", mapped(users, exportUser)},
		{"keys", mapped(keys, exportKey)},
		{"links", mapped(links, exportLink)},
		{"rankings", mapped(versions, func(v rankings.Version) exportedRanking {
			return exportedRanking{v.Ranking, v.Note, v.MadeBy, v.Created}
		})},
		{"published_ranking", published},
		{"usage", exportCounts(counts)},
		{"failures", mapped(failures, func(f usage.Failure) exportedFailure { return exportedFailure(f) })},
		{"audit_log", mapped(entries, exportEvent)},
	}, []list{
		{"interviews", func(yield func(any) error) error { return a.eachInterview(ctx, interviews, yield) }},
		{"matches", func(yield func(any) error) error { return a.eachMatch(ctx, id, yield) }},
		{"projects", func(yield func(any) error) error { return a.eachProject(ctx, id, yield) }},
		{"saved_briefs", func(yield func(any) error) error { return a.eachBrief(ctx, id, yield) }},
		{"playground_results", func(yield func(any) error) error { return a.eachResult(ctx, id, yield) }},
		{"request_log", func(yield func(any) error) error { return a.eachRequest(ctx, id, yield) }},
	})
}

// ExportUser writes everything about a user of the dashboard as JSON, and records that somebody exported it.
func (a *Access) ExportUser(ctx context.Context, by audit.By, id string, w io.Writer) error {
	user, err := a.DB.Users.Find(ctx, id)
	if err != nil {
		return err
	}
	found, err := a.Accounts.Find(ctx, user.Account)
	if err != nil {
		return err
	}

	entries, err := a.AuditLog.Events(ctx, audit.Query{Account: user.Account, Limit: maxExported})
	if err != nil {
		return err
	}

	// The other entries are about other people of the account.
	entries = slices.DeleteFunc(entries, func(e audit.Event) bool { return e.Actor != id && e.Subject != id })
	err = a.DB.AuditLog.Record(ctx, audit.Event{
		At: time.Now().UTC(), Actor: by.Actor, Address: by.Address, Account: user.Account, Action: audit.UserExported,
		Subject: id,
	})
	if err != nil {
		return err
	}

	return writeObject(w, []member{
		{"exported", time.Now().UTC().Truncate(time.Second)},
		{"user", exportUser(user)},
		{"account", exportAccount(found)},
		{"audit_log", mapped(entries, exportEvent)},
	}, nil)
}

// eachInterview reads one interview at a time, because together they can be large.
func (a *Access) eachInterview(ctx context.Context, ids []string, yield func(any) error) error {
	for _, id := range ids {
		r, _, err := a.DB.Interviews.Read(ctx, id)
		if errors.Is(err, interview.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err == nil {
			err = yield(exportedInterview{r.ID, r.Expires, r.Data})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachResult produces the results of the playground that belong to an account, one at a time.
func (a *Access) eachResult(ctx context.Context, account string, yield func(any) error) error {
	ids, err := a.DB.Results.IDsOf(ctx, account)
	if err != nil {
		return err
	}
	for _, id := range ids {
		s, data, err := a.DB.Results.Read(ctx, id)
		if errors.Is(err, results.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err == nil {
			err = yield(exportedResult{s.ID, s.User, s.Kind, s.CreatedAt, s.Expires, data})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachRequest produces the entries of an account's request log, one at a time.
func (a *Access) eachRequest(ctx context.Context, account string, yield func(any) error) error {
	return a.DB.RequestLog.Each(ctx, account, func(r requestlog.Stored) error {
		return yield(exportedRequest{r.ID, r.Key, r.RequestID, r.Operation, r.Status, r.Code, r.At, r.Expires, r.Data})
	})
}

// eachProject produces the projects of an account, one at a time.
func (a *Access) eachProject(ctx context.Context, account string, yield func(any) error) error {
	return a.DB.Projects.Each(ctx, account, func(p projects.Project, people []projects.Person) error {
		return yield(exportedProject{
			p.ID, p.Owner, p.Name, p.Brief.Form, p.Note, p.Created, p.Changed,
			mapped(people, func(p projects.Person) exportedPerson {
				return exportedPerson{p.Freelancer, p.State, p.Note, p.Released, p.Match.Rank, p.Match.Score, p.Added, p.Changed}
			}),
		})
	})
}

// eachBrief produces the saved briefs of an account, one at a time.
func (a *Access) eachBrief(ctx context.Context, account string, yield func(any) error) error {
	return a.DB.Briefs.Each(ctx, account, func(b briefs.Brief) error {
		saved, err := wire.NewSavedBrief(&b)
		if err != nil {
			return err
		}
		return yield(exportedBrief{saved, b.People})
	})
}

// eachMatch produces the records of an account's matches, with the events about them.
func (a *Access) eachMatch(ctx context.Context, account string, yield func(any) error) error {
	store := a.DB.MatchEvents
	return store.EachMatch(ctx, account, false, func(m events.Match) error {
		reported, err := store.Of(ctx, m)
		if err != nil {
			return err
		}
		return yield(exportedMatch{m.ID, m.At, m.Brief, mapped(reported, func(e events.Event) reportedEvent {
			return reportedEvent{e.Type, e.Freelancer, e.At, e.Rank}
		})})
	})
}

// A member is one member of a JSON object.
type member struct {
	name  string
	value any
}

// A list is a member with a list that each produces, one element at a time.
type list struct {
	name string
	each func(yield func(any) error) error
}

// writeObject writes a JSON object with these members, and then the lists.
func writeObject(w io.Writer, members []member, lists []list) error {
	write := func(prefix string, value any) error {
		data, err := json.MarshalIndent(value, "  ", "  ")
		if err == nil {
			_, err = fmt.Fprintf(w, "%s%s", prefix, data)
		}
		return err
	}

	separator := "{"
	for _, m := range members {
		if err := write(fmt.Sprintf("%s\n  %q: ", separator, m.name), m.value); err != nil {
			return fmt.Errorf("write %s: %w", m.name, err)
		}
		separator = ","
	}

	// Lists may be large, so their elements are written as they are read.
	for _, l := range lists {
		if _, err := fmt.Fprintf(w, ",\n  %q: [", l.name); err != nil {
			return err
		}
		separator = ""
		err := l.each(func(element any) error {
			err := write(separator+"\n  ", element)
			separator = ","
			return err
		})
		if err != nil {
			return fmt.Errorf("write %s: %w", l.name, err)
		}
		if _, err := fmt.Fprint(w, "]"); err != nil {
			return err
		}
	}

	_, err := fmt.Fprint(w, "\n}\n")
	return err
}

// mapped returns f of each element. It never returns nil, which would be null in JSON.
func mapped[S, T any](elements []S, f func(S) T) []T {
	result := make([]T, len(elements))
	for i, element := range elements {
		result[i] = f(element)
	}
	return result
}

// known returns nil for the zero time.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func exportAccount(a account.Account) exportedAccount {
	return exportedAccount{
		a.ID, a.Name, a.Plan, a.PlanSince, a.Created, known(a.Disabled), known(a.ResultsOff),
		known(a.TwoFactorRequired), known(a.RecordingUntil),
	}
}

func exportUser(u account.User) exportedUser {
	return exportedUser{u.ID, u.Email, u.Role, u.Created, known(u.LastSignIn), known(u.TwoFactor.Since)}
}

func exportKey(k apikey.Key) exportedKey {
	networks := mapped(k.Networks, netip.Prefix.String)
	return exportedKey{
		ID: k.ID, Name: k.Name, Key: k.Masked(), Plan: k.Plan, Operations: k.Operations, Networks: networks,
		Created: k.Created, Expires: known(k.End()), Revoked: known(k.Revoked), LastUsed: known(k.LastUsed),
		LastUsedFrom: k.LastFrom,
	}
}

func exportLink(l account.Link) exportedLink {
	return exportedLink{l.ID, l.Purpose, l.Email, l.Role, l.Created, l.Expires}
}

// exportCounts returns daily counts without latencies, which are internal ranges.
func exportCounts(counts []usage.Count) []exportedCount {
	exported := []exportedCount{}
	for _, c := range counts {
		e := exportedCount{c.Key, c.Start.Format(time.DateOnly), c.Operation, c.Status, c.Code, c.Requests}
		if last := len(exported) - 1; last >= 0 && sameKind(exported[last], e) {
			exported[last].Requests += e.Requests // counts that differ only in their latency follow each other
			continue
		}
		exported = append(exported, e)
	}
	return exported
}

// sameKind reports whether two counts differ only in their requests.
func sameKind(a, b exportedCount) bool {
	a.Requests, b.Requests = 0, 0
	return a == b
}

func exportEvent(e audit.Event) exportedEvent {
	return exportedEvent{e.At, e.Actor, e.Action, e.Subject, e.Detail, e.Address}
}
