package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/webhook"
)

// Feed tests the feed of changes and the endpoints of accounts.
func Feed(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"announced changes are published once":         publishesOnce,
		"overdue changes are published":                publishesOverdue,
		"numbers have no gaps under concurrency":       numbersChanges,
		"an announcement is stored with its entries":   announcesWithLog,
		"another index is one change":                  observesIndexes,
		"old changes are forgotten":                    forgetsChanges,
		"endpoints get messages about later changes":   fillsEndpoints,
		"few messages wait for an endpoint":            limitsOutstanding,
		"without data:read nothing is sent":            needsDataRead,
		"an event is sent once":                        tellsOnce,
		"an account has a limited number of endpoints": limitsEndpoints,
		"a rotated secret overlaps":                    overlapsSecrets,
		"a delivery can be sent again":                 retriesDeliveries,
		"an endpoint without a URL holds its messages": holdsMessages,
		"accounts don't see each other's endpoints":    separatesAccounts,
	}.run(t, open)
}

func storedChange(id string) feed.Change {
	return feed.Change{Kind: feed.Stored, ID: id, At: start()}
}

// announce stores an announcement that is due after five minutes.
func announce(t *testing.T, db *store.DB, id string, freelancers ...string) feed.Announcement {
	t.Helper()
	a := feed.Announcement{ID: id}
	for _, f := range freelancers {
		a.Changes = append(a.Changes, storedChange(f))
	}
	noError(t, db.Feed.Announce(t.Context(), nil, &a, after(300)))
	return a
}

// publish adds changes of freelancers to the feed.
func publish(t *testing.T, db *store.DB, id string, freelancers ...string) {
	t.Helper()
	must(db.Feed.Publish(t.Context(), []feed.Announcement{announce(t, db, id, freelancers...)}, after(1)))
}

// wantFeed compares the feed after a number with "number kind id" of each change.
func wantFeed(t *testing.T, db *store.DB, from int64, want ...string) {
	t.Helper()
	var got []string
	for _, c := range must(db.Feed.Since(t.Context(), from, 10_000)) {
		got = append(got, fmt.Sprint(c.Sequence, " ", c.Kind, " ", c.ID))
	}
	wantEqual(t, strings.Join(want, ", "), strings.Join(got, ", "))
}

func publishesOnce(t *testing.T, db *store.DB) {
	a := announce(t, db, "a", "f1", "f2")
	wantFeed(t, db, 0)
	done := []feed.Announcement{{ID: "a", Changes: a.Changes[1:]}} // the other one was not made
	wantEqual(t, 1, must(db.Feed.Publish(t.Context(), done, after(1))))
	wantEqual(t, 0, must(db.Feed.Publish(t.Context(), done, after(1000))))
	wantFeed(t, db, 0, "1 stored f2")
	publish(t, db, "b", "f3", "f4")
	wantFeed(t, db, 2, "3 stored f4")
	wantEqual(t, feed.State{Last: 3}, must(db.Feed.State(t.Context())))
}

func publishesOverdue(t *testing.T, db *store.DB) {
	announce(t, db, "a", "f1", "f2") // by a server that ends
	wantEqual(t, 0, must(db.Feed.Publish(t.Context(), nil, after(299))))
	wantEqual(t, 2, must(db.Feed.Publish(t.Context(), nil, after(300))))
	wantFeed(t, db, 0, "1 stored f1", "2 stored f2")
}

func numbersChanges(t *testing.T, db *store.DB) {
	errs := concurrently(t, func(i int) error {
		a := feed.Announcement{ID: fmt.Sprint("a", i), Changes: []feed.Change{storedChange(fmt.Sprint("f", i))}}
		if err := db.Feed.Announce(t.Context(), nil, &a, after(300)); err != nil {
			return err
		}
		_, err := db.Feed.Publish(t.Context(), []feed.Announcement{a}, after(1))
		return err
	})
	wantEqual(t, callers, errs[nil])
	for i, c := range must(db.Feed.Since(t.Context(), 0, 10_000)) {
		wantEqual(t, int64(i+1), c.Sequence)
	}
	wantEqual(t, feed.State{Last: callers}, must(db.Feed.State(t.Context())))
}

func announcesWithLog(t *testing.T, db *store.DB) {
	a := feed.Announcement{ID: "a", Changes: []feed.Change{storedChange("f1")}}
	e := event(1, "acc")
	e.Action, e.Subject = audit.FreelancerStored, "f1"
	noError(t, db.Feed.Announce(t.Context(), []audit.Event{e}, &a, after(300)))
	wantEqual(t, 1, len(allEvents(t, db)))

	// The ID is taken, so neither is stored.
	if err := db.Feed.Announce(t.Context(), []audit.Event{e}, &a, after(300)); err == nil {
		t.Error("an announcement was stored twice")
	}
	wantEqual(t, 1, len(allEvents(t, db)))
}

