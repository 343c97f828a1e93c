package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/webhook"
)

// Briefs tests a briefs.Store and a briefs.WatchStore.
func Briefs(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"a brief is read as inserted":                   findsBrief,
		"briefs are listed in pages":                    listsBriefs,
		"accounts don't see each other's briefs":        separatesBriefs,
		"concurrent requests respect the limit":         limitsBriefs,
		"a change starts the list again if it must":     changesBriefs,
		"one of several servers watches":                holdsBriefs,
		"lists are stored with messages and a position": commitsLists,
		"a list of another revision is dropped":         dropsOldLists,
		"people are erased from lists":                  erasesFromBriefs,
		"briefs are deleted with their account":         deletesAccountBriefs,
		"a project has one watch, which ends with it":   watchesProject,
		"users see what is new since they looked":       looksAtBriefs,
	}.run(t, func(t *testing.T) *store.DB {
		db := open(t)
		register(t, db, 1)
		register(t, db, 2)
		return db
	})
}

func insertBrief(t *testing.T, s *store.DB, n, acc int) briefs.Brief {
	t.Helper()
	b := briefs.Brief{
		ID: fmt.Sprintf("brf_%03d", n), Account: testAccount(acc).ID, Created: after(n), Changed: after(n), Revision: 1,
		Settings: briefs.Settings{
			Name: "Œuvre <b>", Request: json.RawMessage(`{"description":"A shop"}`), Top: 10, MinScore: .5,
			MinLevel: matching.LevelFair, Notify: true,
		},
	}
	noError(t, s.Briefs.Insert(t.Context(), &b, 0, event(n, b.Account)))
	return b
}

func watchesProject(t *testing.T, s *store.DB) {
	acc := testAccount(1)
	p := projects.Project{
		ID: "prj_1", Account: acc.ID, Name: "n", Brief: projects.Brief{Result: "result"}, Created: after(1),
		Changed: after(1),
	}
	noError(t, s.Projects.Insert(t.Context(), &p, nil, event(1, acc.ID)))
	other := insertBrief(t, s, 1, 1)
	insert := func(n, owner int, origin string) error {
		return s.Briefs.Insert(t.Context(), &briefs.Brief{
			ID: fmt.Sprintf("brf_%03d", n), Account: testAccount(owner).ID, Created: after(n), Changed: after(n), Revision: 1,
			Settings: briefs.Settings{Request: json.RawMessage(`{}`), Top: 1}, Origin: origin,
		}, 0, event(n, testAccount(owner).ID))
	}
	noError(t, insert(2, 1, p.ID))
	wantError(t, insert(3, 1, p.ID), briefs.ErrWatched)
	noError(t, insert(4, 1, "result"))
	noError(t, insert(5, 2, p.ID)) // of another account

	found := must(s.Briefs.OfOrigin(t.Context(), acc.ID, "usr_1", []string{"result", p.ID}))
	wantEqual(t, "brf_002", found.ID)
	wantEqual(t, p.ID, found.Origin)
	_, err := s.Briefs.OfOrigin(t.Context(), acc.ID, "usr_1", []string{"", "unknown"})
	wantError(t, err, briefs.ErrNotFound)

	noError(t, s.Projects.Delete(t.Context(), acc.ID, p.ID, event(6, acc.ID)))
	wantEqual(t, []briefs.Brief{other}, must(s.Briefs.List(t.Context(), acc.ID, "", 10)))
	wantEqual(t, 1, len(must(s.Briefs.List(t.Context(), testAccount(2).ID, "", 10))))
}

