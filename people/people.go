// Package people finds, exports and erases what the service stores about a freelancer, wherever it is: in every index,
// in dead letters, in interviews with their idempotent results, in verdicts on unknown words, in matches with their
// events, in results of the dashboard's playground, in the request log, and in the audit log.
package people

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/sessions"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/skills"
)

// A Subject is whom a request concerns. Its IDs and addresses may belong to one person or to several.
type Subject struct {
	IDs    []string `json:"ids,omitempty"`    // of freelancers
	Emails []string `json:"emails,omitempty"` // in lower case
}

// ParseSubject returns the subject named by freelancer IDs and email addresses. A text with an @ is an address.
func ParseSubject(texts []string) Subject {
	var s Subject
	for _, text := range texts {
		switch text = strings.TrimSpace(text); {
		case text == "":
		case strings.Contains(text, "@"):
			s.Emails = append(s.Emails, strings.ToLower(text))
		default:
			s.IDs = append(s.IDs, text)
		}
	}
	return s
}

// withResumes returns the subject with the IDs that resumes with the subject's addresses have.
func (s *Service) withResumes(subject Subject) Subject {
	subject.IDs = slices.Clone(subject.IDs)
	for _, email := range subject.Emails {
		subject.IDs = append(subject.IDs, resume.EmailID(email), s.DraftKey.ID(email))
	}
	return subject
}

// Interviews stores interviews and the results of requests about them.
type Interviews interface {
	// IDs returns the IDs of all interviews, including expired ones.
	IDs(ctx context.Context) ([]string, error)
	// IDsWith returns the IDs of the interviews whose data contains a text.
	IDsWith(ctx context.Context, text []byte) ([]string, error)
	// Read returns an interview, even if it has expired, with the stored results of requests about it. It returns
	// interview.ErrNotFound if it was deleted.
	Read(ctx context.Context, id string) (interview.Record, [][]byte, error)
	// Delete deletes an interview of an account and the stored results of requests about it, or returns
	// interview.ErrNotFound.
	Delete(ctx context.Context, account, id string) error
	// Redact replaces the data of an interview and deletes the stored results of requests about it. It returns
	// interview.ErrChanged if the interview has another version than r.
	Redact(ctx context.Context, r interview.Record, data []byte) error
}

// Verdicts stores verdicts on unknown words.
type Verdicts interface {
	// List returns the verdicts that have not expired at a time.
	List(ctx context.Context, at time.Time) ([]skills.KeptVerdict, error)
	// Delete deletes the verdict with a key.
	Delete(ctx context.Context, key string) error
}

// A Log is the audit log.
type Log interface {
	// Pseudonym returns the pseudonym of a text, which is always the same and does not reveal the text.
	Pseudonym(ctx context.Context, text string) (string, error)
	// CountMentions returns the number of entries that contain one of the texts or are about one of the freelancers, given
	// by ID.
	CountMentions(ctx context.Context, texts, freelancers []string) (int, error)
	// ReplaceMentions replaces the texts by their pseudonyms in all entries, and the subjects of entries about some
	// freelancers. It returns the number of changed entries.
	ReplaceMentions(ctx context.Context, texts, freelancers []string) (int, error)
	// Record adds entries.
	Record(ctx context.Context, events ...audit.Event) error
}

// An Eraser deletes freelancers from every index.
type Eraser interface {
	// Erase deletes the freelancers with these IDs and returns what happened to the indexes. At least one index has at
	// least one of them.
	Erase(ctx context.Context, ids []string) (ErasedIndexes, error)
}

// ErasedIndexes describes what happened to the indexes.
type ErasedIndexes struct {
	InPlace  bool     // the indexes were changed in place
	Live     string   // the live index
	Previous string   // the index that a rollback returns to; "" if a rollback is not possible
	Dropped  []string // earlier indexes that were dropped, because they had the person
}