func observesIndexes(t *testing.T, db *store.DB) {
	observe := func(name, state string, silent bool) bool {
		t.Helper()
		return must(db.Feed.ObserveIndex(t.Context(), &feed.Index{
			Servers: "srv", Name: name, State: state, Silent: silent, Load: feed.Load{Index: name, Command: "load"},
		}, after(1)))
	}
	wantEqual(t, false, observe("", "", false)) // the first observation
	wantEqual(t, false, observe("i1", "a", true))
	wantEqual(t, true, observe("i2", "b", false))
	wantEqual(t, false, observe("i2", "b", false))
	wantEqual(t, true, observe("i2", "c", false)) // in place
	wantEqual(t, true, observe("i1", "a", false))

	var got []string
	for _, c := range must(db.Feed.Since(t.Context(), 0, 10)) {
		got = append(got, fmt.Sprint(c.Kind, " ", c.Load.Command, " ", c.Load.Previous, ">", c.Load.Index))
	}
	wantEqual(t, []string{
		"index.replaced load i1>i2", "index.replaced load >i2", "index.replaced rollback i2>i1",
	}, got)

	errs := concurrently(t, func(int) error {
		added, err := db.Feed.ObserveIndex(t.Context(), &feed.Index{Servers: "srv", Name: "i3"}, after(2))
		if err == nil && !added {
			return errTest
		}
		return err
	}, errTest)
	wantEqual(t, 1, errs[nil])
}

func forgetsChanges(t *testing.T, db *store.DB) {
	publish(t, db, "a", "f1", "f2")
	noError(t, db.Feed.DeleteOld(t.Context(), after(1).Add(feed.Retention)))
	wantEqual(t, feed.State{Last: 2}, must(db.Feed.State(t.Context())))
	noError(t, db.Feed.DeleteOld(t.Context(), after(2).Add(feed.Retention)))
	wantEqual(t, feed.State{Last: 2, Forgotten: 2}, must(db.Feed.State(t.Context())))
	wantFeed(t, db, 0)
	publish(t, db, "b", "f3")
	wantFeed(t, db, 0, "3 stored f3")
	noError(t, db.Feed.DeleteOld(t.Context(), after(2)))
	wantEqual(t, feed.State{Last: 3, Forgotten: 2}, must(db.Feed.State(t.Context())))
}

func endpointOf(account, id string) feed.Endpoint {
	return feed.Endpoint{
		ID: id, Account: account, Name: "Hook", URL: "https://example.com/" + id, Events: feed.Events(), Created: after(0),
	}
}

var endpointTestSecret = webhook.Secret(longText(24))

func addEndpoint(t *testing.T, db *store.DB, e feed.Endpoint) {
	t.Helper()
	noError(t, db.Endpoints.Insert(t.Context(), &e, endpointTestSecret, 10, event(1, e.Account)))
}

// withReader registers account 1 with a key that may read data, and an endpoint.
func withReader(t *testing.T, db *store.DB) (account string) {
	t.Helper()
	register(t, db, 1)
	k := keyOf(1, 1)
	k.Permissions = []string{apikey.ReadData}
	insertKeys(t, db, k)
	addEndpoint(t, db, endpointOf(k.Account, "we_1"))
	return k.Account
}

func fill(t *testing.T, db *store.DB, seconds int) {
	t.Helper()
	for must(db.Feed.Fill(t.Context(), after(seconds))) {
	}
}

// claimEndpoint claims the next message, and returns it with the IDs of its freelancers.
func claimEndpoint(t *testing.T, db *store.DB, seconds int) (webhook.Delivery, string) {
	t.Helper()
	d := must(db.Endpoints.Claim(t.Context(), after(seconds), after(seconds+60), 2))
	var body struct {
		Type string
		Data struct{ Changes []feed.Change }
	}
	noError(t, json.Unmarshal(d.Body, &body))
	text := body.Type
	for _, c := range body.Data.Changes {
		text += fmt.Sprint(" ", c.Sequence, ":", c.ID)
	}
	return d, text
}

