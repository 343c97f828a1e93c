package storetest

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/store"
)

// Projects tests a projects.Store.
func Projects(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"a project is read as inserted":                findsProject,
		"projects are listed by their last change":     listsProjects,
		"accounts don't see each other's projects":     separatesProjects,
		"concurrent requests respect the limits":       limitsProjects,
		"a note isn't overwritten unseen":              keepsNotes,
		"each change leaves the others as they are":    changesOneThing,
		"people are added once and removed":            changesPeople,
		"a link works until it expires or is revoked":  opensLinks,
		"people are erased from projects":              erasesFromProjects,
		"projects are deleted with their account":      deletesAccountProjects,
		"a change is stored with its entry in the log": logsProjects,
	}.run(t, func(t *testing.T) *store.DB {
		db := open(t)
		register(t, db, 1)
		register(t, db, 2)
		return db
	})
}

func testProject(n, acc int) projects.Project {
	return projects.Project{
		ID: fmt.Sprintf("prj_%03d", n), Account: testAccount(acc).ID, Owner: "usr_1", Name: "Œuvre <b>", Note: "a\nb",
		Brief:   projects.Brief{Form: url.Values{"description": {"A shop"}}, Result: fmt.Sprintf("result%d", n)},
		Created: after(n), Changed: after(n),
	}
}

func testPerson(id string, rank int) projects.Person {
	return projects.Person{
		Freelancer: id, State: projects.Shortlisted, Note: "called", Released: rank%2 == 0, Added: after(rank),
		Match:   projects.Match{Request: "r1", Rank: rank, Score: .75, Has: []string{"Go"}, Lacks: []string{"C"}},
		Changed: after(rank),
	}
}

func insertProject(t *testing.T, s *store.DB, n, acc int, people ...projects.Person) projects.Project {
	t.Helper()
	p := testProject(n, acc)
	noError(t, s.Projects.Insert(t.Context(), &p, people, event(n, p.Account)))
	return p
}

func peopleOf(t *testing.T, s *store.DB, p projects.Project) []projects.Person {
	t.Helper()
	_, people, err := s.Projects.Find(t.Context(), p.Account, p.ID)
	noError(t, err)
	return people
}

func findsProject(t *testing.T, s *store.DB) {
	people := []projects.Person{testPerson("b", 1), testPerson("a", 2)}
	p := insertProject(t, s, 1, 1, people[1], people[0])
	got, list, err := s.Projects.Find(t.Context(), p.Account, p.ID)
	noError(t, err)
	wantEqual(t, p, got)
	wantEqual(t, people, list)
	wantEqual(t, p.ID, must(s.Projects.OfResult(t.Context(), p.Account, "result1")))
	_, err = s.Projects.OfResult(t.Context(), p.Account, "other")
	wantError(t, err, projects.ErrNotFound)
}

func listsProjects(t *testing.T, s *store.DB) {
	first := insertProject(t, s, 1, 1, testPerson("a", 1), testPerson("b", 2))
	second := insertProject(t, s, 2, 1)
	noError(t, s.Projects.SetState(t.Context(), first.Account, first.ID, "b", projects.Hired, after(9)))
	wantEqual(t, []projects.Summary{
		{
			ID: first.ID, Owner: first.Owner, Name: first.Name, Changed: after(9),
			People: map[projects.State]int{projects.Shortlisted: 1, projects.Hired: 1},
		},
		{
			ID: second.ID, Owner: second.Owner, Name: second.Name, Changed: second.Changed,
			People: map[projects.State]int{},
		},
	}, must(s.Projects.List(t.Context(), first.Account)))
}