func looksAtBriefs(t *testing.T, s *store.DB) {
	a, b := insertBrief(t, s, 1, 1), insertBrief(t, s, 2, 1)
	insertBrief(t, s, 3, 2)
	user := testUser(1, 1)
	list, total, err := s.Briefs.Page(t.Context(), a.Account, user.ID, 0, 1)
	noError(t, err)
	wantEqual(t, 2, total)
	wantEqual(t, []briefs.Seen{{Brief: b}}, list)

	noError(t, s.Briefs.Look(t.Context(), user.ID, a.ID, after(5)))
	noError(t, s.Briefs.Look(t.Context(), user.ID, a.ID, after(6)))
	noError(t, s.Briefs.Look(t.Context(), user.ID, "deleted", after(6)))
	list, _, err = s.Briefs.Page(t.Context(), a.Account, user.ID, 1, 5)
	noError(t, err)
	wantEqual(t, []briefs.Seen{{Brief: a, Looked: after(6)}}, list)
	wantEqual(t, list[0], must(s.Briefs.FindSeen(t.Context(), a.Account, user.ID, a.ID)))
	_, err = s.Briefs.FindSeen(t.Context(), testAccount(2).ID, user.ID, a.ID)
	wantError(t, err, briefs.ErrNotFound)

	// A look is deleted with its brief, and with its user.
	noError(t, s.Briefs.Look(t.Context(), user.ID, b.ID, after(7)))
	noError(t, s.Briefs.Delete(t.Context(), a.Account, a.ID, event(8, a.Account)))
	wantEqual(t, after(7), must(s.Briefs.FindSeen(t.Context(), b.Account, user.ID, b.ID)).Looked)
}

func testListed(id string, rank int) briefs.Person {
	return briefs.Person{
		ID: id, Rank: rank, Score: .75, Level: matching.LevelStrong, Available: rank%2 == 0, Since: after(rank),
	}
}

// hold makes the holder "a" watch.
func hold(t *testing.T, s *store.DB) {
	t.Helper()
	_, err := s.Briefs.Hold(t.Context(), "a", after(1), after(60))
	noError(t, err)
}

func findsBrief(t *testing.T, s *store.DB) {
	b := insertBrief(t, s, 1, 1)
	wantEqual(t, b, must(s.Briefs.Find(t.Context(), b.Account, b.ID)))
	wantEqual(t, b, must(s.Briefs.Get(t.Context(), b.ID)))
	_, err := s.Briefs.Find(t.Context(), b.Account, "other")
	wantError(t, err, briefs.ErrNotFound)
}

func listsBriefs(t *testing.T, s *store.DB) {
	a, b := insertBrief(t, s, 1, 1), insertBrief(t, s, 2, 1)
	wantEqual(t, []briefs.Brief{a, b}, must(s.Briefs.List(t.Context(), a.Account, "", 10)))
	wantEqual(t, []briefs.Brief{a}, must(s.Briefs.List(t.Context(), a.Account, "", 1)))
	wantEqual(t, []briefs.Brief{b}, must(s.Briefs.List(t.Context(), a.Account, a.ID, 1)))
	wantEqual(t, []briefs.Brief{b, a}, must(s.Briefs.Open(t.Context(), a.Account, 10)))

	var ids []string
	collect := func(b briefs.Brief) error { ids = append(ids, b.ID); return nil }
	noError(t, s.Briefs.Watched(t.Context(), collect))
	noError(t, s.Briefs.Each(t.Context(), "", collect))
	wantEqual(t, []string{a.ID, b.ID, a.ID, b.ID}, ids)
	wantEqual(t, map[string]int64{a.ID: 1, b.ID: 1}, must(s.Briefs.Revisions(t.Context())))

	b.Settings.Closed = true
	noError(t, s.Briefs.Update(t.Context(), &b, true, event(3, b.Account)))
	wantEqual(t, []briefs.Brief{a}, must(s.Briefs.Open(t.Context(), a.Account, 10)))
	wantEqual(t, map[string]int64{a.ID: 1}, must(s.Briefs.Revisions(t.Context())))
}

func separatesBriefs(t *testing.T, s *store.DB) {
	b := insertBrief(t, s, 1, 1)
	other := testAccount(2).ID
	_, err := s.Briefs.Find(t.Context(), other, b.ID)
	wantError(t, err, briefs.ErrNotFound)
	wantError(t, s.Briefs.Delete(t.Context(), other, b.ID, event(2, other)), briefs.ErrNotFound)
	b.Account = other
	wantError(t, s.Briefs.Update(t.Context(), &b, false, event(2, other)), briefs.ErrNotFound)
	wantEqual(t, 0, len(must(s.Briefs.List(t.Context(), other, "", 10))))
	wantEqual(t, 0, len(must(s.Briefs.Open(t.Context(), other, 10))))
}