func fillsEndpoints(t *testing.T, db *store.DB) {
	publish(t, db, "a", "f0")
	account := withReader(t, db)
	fill(t, db, 1)
	_, err := db.Endpoints.Claim(t.Context(), after(2), after(62), 2)
	wantError(t, err, webhook.ErrNone) // the change is older than the endpoint

	publish(t, db, "b", "f1", "f2")
	erased := feed.Announcement{ID: "c", Changes: []feed.Change{{Kind: feed.Erased, ID: "f3", At: start()}}}
	noError(t, db.Feed.Announce(t.Context(), nil, &erased, after(300)))
	must(db.Feed.Publish(t.Context(), []feed.Announcement{erased}, after(1)))
	fill(t, db, 1)
	d1, text1 := claimEndpoint(t, db, 2)
	d2, text2 := claimEndpoint(t, db, 2)
	texts := []string{text1, text2}
	if text1 > text2 {
		texts = []string{text2, text1}
	}
	wantEqual(t, []string{"freelancer.changed 2:f1 3:f2", "freelancer.erased 4:f3"}, texts)
	wantEqual(t, "https://example.com/we_1", d1.URL)
	wantEqual(t, string(endpointTestSecret), string(d2.Secret))

	noError(t, db.Endpoints.Settle(t.Context(), d1, webhook.Outcome{
		At: after(3), Error: "the endpoint responded with 500", Next: after(13), Status: 500, Took: 70 * time.Millisecond,
	}))
	noError(t, db.Endpoints.Settle(t.Context(), d2, webhook.Outcome{At: after(3), Status: 204, Took: time.Millisecond}))
	list := must(db.Endpoints.Deliveries(t.Context(), account, "we_1", feed.Place{}, 10))
	states := map[feed.DeliveryState]int{}
	for _, d := range list {
		states[d.State()] = d.Status
	}
	wantEqual(t, map[feed.DeliveryState]int{feed.Retrying: 500, feed.Delivered: 204}, states)
	rest := must(db.Endpoints.Deliveries(t.Context(), account, "we_1", feed.Place{
		Created: list[0].Created, ID: list[0].ID,
	}, 10))
	wantEqual(t, list[1:], rest)
}

func limitsOutstanding(t *testing.T, db *store.DB) {
	account := withReader(t, db)
	for i := range 30 {
		publish(t, db, fmt.Sprint("a", i), "f1")
		fill(t, db, 1)
	}
	list := must(db.Endpoints.Deliveries(t.Context(), account, "we_1", feed.Place{}, 100))
	wantEqual(t, 20, len(list))

	// Once one is delivered, a message has all changes that have come meanwhile.
	d, _ := claimEndpoint(t, db, 2)
	noError(t, db.Endpoints.Settle(t.Context(), d, webhook.Outcome{At: after(3), Status: 200}))
	fill(t, db, 4)
	list = must(db.Endpoints.Deliveries(t.Context(), account, "we_1", feed.Place{}, 100))
	wantEqual(t, 21, len(list))
	wantEqual(t, 10, strings.Count(string(list[0].Body), `"f1"`))
}

func needsDataRead(t *testing.T, db *store.DB) {
	register(t, db, 1)
	insertKeys(t, db, keyOf(1, 1))
	addEndpoint(t, db, endpointOf(testAccount(1).ID, "we_1"))
	publish(t, db, "a", "f1")
	fill(t, db, 1)
	_, err := db.Endpoints.Claim(t.Context(), after(2), after(62), 2)
	wantError(t, err, webhook.ErrNone)
	wantEqual(t, false, must(db.Endpoints.MayRead(t.Context(), testAccount(1).ID, after(1))))

	// A key without an account has endpoints of its own.
	k := testKey(2)
	k.Permissions = []string{apikey.ReadData}
	insertKeys(t, db, k)
	wantEqual(t, true, must(db.Endpoints.MayRead(t.Context(), k.Counter, after(1))))
	wantEqual(t, false, must(db.Endpoints.MayRead(t.Context(), "", after(1))))
}

func tellsOnce(t *testing.T, db *store.DB) {
	account := withReader(t, db)
	off := endpointOf(account, "we_2")
	off.Disabled = after(0)
	addEndpoint(t, db, off)
	errs := concurrently(t, func(int) error {
		return db.Feed.Tell(t.Context(), "quota 1", account, feed.QuotaNearlyExhausted, feed.QuotaState{Used: 4}, after(1))
	})
	wantEqual(t, callers, errs[nil])
	list := must(db.Endpoints.Deliveries(t.Context(), account, "we_1", feed.Place{}, 10))
	wantEqual(t, 1, len(list))
	wantEqual(t, "quota.nearly_exhausted", list[0].Type)
	wantEqual(t, 0, len(must(db.Endpoints.Deliveries(t.Context(), account, "we_2", feed.Place{}, 10))))
}