func separatesProjects(t *testing.T, s *store.DB) {
	p := insertProject(t, s, 1, 1, testPerson("a", 1))
	other := testAccount(2).ID
	mine := testLinkTo(p, 1)
	noError(t, s.Projects.AddLink(t.Context(), p.Account, mine, sha256.Sum256(nil), event(1, p.Account)))

	_, _, err := s.Projects.Find(t.Context(), other, p.ID)
	foreign := p
	foreign.Account = other
	person := testPerson("a", 1)
	for name, err := range map[string]error{
		"find":   err,
		"update": s.Projects.Update(t.Context(), &foreign, p.Note),
		"delete": s.Projects.Delete(t.Context(), other, p.ID, event(1, other)),
		"add":    s.Projects.Add(t.Context(), other, p.ID, []projects.Person{testPerson("z", 1)}, after(2)),
		"own":    s.Projects.SetOwner(t.Context(), other, p.ID, "usr_9", after(2)),
		"state":  s.Projects.SetState(t.Context(), other, p.ID, "a", projects.Hired, after(2)),
		"note":   s.Projects.SetNote(t.Context(), other, p.ID, "a", "mine", person.Note, after(2)),
		"hide":   s.Projects.Release(t.Context(), other, p.ID, "a", true, event(1, other)),
		"remove": s.Projects.Remove(t.Context(), other, p.ID, "a", after(1)),
		"share":  s.Projects.AddLink(t.Context(), other, testLinkTo(p, 2), sha256.Sum256([]byte("x")), event(1, other)),
		"revoke": s.Projects.DeleteLink(t.Context(), other, p.ID, mine.ID, event(1, other)),
	} {
		t.Run(name, func(t *testing.T) { wantError(t, err, projects.ErrNotFound) })
	}

	wantEqual(t, 0, len(must(s.Projects.List(t.Context(), other))))
	wantEqual(t, 0, len(must(s.Projects.Links(t.Context(), other, p.ID, start()))))
	wantEqual(t, []projects.Person{person}, peopleOf(t, s, p))

	nowhere := testProject(7, 9)
	wantError(t, s.Projects.Insert(t.Context(), &nowhere, nil, event(1, nowhere.Account)), projects.ErrNotFound)
}

func limitsProjects(t *testing.T, s *store.DB) {
	first := insertProject(t, s, 1, 1)
	for n := 2; n < projects.MaxProjects-1; n++ {
		insertProject(t, s, n, 1)
	}
	failed := concurrently(t, func(i int) error {
		p := testProject(1000+i, 1)
		return s.Projects.Insert(t.Context(), &p, nil, event(i, p.Account))
	}, projects.ErrFull)
	wantEqual(t, callers-2, failed[projects.ErrFull])

	var people []projects.Person
	for n := range projects.MaxPeople - 1 {
		people = append(people, testPerson(fmt.Sprint("p", n), n+1))
	}
	noError(t, s.Projects.Add(t.Context(), first.Account, first.ID, people, after(1)))
	failed = concurrently(t, func(i int) error {
		return s.Projects.Add(t.Context(), first.Account, first.ID, []projects.Person{testPerson(fmt.Sprint("q", i), i)},
			after(2))
	}, projects.ErrFull)
	wantEqual(t, callers-1, failed[projects.ErrFull])

	failed = concurrently(t, func(i int) error {
		token := sha256.Sum256([]byte(fmt.Sprint(i)))
		return s.Projects.AddLink(t.Context(), first.Account, testLinkTo(first, i), token, event(i, first.Account))
	}, projects.ErrFull)
	wantEqual(t, max(0, callers-projects.MaxLinks), failed[projects.ErrFull])
}

func keepsNotes(t *testing.T, s *store.DB) {
	p := insertProject(t, s, 1, 1, testPerson("a", 1))
	before := p.Note
	p.Name = "New"
	p.Note = "c"
	p.Changed = after(5)
	noError(t, s.Projects.Update(t.Context(), &p, before))
	got, _, err := s.Projects.Find(t.Context(), p.Account, p.ID)
	noError(t, err)
	wantEqual(t, p, got)
	wantError(t, s.Projects.Update(t.Context(), &p, before), projects.ErrChanged)

	setNote := func(freelancer string) error {
		return s.Projects.SetNote(t.Context(), p.Account, p.ID, freelancer, "wrote", "called", after(6))
	}
	noError(t, setNote("a"))
	wantError(t, setNote("a"), projects.ErrChanged)
	wantError(t, setNote("nobody"), projects.ErrNotFound)
	wantEqual(t, "wrote", peopleOf(t, s, p)[0].Note)
}

