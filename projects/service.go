package projects

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Service manages the projects of accounts. It is safe for concurrent use.
type Service struct {
	Store
	now func() time.Time
}

// New returns a Service.
func New(store Store, now func() time.Time) *Service { return &Service{store, now} }

// newID returns a random ID with a prefix, such as prj_ and 16 characters of 5 bits.
func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()[:16]) }

// time returns the time as stores keep it.
func (s *Service) time() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// event returns an entry of the audit log about a project.
func (s *Service) event(by audit.By, action audit.Action, account, id, detail string) audit.Event {
	return audit.Event{
		At: s.time(), Actor: by.Actor, Account: account, Action: action, Subject: id, Detail: detail, Address: by.Address,
	}
}

// Create stores a project of an account, whose owner is who makes the request. It sets ID, owner and times.
func (s *Service) Create(ctx context.Context, by audit.By, p Project, people []Person) (Project, error) {
	p.ID = newID("prj_")
	p.Owner = by.Actor
	p.Created = s.time()
	p.Changed = p.Created
	p.Name = cutName(p.Name)
	if err := check(&p); err != nil {
		return p, err
	}

	brief, err := json.Marshal(p.Brief)
	if err != nil {
		return p, fmt.Errorf("encode brief: %w", err)
	}
	if len(brief) > MaxBrief {
		return p, invalid("name", "can't be saved, because the brief is larger than %d kB", MaxBrief>>10)
	}

	people = s.added(people)
	if len(people) > MaxPeople {
		return p, refusal(ErrFull)
	}
	e := s.event(by, audit.ProjectCreated, p.Account, p.ID, "")
	return p, refusal(s.Insert(ctx, &p, people, e))
}

// added returns people with the times at which they are added, each once.
func (s *Service) added(people []Person) []Person {
	var list []Person
	for _, p := range people {
		if slices.ContainsFunc(list, func(known Person) bool { return known.Freelancer == p.Freelancer }) {
			continue
		}
		p.State = cmp.Or(p.State, Shortlisted)
		p.Added = s.time()
		p.Changed = p.Added
		list = append(list, p)
	}
	return list
}

// cutName returns a name in one line, cut to MaxName characters.
func cutName(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if utf8.RuneCountInString(name) > MaxName {
		name = string([]rune(name)[:MaxName-1]) + "…"
	}
	return name
}

// check returns the faults of what users enter about a project.
func check(p *Project) error {
	if p.Name == "" {
		return invalid("name", "is required")
	}
	if utf8.RuneCountInString(p.Name) > MaxName || strings.ContainsFunc(p.Name, unicode.IsControl) {
		return invalid("name", "must have at most %d characters in one line", MaxName)
	}
	return checkNote(p.Note)
}

func checkNote(note string) error {
	if n := utf8.RuneCountInString(note); n > MaxNote {
		return invalid("note", "has %d characters; %d are allowed", n, MaxNote)
	}
	return nil
}

func invalid(field, format string, args ...any) error {
	message := field + " " + fmt.Sprintf(format, args...)
	return matching.Invalid([]matching.FieldError{{Field: field, Code: "invalid_value", Message: message}})
}

// refusal returns an error of a store in words for users.
func refusal(err error) error {
	switch {
	case errors.Is(err, ErrFull):
		return &matching.Error{Code: CodeFull, Cause: err, Message: fmt.Sprintf("An account can have %d projects, and a "+
			"project %d people and %d links. Delete or remove some first.", MaxProjects, MaxPeople, MaxLinks)}
	case errors.Is(err, ErrChanged):
		return &matching.Error{Code: CodeChanged, Cause: err, Message: "Somebody else has changed this note since you " +
			"opened the page. Copy your text, open the page again, and repeat your change."}
	default:
		return err
	}
}

// Update changes name and note of a project. before is the note that the user has seen.
func (s *Service) Update(ctx context.Context, p Project, before string) error {
	if err := check(&p); err != nil {
		return err
	}
	p.Changed = s.time()
	return refusal(s.Store.Update(ctx, &p, before))
}

// SetOwner makes a user responsible for a project.
func (s *Service) SetOwner(ctx context.Context, account, id, owner string) error {
	return s.Store.SetOwner(ctx, account, id, owner, s.time())
}