func limitsEndpoints(t *testing.T, db *store.DB) {
	errs := concurrently(t, func(i int) error {
		e := endpointOf("acc_1", fmt.Sprint("we_", i))
		return db.Endpoints.Insert(t.Context(), &e, endpointTestSecret, 3, event(i, "acc_1"))
	}, feed.ErrFull)
	wantEqual(t, 3, errs[nil])
	wantEqual(t, 3, len(must(db.Endpoints.List(t.Context(), "acc_1"))))
	wantEqual(t, 3, len(allEvents(t, db)))
}

func overlapsSecrets(t *testing.T, db *store.DB) {
	useKeys(t, db, firstKey)
	account := withReader(t, db)
	next := webhook.Secret(strings.Repeat("y", 24))
	noError(t, db.Endpoints.Rotate(t.Context(), account, "we_1", feed.NewSecret{Secret: next, Until: after(100)},
		event(1, account)))
	wantEqual(t, after(100), must(db.Endpoints.Find(t.Context(), account, "we_1")).PreviousUntil)

	for i, want := range []string{string(endpointTestSecret), ""} {
		m := must(feed.Example(feed.KeyExpiring, after(1)))
		noError(t, db.Endpoints.Send(t.Context(), account, "we_1", m))
		d := must(db.Endpoints.Claim(t.Context(), after(50+50*i), after(200), 2))
		wantEqual(t, string(next), string(d.Secret))
		wantEqual(t, want, string(d.Previous))
	}

	// A new key encrypts both secrets, and without it neither is read.
	useKeys(t, db, secondKey+"\n"+firstKey)
	wantEqual(t, store.Resealed{Changed: 2}, must(db.Reseal(t.Context())))
}

func retriesDeliveries(t *testing.T, db *store.DB) {
	account := withReader(t, db)
	m := must(feed.Example(feed.KeyExpiring, after(1)))
	noError(t, db.Endpoints.Send(t.Context(), account, "we_1", m))
	d := must(db.Endpoints.Claim(t.Context(), after(2), after(62), 2))
	wantError(t, db.Endpoints.Retry(t.Context(), account, "we_1", m.ID, after(3)), feed.ErrSending)
	noError(t, db.Endpoints.Settle(t.Context(), d, webhook.Outcome{At: after(3), Error: "no"})) // given up
	list := must(db.Endpoints.Deliveries(t.Context(), account, "we_1", feed.Place{}, 10))
	wantEqual(t, feed.Failed, list[0].State())

	noError(t, db.Endpoints.Retry(t.Context(), account, "we_1", m.ID, after(5)))
	d = must(db.Endpoints.Claim(t.Context(), after(5), after(65), 2))
	wantEqual(t, 2, d.Attempt)
	wantError(t, db.Endpoints.Retry(t.Context(), account, "we_1", "msg_x", after(5)), feed.ErrUnknown)
	wantError(t, db.Endpoints.Retry(t.Context(), "acc_x", "we_1", m.ID, after(5)), feed.ErrUnknown)
}

func holdsMessages(t *testing.T, db *store.DB) {
	account := withReader(t, db)
	e := must(db.Endpoints.Find(t.Context(), account, "we_1"))
	e.URL = ""
	noError(t, db.Endpoints.Update(t.Context(), &e, event(1, account)))
	publish(t, db, "a", "f1")
	fill(t, db, 1)
	_, err := db.Endpoints.Claim(t.Context(), after(100), after(160), 2)
	wantError(t, err, webhook.ErrNone)
	list := must(db.Endpoints.Deliveries(t.Context(), account, "we_1", feed.Place{}, 10))
	wantEqual(t, 1, len(list))
	wantEqual(t, feed.Held, list[0].State())
}

func separatesAccounts(t *testing.T, db *store.DB) {
	account := withReader(t, db)
	_, err := db.Endpoints.Find(t.Context(), "acc_x", "we_1")
	wantError(t, err, feed.ErrUnknown)
	wantError(t, db.Endpoints.Delete(t.Context(), "acc_x", "we_1", event(1, account)), feed.ErrUnknown)
	e := endpointOf("acc_x", "we_1")
	wantError(t, db.Endpoints.Update(t.Context(), &e, event(1, account)), feed.ErrUnknown)
	m := must(feed.Example(feed.KeyExpiring, after(1)))
	wantError(t, db.Endpoints.Send(t.Context(), "acc_x", "we_1", m), feed.ErrUnknown)
	noError(t, db.Endpoints.Send(t.Context(), account, "we_1", m))
	wantEqual(t, 0, len(must(db.Endpoints.Deliveries(t.Context(), "acc_x", "we_1", feed.Place{}, 10))))
	noError(t, db.Endpoints.Delete(t.Context(), account, "we_1", event(1, account)))
	wantEqual(t, 0, len(must(db.Endpoints.List(t.Context(), account))))
}