// Members who have opened the same page change one thing each, in whatever order.
func changesOneThing(t *testing.T, s *store.DB) {
	p := insertProject(t, s, 1, 1, testPerson("a", 2))
	want := testPerson("a", 2) // released
	noError(t, s.Projects.Release(t.Context(), p.Account, p.ID, "a", false, event(5, p.Account)))
	noError(t, s.Projects.SetState(t.Context(), p.Account, p.ID, "a", projects.Contacted, after(6)))
	noError(t, s.Projects.SetNote(t.Context(), p.Account, p.ID, "a", "wrote", "called", after(7)))

	want.Released = false
	want.State = projects.Contacted
	want.Note = "wrote"
	want.Changed = after(7)
	wantEqual(t, []projects.Person{want}, peopleOf(t, s, p))
	wantError(t, s.Projects.SetState(t.Context(), p.Account, p.ID, "nobody", projects.Hired, after(8)),
		projects.ErrNotFound)
	wantError(t, s.Projects.Release(t.Context(), p.Account, p.ID, "nobody", true, event(8, p.Account)),
		projects.ErrNotFound)

	noError(t, s.Projects.SetOwner(t.Context(), p.Account, p.ID, "usr_2", after(8)))
	stale := p
	stale.Note = "new"
	stale.Changed = after(9)
	noError(t, s.Projects.Update(t.Context(), &stale, p.Note))
	got, _, err := s.Projects.Find(t.Context(), p.Account, p.ID)
	noError(t, err)
	stale.Owner = "usr_2"
	wantEqual(t, stale, got)
}

func changesPeople(t *testing.T, s *store.DB) {
	p := insertProject(t, s, 1, 1, testPerson("a", 1))
	again := testPerson("a", 9)
	noError(t, s.Projects.Add(t.Context(), p.Account, p.ID, []projects.Person{again, testPerson("b", 2)}, after(3)))
	wantEqual(t, []projects.Person{testPerson("a", 1), testPerson("b", 2)}, peopleOf(t, s, p))
	noError(t, s.Projects.Remove(t.Context(), p.Account, p.ID, "a", after(3)))
	wantError(t, s.Projects.Remove(t.Context(), p.Account, p.ID, "a", after(3)), projects.ErrNotFound)
	wantEqual(t, []projects.Person{testPerson("b", 2)}, peopleOf(t, s, p))

	// Somebody with a note or a state isn't removed by the way.
	unlist := func() error { return s.Projects.Unlist(t.Context(), p.Account, p.ID, "b", after(4)) }
	wantError(t, unlist(), projects.ErrKept)
	noError(t, s.Projects.SetNote(t.Context(), p.Account, p.ID, "b", "", "called", after(4)))
	noError(t, s.Projects.SetState(t.Context(), p.Account, p.ID, "b", projects.Interested, after(4)))
	wantError(t, unlist(), projects.ErrKept)
	noError(t, s.Projects.SetState(t.Context(), p.Account, p.ID, "b", projects.Shortlisted, after(4)))
	noError(t, unlist())
	wantError(t, unlist(), projects.ErrNotFound)
}

// testLinkTo returns link n to a project, which expires a minute after it was made.
func testLinkTo(p projects.Project, n int) projects.Link {
	return projects.Link{
		ID: fmt.Sprintf("shr_%03d", n), Project: p.ID, MadeBy: "usr_1", Created: after(n), Expires: after(n + 60),
	}
}

func opensLinks(t *testing.T, s *store.DB) {
	p := insertProject(t, s, 1, 1)
	share := func(n int) ([sha256.Size]byte, projects.Link) {
		token := sha256.Sum256([]byte(fmt.Sprint(n)))
		l := testLinkTo(p, n)
		noError(t, s.Projects.AddLink(t.Context(), p.Account, l, token, event(n, p.Account)))
		return token, l
	}

	token, first := share(1)
	got, owner, err := s.Projects.Shared(t.Context(), token, after(60))
	noError(t, err)
	wantEqual(t, first, got)
	wantEqual(t, p.Account, owner)
	_, _, err = s.Projects.Shared(t.Context(), token, after(61))
	wantError(t, err, projects.ErrNotFound)
	_, _, err = s.Projects.Shared(t.Context(), sha256.Sum256([]byte("guess")), after(1))
	wantError(t, err, projects.ErrNotFound)

	// The second one expires later than the first.
	other, second := share(30)
	wantEqual(t, []projects.Link{second, first}, must(s.Projects.Links(t.Context(), p.Account, p.ID, after(31))))
	noError(t, s.Projects.DeleteExpiredLinks(t.Context(), after(61)))
	wantEqual(t, []projects.Link{second}, must(s.Projects.Links(t.Context(), p.Account, p.ID, start())))
	noError(t, s.Projects.DeleteLink(t.Context(), p.Account, p.ID, second.ID, event(3, p.Account)))
	_, _, err = s.Projects.Shared(t.Context(), other, after(31))
	wantError(t, err, projects.ErrNotFound)
}