// A Config holds the dependencies of a Service. All are required, except that Eraser is needed to erase only,
// DraftKey to look for email addresses only, and Vectors may be nil.
type Config struct {
	Indexes    engine.Indexer
	Alias      string // of the live index
	Eraser     Eraser
	Letters    Letters
	Vectors    func(ctx context.Context, ids []string) error // erases the vectors of profiles; nil if there are none
	Exports    Exports
	List       *List
	Interviews Interviews
	Verdicts   Verdicts
	Events     Events
	Results    Results
	Requests   Results // the request log
	Projects   Projects
	Saved      Briefs
	Log        Log
	DraftKey   resume.DraftKey
	// Announce is called with the IDs of freelancers whom Erase is about to erase from indexes. It may be nil.
	Announce func(ctx context.Context, ids []string) error
	Scrub    func(context.Context) error // removes what deleted rows leave in the files of the database
	Now      func() time.Time
}

// A Service finds, exports and erases people. It records each use in the audit log, under a pseudonym.
type Service struct{ Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// Found is everything that the service stores about a subject.
type Found struct {
	Subject     Subject              `json:"subject"`
	Listed      bool                 `json:"erased_before"` // the subject is on the list of erased people
	Freelancers []Freelancer         `json:"freelancers"`
	Unreadable  []string             `json:"unreadable_indexes,omitempty"` // which may have the subject
	DeadLetters []Letter             `json:"dead_letters"`
	Interviews  []Interview          `json:"interviews"`   // about the subject
	MentionedIn []string             `json:"mentioned_in"` // IDs of interviews about others that contain an address
	Verdicts    []skills.KeptVerdict `json:"verdicts"`
	Events      []Event              `json:"events"`             // of matches
	ShownIn     int                  `json:"shown_in"`           // records of matches with hashes of the subject's IDs
	Briefs      int                  `json:"briefs"`             // stored briefs that mention the subject
	Results     []string             `json:"playground_results"` // IDs
	Requests    []string             `json:"request_log"`        // IDs
	Shortlisted []Shortlisting       `json:"shortlisted"`        // in projects
	// ProjectTexts has the IDs of projects whose brief or notes about others mention the subject.
	ProjectTexts []string  `json:"project_texts"`
	Watched      []Listing `json:"saved_briefs"`      // whose lists have the subject
	BriefTexts   []string  `json:"saved_brief_texts"` // IDs of saved briefs that mention the subject
	AuditLog     int       `json:"audit_log_entries"` // entries with the subject's IDs or addresses

	traces traces
}

// A Freelancer is the subject's record in one index.
type Freelancer struct {
	Index  string              `json:"index"`
	Live   bool                `json:"live"`
	Record matching.Freelancer `json:"record"`
}

// An Interview is an interview about the subject.
type Interview struct {
	ID         string            `json:"id"`
	Account    string            `json:"account,omitempty"` // that holds it
	Freelancer string            `json:"freelancer"`        // ID
	Expires    time.Time         `json:"expires"`
	Session    json.RawMessage   `json:"session"`           // the profile, questions, answers and the evaluation
	Results    []json.RawMessage `json:"results,omitempty"` // stored responses to requests with an Idempotency-Key
}

// IsEmpty reports whether nothing is stored about the subject.
func (f *Found) IsEmpty() bool {
	return len(f.Freelancers)+len(f.DeadLetters)+len(f.Interviews)+len(f.MentionedIn)+len(f.Verdicts)+
		len(f.Events)+len(f.Results)+len(f.Requests)+len(f.Shortlisted)+len(f.ProjectTexts)+f.ShownIn+f.Briefs+f.AuditLog == 0
}

// IDs returns the distinct IDs of the freelancers that were found in indexes, sorted.
func (f *Found) IDs() []string {
	ids := map[string]bool{}
	for _, freelancer := range f.Freelancers {
		ids[freelancer.Record.ID] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

// Find returns everything that is stored about a subject, and records that somebody looked.
func (s *Service) Find(ctx context.Context, by audit.By, subject Subject) (*Found, error) {
	return s.read(ctx, by, subject, audit.PersonFound)
}

// Export returns the same as Find, and records that it was exported.
func (s *Service) Export(ctx context.Context, by audit.By, subject Subject) (*Found, error) {
	return s.read(ctx, by, subject, audit.PersonExported)
}

func (s *Service) read(ctx context.Context, by audit.By, subject Subject, action audit.Action) (*Found, error) {
	found, err := s.find(ctx, subject)
	if err != nil {
		return nil, err
	}
	return found, s.record(ctx, by, "", action, subject, found.summary())
}

// find looks everywhere. What the indexes say about the subject (names and profile addresses) helps to recognize the
// subject in dead letters, which often have no ID.
func (s *Service) find(ctx context.Context, subject Subject) (*Found, error) {
	found := &Found{Subject: subject, traces: newTraces(s.withResumes(subject))}
	for _, step := range []func(context.Context, *Found) error{
		s.findListed, s.findFreelancers, s.findInterviews, s.findLetters, s.findVerdicts,
		s.findMatchEvents, s.findResults, s.findProjects, s.findBriefs, s.findEvents,
	} {
		if err := step(ctx, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (s *Service) findListed(ctx context.Context, found *Found) error {
	erased, err := s.List.Read(ctx)
	if err != nil {
		return err
	}
	found.Listed = erased.hasAny(found.traces.subject)
	return nil
}

// findFreelancers looks into every index that is complete. The next load removes the others.
func (s *Service) findFreelancers(ctx context.Context, found *Found) error {
	infos, err := s.Indexes.Indexes(ctx)
	if err != nil {
		return err
	}
	live, _, err := s.Indexes.Alias(ctx, s.Alias)
	if err != nil {
		return err
	}

	search := func(look func(ctx context.Context, index string) ([]matching.Freelancer, error)) error {
		for _, info := range slices.Backward(infos) {
			if !info.Complete {
				continue
			}

			records, err := look(ctx, info.Name)
			// An earlier index that can't be read must not prevent an erasure from the others.
			if engine.Unusable(err) && info.Name != live {
				if !slices.Contains(found.Unreadable, info.Name) {
					found.Unreadable = append(found.Unreadable, info.Name)
				}
				continue
			}

			if err != nil {
				return fmt.Errorf("search index %q: %w", info.Name, err)
			}

			for _, r := range records {
				found.Freelancers = append(found.Freelancers, Freelancer{info.Name, info.Name == live, r})
			}
		}

		return nil
	}

	if len(found.Subject.Emails) > 0 {
		err := search(func(ctx context.Context, index string) ([]matching.Freelancer, error) {
			return s.scan(ctx, index, found.traces.mention)
		})
		if err != nil {
			return err
		}
	}

	// An earlier record of somebody found by an address may lack the address, so look for IDs afterward.
	ids := union(found.traces.subject.IDs, found.IDs())
	found.Freelancers = nil
	err = search(func(ctx context.Context, index string) ([]matching.Freelancer, error) {
		return s.fetch(ctx, index, ids)
	})

	for _, f := range found.Freelancers {
		found.traces.learn(&f.Record)
	}

	return err
}

// fetch returns the freelancers with some of these IDs that an index has.
func (s *Service) fetch(ctx context.Context, index string, ids []string) ([]matching.Freelancer, error) {
	snapshot, err := s.Indexes.OpenIndex(ctx, index)
	if err != nil {
		return nil, err
	}
	var records []matching.Freelancer
	for _, id := range ids {
		fetched, err := snapshot.Fetch(ctx, []string{id})
		switch {
		case err == nil:
			records = append(records, fetched...)
		case isDamaged(err):
			records = append(records, matching.Freelancer{ID: id})
		case !errors.Is(err, engine.ErrNotFound):
			return nil, err
		}
	}
	return records, nil
}

// isDamaged reports whether a record exists but can't be read.
func isDamaged(err error) bool {
	_, damaged := errors.AsType[*engine.DamagedError](err)
	return damaged
}

// scan returns the freelancers of an index for whom match returns true. It reads the whole index.
func (s *Service) scan(
	ctx context.Context, index string, match func(*matching.Freelancer) bool,
) (records []matching.Freelancer, err error) {
	for f, err := range s.Indexes.Scan(ctx, index) {
		if isDamaged(err) {
			continue // its texts are lost; fetch finds it by its ID
		}
		if err != nil {
			return nil, err
		}
		if match(&f) {
			records = append(records, f)
		}
	}
	return records, nil
}

func (s *Service) findInterviews(ctx context.Context, found *Found) error {
	ids, err := s.Interviews.IDs(ctx)
	if err != nil {
		return err
	}
	return s.searchInterviews(ctx, found, ids)
}

// searchInterviews reads one interview at a time, so that it neither holds a connection nor fills the memory.
func (s *Service) searchInterviews(ctx context.Context, found *Found, ids []string) error {
	for _, id := range ids {
		r, results, err := s.Interviews.Read(ctx, id)
		if errors.Is(err, interview.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}

		about, err := sessions.SubjectOf(r)
		isAbout := slices.Contains(found.traces.subject.IDs, about.ID)
		if err != nil { // a damaged session must not protect what it says about the subject
			isAbout = anyText(r.Data, found.traces.occurIn)
		}

		if !isAbout {
			if anyText(r.Data, found.traces.hasEmail) {
				found.MentionedIn = append(found.MentionedIn, id)
			}
			continue
		}

		// Dead letters may have the name that the freelancer had at that time.
		found.traces.learn(&matching.Freelancer{Name: about.Name})
		i := Interview{ID: id, Account: r.Account, Freelancer: about.ID, Expires: r.Expires, Session: rawJSON(r.Data)}
		for _, result := range results {
			i.Results = append(i.Results, rawJSON(result))
		}

		found.Interviews = append(found.Interviews, i)
	}

	return nil
}

// rawJSON returns data if it is JSON, and otherwise the JSON string with its text.
func rawJSON(data []byte) json.RawMessage {
	if !json.Valid(data) {
		data, _ = json.Marshal(string(data)) // a string is always valid
	}
	return data
}

func (s *Service) findLetters(_ context.Context, found *Found) (err error) {
	found.DeadLetters, err = s.Letters.find(&found.traces)
	return err
}

func (s *Service) findVerdicts(ctx context.Context, found *Found) error {
	all, err := s.Verdicts.List(ctx, time.Unix(1, 0)) // with expired ones, which are still stored
	if err != nil {
		return err
	}
	for _, v := range all {
		if found.traces.occurIn(v.Word) || found.traces.occurIn(v.Name) {
			found.Verdicts = append(found.Verdicts, v)
		}
	}
	return nil
}

func (s *Service) findEvents(ctx context.Context, found *Found) (err error) {
	found.AuditLog, err = s.Log.CountMentions(ctx, found.traces.longIDs(), found.traces.subject.IDs)
	return err
}

// summary says in a few words where the subject was found, without identifying anybody.
func (f *Found) summary() string {
	return fmt.Sprintf("%d index records, %d dead letters, %d interviews, %d mentions in other interviews, %d verdicts, "+
		"%d events, %d match records, %d briefs, %d playground results, %d logged requests, %d places in projects, "+
		"%d texts of projects, %d places on lists of briefs, %d texts of saved briefs, %d audit log entries",
		len(f.Freelancers),
		len(f.DeadLetters), len(f.Interviews), len(f.MentionedIn), len(f.Verdicts), len(f.Events), f.ShownIn, f.Briefs,
		len(f.Results), len(f.Requests), len(f.Shortlisted), len(f.ProjectTexts), len(f.Watched),
		len(f.BriefTexts), f.AuditLog)
}

// record adds an entry to the audit log for each ID and address of a subject. The entries belong to an account, or to
// none if it is "".
func (s *Service) record(
	ctx context.Context, by audit.By, account string, action audit.Action, subject Subject, detail string,
) error {
	var events []audit.Event
	for _, text := range slices.Concat(subject.IDs, subject.Emails) {
		pseudonym, err := s.Log.Pseudonym(ctx, text)
		if err != nil {
			return err
		}
		events = append(events, audit.Event{
			At: s.Now().UTC(), Actor: by.Actor, Address: by.Address, Account: account, Action: action, Subject: pseudonym,
			Detail: detail,
		})
	}
	return s.Log.Record(ctx, events...)
}