func limitsBriefs(t *testing.T, s *store.DB) {
	const limit, requests = 3, 8
	const keyWithoutAccount = "key_without_account"
	for _, account := range []string{testAccount(1).ID, keyWithoutAccount} {
		results := make(chan error, requests)
		for n := range requests {
			go func() {
				b := briefs.Brief{
					ID: fmt.Sprintf("brf_%s_%d", account, n), Account: account, Created: after(n), Changed: after(n), Revision: 1,
					Settings: briefs.Settings{Request: json.RawMessage(`{}`), Top: 1},
				}
				results <- s.Briefs.Insert(context.Background(), &b, limit, event(n, account))
			}()
		}

		full := 0
		for range requests {
			if err := <-results; err != nil {
				wantError(t, err, briefs.ErrFull)
				full++
			}
		}
		wantEqual(t, requests-limit, full)
	}
}

func changesBriefs(t *testing.T, s *store.DB) {
	b := insertBrief(t, s, 1, 1)
	hold(t, s)
	b.Matched = after(2)
	b.People = []briefs.Person{testListed("f1", 1)}
	noError(t, s.Briefs.Commit(t.Context(), "a", 5, []briefs.List{listOf(&b)}, after(2)))
	wantEqual(t, b, must(s.Briefs.Get(t.Context(), b.ID)))

	b.Settings.Name = "Renamed"
	b.Changed = after(3)
	noError(t, s.Briefs.Update(t.Context(), &b, false, event(3, b.Account)))
	wantError(t, s.Briefs.Update(t.Context(), &b, false, event(4, b.Account)), briefs.ErrNotFound) // of revision 1
	b.Revision = 2
	wantEqual(t, b, must(s.Briefs.Get(t.Context(), b.ID)))

	b.Settings.Top = 3
	noError(t, s.Briefs.Update(t.Context(), &b, true, event(4, b.Account)))
	b.Revision = 3
	b.Matched = time.Time{}
	b.People = nil
	wantEqual(t, b, must(s.Briefs.Get(t.Context(), b.ID)))
}

// listOf returns the list of a brief as it is.
func listOf(b *briefs.Brief) briefs.List {
	return briefs.List{
		Brief: b.ID, Account: b.Account, Revision: b.Revision, Matched: b.Matched, People: b.People,
	}
}

func holdsBriefs(t *testing.T, s *store.DB) {
	ctx := t.Context()
	hold(t, s)
	hold(t, s)
	_, err := s.Briefs.Hold(ctx, "b", after(2), after(70))
	wantError(t, err, briefs.ErrNotHolder)
	wantError(t, s.Briefs.Commit(ctx, "b", 9, nil, after(2)), briefs.ErrNotHolder)

	noError(t, s.Briefs.Commit(ctx, "a", 7, nil, after(2)))
	wantEqual(t, int64(7), must(s.Briefs.Hold(ctx, "b", after(61), after(90))))
	wantError(t, s.Briefs.Commit(ctx, "a", 8, nil, after(2)), briefs.ErrNotHolder)

	noError(t, s.Briefs.Release(ctx, "a")) // no longer the holder
	_, err = s.Briefs.Hold(ctx, "a", after(62), after(90))
	wantError(t, err, briefs.ErrNotHolder)
	noError(t, s.Briefs.Release(ctx, "b"))
	wantEqual(t, int64(7), must(s.Briefs.Hold(ctx, "a", after(62), after(90))))
}

// addBriefEndpoint adds an endpoint of an account that asks for events.
func addBriefEndpoint(t *testing.T, s *store.DB, acc int, events ...feed.Event) feed.Endpoint {
	t.Helper()
	e := feed.Endpoint{
		ID: "we_1", Account: testAccount(acc).ID, Name: "n", URL: "https://example.com/", Events: events, Created: after(1),
	}
	noError(t, s.Endpoints.Insert(t.Context(), &e, webhook.NewSecret(), 10, event(1, e.Account)))
	return e
}