func erasesFromProjects(t *testing.T, s *store.DB) {
	mine := insertProject(t, s, 1, 1, testPerson("a", 1), testPerson("b", 2))
	other := insertProject(t, s, 2, 2, testPerson("a", 1))
	wantEqual(t, map[string]int{"a": 2}, must(s.Projects.ErasePeople(t.Context(), []string{"a", "c"})))

	var seen []string
	noError(t, s.Projects.Each(t.Context(), "", func(p projects.Project, people []projects.Person) error {
		for _, person := range people {
			seen = append(seen, p.ID+" "+person.Freelancer)
		}
		p.Note = strings.ToUpper(p.Note)
		p.Brief.Form.Set("description", "")
		for i := range people {
			people[i].Note = ""
		}
		return s.Projects.Rewrite(t.Context(), p, people)
	}))
	wantEqual(t, []string{mine.ID + " b"}, seen)
	got, people, err := s.Projects.Find(t.Context(), mine.Account, mine.ID)
	noError(t, err)
	if got.Note != "A\nB" || got.Brief.Form.Get("description") != "" || people[0].Note != "" {
		t.Errorf("rewritten as %+v, %+v", got, people)
	}

	seen = nil
	noError(t, s.Projects.Each(t.Context(), other.Account, func(p projects.Project, _ []projects.Person) error {
		seen = append(seen, p.ID)
		return nil
	}))
	wantEqual(t, []string{other.ID}, seen)
}

func deletesAccountProjects(t *testing.T, s *store.DB) {
	p := insertProject(t, s, 1, 1, testPerson("a", 1))
	token := sha256.Sum256(nil)
	noError(t, s.Projects.AddLink(t.Context(), p.Account, testLinkTo(p, 1), token, event(1, p.Account)))
	left := insertProject(t, s, 2, 2, testPerson("a", 1))
	allow := func(account.Deletion) ([]audit.Event, error) { return nil, nil }
	noError(t, s.Accounts.Delete(t.Context(), p.Account, allow))
	_, _, err := s.Projects.Shared(t.Context(), token, start())
	wantError(t, err, projects.ErrNotFound)
	wantEqual(t, map[string]int{"a": 1}, must(s.Projects.ErasePeople(t.Context(), []string{"a"})))
	wantEqual(t, 1, len(must(s.Projects.List(t.Context(), left.Account))))
}

func logsProjects(t *testing.T, s *store.DB) {
	before := len(allEvents(t, s))
	p := insertProject(t, s, 1, 1, testPerson("a", 1))
	noError(t, s.Projects.Release(t.Context(), p.Account, p.ID, "a", true, event(2, p.Account)))
	noError(t, s.Projects.AddLink(t.Context(), p.Account, testLinkTo(p, 1), sha256.Sum256(nil), event(3, p.Account)))
	noError(t, s.Projects.DeleteLink(t.Context(), p.Account, p.ID, "shr_001", event(4, p.Account)))
	wantError(t, s.Projects.DeleteLink(t.Context(), p.Account, p.ID, "shr_001", event(5, p.Account)),
		projects.ErrNotFound)
	noError(t, s.Projects.Delete(t.Context(), p.Account, p.ID, event(6, p.Account)))
	events := allEvents(t, s)
	if n := len(events) - before; n != 5 || slices.Contains(events, event(5, p.Account)) {
		t.Errorf("%d new entries, want 5: %v", n, events)
	}
}