// Delete deletes a project with its people, notes and links.
func (s *Service) Delete(ctx context.Context, by audit.By, account, id string) error {
	return s.Store.Delete(ctx, account, id, s.event(by, audit.ProjectDeleted, account, id, ""))
}

// RecordExport records in the audit log that a project was written to a file in a format.
func (s *Service) RecordExport(ctx context.Context, by audit.By, account, id, format string) error {
	return s.Record(ctx, s.event(by, audit.ProjectExported, account, id, format))
}

// Add adds people to a project, who are shortlisted unless they have a state. Those who are in it stay as they are.
func (s *Service) Add(ctx context.Context, account, id string, people ...Person) error {
	return refusal(s.Store.Add(ctx, account, id, s.added(people), s.time()))
}

// Person returns a person of a project.
func (s *Service) Person(ctx context.Context, account, id, freelancer string) (Person, error) {
	_, people, err := s.Find(ctx, account, id)
	if err != nil {
		return Person{}, err
	}
	for _, p := range people {
		if p.Freelancer == freelancer {
			return p, nil
		}
	}
	return Person{}, ErrNotFound
}

// SetState changes the state of a person.
func (s *Service) SetState(ctx context.Context, account, id, freelancer string, state State) error {
	if !slices.Contains(States(), state) {
		return invalidState()
	}
	return s.Store.SetState(ctx, account, id, freelancer, state, s.time())
}

// invalidState returns the error for a state that doesn't exist.
func invalidState() error {
	var names []string
	for _, state := range States() {
		names = append(names, string(state))
	}
	return &matching.Error{
		Code: CodeInvalid, Message: "The state of a person must be one of " + strings.Join(names, ", ") + ".",
	}
}

// SetNote changes the note about a person. before is the note that the user has seen.
func (s *Service) SetNote(ctx context.Context, account, id, freelancer, note, before string) error {
	if err := checkNote(note); err != nil {
		return err
	}
	return refusal(s.Store.SetNote(ctx, account, id, freelancer, note, before, s.time()))
}

// Release sets whether the links of a project show name and profile of a person.
func (s *Service) Release(ctx context.Context, by audit.By, account, id, freelancer string, released bool) error {
	action := audit.ProjectReleased
	if !released {
		action = audit.ProjectHidden
	}
	e := s.event(by, action, account, id, "name and profile of 1 person")
	return s.Store.Release(ctx, account, id, freelancer, released, e)
}

// Remove removes a person and the note about them from a project.
func (s *Service) Remove(ctx context.Context, account, id, freelancer string) error {
	return s.Store.Remove(ctx, account, id, freelancer, s.time())
}

// Unlist removes a person who is only shortlisted, or returns ErrKept if they have a note or another state.
func (s *Service) Unlist(ctx context.Context, account, id, freelancer string) error {
	return s.Store.Unlist(ctx, account, id, freelancer, s.time())
}

// Share creates a link to a project, and returns its token, which isn't stored.
func (s *Service) Share(
	ctx context.Context, by audit.By, account, id string, days int,
) (token string, l Link, err error) {
	if days < 1 || days > MaxLinkDays {
		return "", l, invalid("days", "must be a number from 1 to %d", MaxLinkDays)
	}
	l = Link{ID: newID("shr_"), Project: id, MadeBy: by.Actor, Created: s.time()}
	l.Expires = l.Created.AddDate(0, 0, days)
	token = rand.Text()
	e := s.event(by, audit.ProjectShared, account, id, "until "+l.Expires.Format(time.DateOnly))
	return token, l, refusal(s.AddLink(ctx, account, l, sha256.Sum256([]byte(token)), e))
}

// Links returns the links of a project that work, the newest first.
func (s *Service) Links(ctx context.Context, account, id string) ([]Link, error) {
	return s.Store.Links(ctx, account, id, s.time())
}

// Revoke ends a link.
func (s *Service) Revoke(ctx context.Context, by audit.By, account, id, link string) error {
	return s.DeleteLink(ctx, account, id, link, s.event(by, audit.ProjectLinkRevoked, account, id, ""))
}

// Open returns the project of a link with its people, or ErrNotFound if no link with this token works.
func (s *Service) Open(ctx context.Context, token string) (p Project, people []Person, l Link, err error) {
	l, account, err := s.Shared(ctx, sha256.Sum256([]byte(token)), s.time())
	if err == nil {
		p, people, err = s.Find(ctx, account, l.Project)
	}
	return p, people, l, err
}