func commitsLists(t *testing.T, s *store.DB) {
	b, other := insertBrief(t, s, 1, 1), insertBrief(t, s, 2, 2)
	e := addBriefEndpoint(t, s, 1, feed.BriefEntered)
	hold(t, s)

	list := listOf(&b)
	list.Matched = after(5)
	list.People = []briefs.Person{testListed("f1", 1), testListed("f2", 2)}
	for _, id := range []string{"f1", "f2"} {
		list.Events = append(list.Events,
			briefs.Event{Kind: feed.BriefEntered, News: feed.BriefNews{Brief: b.ID, Freelancer: id}},
			briefs.Event{Kind: feed.BriefLeft, News: feed.BriefNews{Brief: b.ID, Freelancer: id}})
	}
	otherList := listOf(&other)
	otherList.Matched = after(5)
	otherList.Events = list.Events
	noError(t, s.Briefs.Commit(t.Context(), "a", 12, []briefs.List{list, otherList}, after(5)))

	got := must(s.Briefs.Get(t.Context(), b.ID))
	wantEqual(t, list.People, got.People)
	wantEqual(t, list.Matched, got.Matched)

	// One message has both people. The endpoint didn't ask for those who left, and the other account has none.
	sent := must(s.Endpoints.Deliveries(t.Context(), e.Account, e.ID, feed.Place{}, 10))
	wantEqual(t, 1, len(sent))
	wantEqual(t, string(feed.BriefEntered), sent[0].Type)
	var body struct{ Data feed.BriefMessage }
	noError(t, json.Unmarshal(sent[0].Body, &body))
	wantEqual(t, 2, len(body.Data.Entries))
}

func dropsOldLists(t *testing.T, s *store.DB) {
	b := insertBrief(t, s, 1, 1)
	e := addBriefEndpoint(t, s, 1, feed.BriefEntered)
	hold(t, s)
	list := listOf(&b)
	list.People = []briefs.Person{testListed("f1", 1)}
	list.Events = []briefs.Event{{Kind: feed.BriefEntered, News: feed.BriefNews{Brief: b.ID, Freelancer: "f1"}}}
	noError(t, s.Briefs.Update(t.Context(), &b, true, event(3, b.Account)))
	noError(t, s.Briefs.Commit(t.Context(), "a", 1, []briefs.List{list}, after(5)))

	wantEqual(t, 0, len(must(s.Briefs.Get(t.Context(), b.ID)).People))
	wantEqual(t, 0, len(must(s.Endpoints.Deliveries(t.Context(), e.Account, e.ID, feed.Place{}, 10))))
}

func erasesFromBriefs(t *testing.T, s *store.DB) {
	b := insertBrief(t, s, 1, 1)
	hold(t, s)
	list := listOf(&b)
	list.People = []briefs.Person{testListed(`f"1%`, 1), testListed("f2", 2)}
	noError(t, s.Briefs.Commit(t.Context(), "a", 1, []briefs.List{list}, after(5)))

	wantEqual(t, map[string]int{`f"1%`: 1}, must(s.Briefs.ErasePeople(t.Context(), []string{`f"1%`, "f", "f3"})))
	wantEqual(t, list.People[1:], must(s.Briefs.Get(t.Context(), b.ID)).People)

	b.Settings.Name = "Rewritten"
	noError(t, s.Briefs.Rewrite(t.Context(), b))
	wantEqual(t, "Rewritten", must(s.Briefs.Get(t.Context(), b.ID)).Settings.Name)
}

func deletesAccountBriefs(t *testing.T, s *store.DB) {
	b := insertBrief(t, s, 1, 1)
	other := insertBrief(t, s, 2, 2)
	allow := func(account.Deletion) ([]audit.Event, error) { return nil, nil }
	noError(t, s.Accounts.Delete(t.Context(), b.Account, allow))
	wantEqual(t, map[string]int64{other.ID: 1}, must(s.Briefs.Revisions(t.Context())))
	noError(t, s.Briefs.Delete(t.Context(), other.Account, other.ID, audit.Event{At: after(3), Account: other.Account}))
	wantEqual(t, 0, len(must(s.Briefs.Revisions(t.Context()))))
}
