package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/webhook"
)

// Notices tests the outbox of notices. Package notices tests who gets which notice.
func Notices(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"a change without its transaction tells nobody":  forgetsFailedChanges,
		"a message is claimed by one process at a time":  claimsOnce,
		"a repeated message stays the same":              repeatsMessages,
		"a late outcome changes nothing":                 ignoresLateOutcomes,
		"few messages are in progress at a time":         limitsMessagesInProgress,
		"changes and messages at once lose nothing":      losesNoNotices,
		"a removed user gets no notices":                 dropsNoticesOfUser,
		"the deletion of an account deletes its notices": dropsNoticesOfAccount,
		"old boxes are deleted":                          deletesOldBoxes,
	}.run(t, func(t *testing.T) *store.DB {
		db := open(t)
		db.NoticeChannels = []notices.Channel{notices.Mail}
		return db
	})
}

// changeKeys stores n changes of keys of account acc, each with a different detail.
func changeKeys(t *testing.T, db *store.DB, acc, n int) error {
	t.Helper()
	for i := range n {
		e := event(1, testAccount(acc).ID)
		e.Detail = fmt.Sprintf("change %d", i)
		err := db.Keys.Update(t.Context(), e.Account, func([]apikey.Key) (apikey.Changes, error) {
			return apikey.Changes{Events: []audit.Event{e}}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func claimNotice(t *testing.T, db *store.DB, seconds int) (webhook.Delivery, notices.Message) {
	t.Helper()
	d, err := db.Notices.Outbox(notices.Mail).Claim(t.Context(), after(seconds), after(seconds+60), 2)
	noError(t, err)
	var m notices.Message
	noError(t, json.Unmarshal(d.Body, &m))
	return d, m
}

func wantNoNotice(t *testing.T, db *store.DB, seconds int) {
	t.Helper()
	_, err := db.Notices.Outbox(notices.Mail).Claim(t.Context(), after(seconds), after(seconds+60), 2)
	wantError(t, err, webhook.ErrNone)
}

func settleNotice(t *testing.T, db *store.DB, d webhook.Delivery, o webhook.Outcome) {
	t.Helper()
	noError(t, db.Notices.Outbox(notices.Mail).Settle(t.Context(), d, o))
}

func forgetsFailedChanges(t *testing.T, db *store.DB) {
	register(t, db, 1)
	err := db.Keys.Update(t.Context(), testAccount(1).ID, func([]apikey.Key) (apikey.Changes, error) {
		return apikey.Changes{
			Keys:   []apikey.Key{testKey(1)}, // of no account, so it can't be stored
			Events: []audit.Event{event(1, testAccount(1).ID)},
		}, nil
	})
	if err == nil {
		t.Fatal("the change was stored")
	}
	wantNoNotice(t, db, 2)
}

func claimsOnce(t *testing.T, db *store.DB) {
	register(t, db, 1)
	noError(t, changeKeys(t, db, 1, 2))
	results := concurrently(t, func(int) error {
		_, err := db.Notices.Outbox(notices.Mail).Claim(t.Context(), after(2), after(62), callers)
		return err
	}, webhook.ErrNone)
	wantEqual(t, map[error]int{nil: 1, webhook.ErrNone: callers - 1}, results)
}

// What comes between the attempts is in the next message.
func repeatsMessages(t *testing.T, db *store.DB) {
	register(t, db, 1)
	noError(t, changeKeys(t, db, 1, notices.MaxListed+3))
	first, m := claimNotice(t, db, 2)
	wantEqual(t, []int{notices.MaxListed, 3}, []int{len(m.Events), m.Omitted})
	wantEqual(t, "change 0", m.Events[0].Detail)
	settleNotice(t, db, first, webhook.Outcome{At: after(3), Error: "later", Next: after(10)})

	noError(t, changeKeys(t, db, 1, 1))
	wantNoNotice(t, db, 9)
	second, _ := claimNotice(t, db, 10)
	wantEqual(t, []any{first.Message, 2}, []any{second.Message, second.Attempt})

	// A process that was killed settles nothing.
	third, _ := claimNotice(t, db, 70)
	wantEqual(t, []any{first.Message, 3}, []any{third.Message, third.Attempt})
	settleNotice(t, db, third, webhook.Outcome{At: after(71)})

	fourth, m := claimNotice(t, db, 72)
	wantEqual(t, []int{1, 0, 1}, []int{len(m.Events), m.Omitted, fourth.Attempt})
	if fourth.ID == first.ID {
		t.Error("two messages have the same ID")
	}
	settleNotice(t, db, fourth, webhook.Outcome{At: after(73)})
	wantNoNotice(t, db, 1000)
}

func ignoresLateOutcomes(t *testing.T, db *store.DB) {
	register(t, db, 1)
	noError(t, changeKeys(t, db, 1, 1))
	lost, _ := claimNotice(t, db, 2)
	current, _ := claimNotice(t, db, 62)
	settleNotice(t, db, lost, webhook.Outcome{At: after(63)})
	settleNotice(t, db, lost, webhook.Outcome{At: after(63), Error: "late", Next: after(63)})
	wantNoNotice(t, db, 64)

	settleNotice(t, db, current, webhook.Outcome{At: after(65), Error: "gone"})
	wantNoNotice(t, db, 1000)
}

func limitsMessagesInProgress(t *testing.T, db *store.DB) {
	for i := range 3 {
		register(t, db, i+1)
		noError(t, changeKeys(t, db, i+1, 1))
	}
	first, _ := claimNotice(t, db, 2)
	claimNotice(t, db, 2)
	wantNoNotice(t, db, 2)

	settleNotice(t, db, first, webhook.Outcome{At: after(3)})
	claimNotice(t, db, 3)
}

// Writers and senders work at the same time. Each change is in one delivered message, and no hour has too many.
func losesNoNotices(t *testing.T, db *store.DB) {
	const writers, changes = 4, 25
	for i := range writers {
		register(t, db, i+1)
	}

	var writing sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			if err := changeKeys(t, db, i+1, changes); err != nil {
				t.Error(err)
			}
		})
	}
	written := make(chan struct{})
	go func() {
		writing.Wait()
		close(written)
	}()

	// A sender's clock moves by two minutes with each attempt, so that the limit is met and passed.
	var mu sync.Mutex
	clock := 0
	delivered := map[string]int{}
	deliveries := map[string][]time.Time{}
	send := func() (err error) {
		mu.Lock()
		clock += 120
		now := clock
		mu.Unlock()

		outbox := db.Notices.Outbox(notices.Mail)
		d, err := outbox.Claim(t.Context(), after(now), after(now+1_000_000), callers) // the others' clocks run ahead
		if err != nil {
			return err
		}
		var m notices.Message
		if err := json.Unmarshal(d.Body, &m); err != nil {
			return err
		}

		mu.Lock()
		delivered[m.Recipient.Email] += len(m.Events) + m.Omitted
		deliveries[m.Recipient.Email] = append(deliveries[m.Recipient.Email], after(now))
		mu.Unlock()
		return outbox.Settle(t.Context(), d, webhook.Outcome{At: after(now)})
	}

	var sending sync.WaitGroup
	for range 3 {
		sending.Go(func() {
			idle := 0
			for idle < 60 { // attempts without a message, after all changes are stored: two hours
				err := send()
				select {
				case <-written:
					idle++
				default:
				}
				switch {
				case err == nil:
					idle = 0
				case !errors.Is(err, webhook.ErrNone):
					t.Error(err)
					return
				}
			}
		})
	}
	sending.Wait()

	for i := range writers {
		email := testUser(i+1, i+1).Email
		if delivered[email] != changes {
			t.Errorf("%s got %d changes, want %d", email, delivered[email], changes)
		}
		for n := notices.MaxAnHour; n < len(deliveries[email]); n++ {
			if hour := deliveries[email][n].Sub(deliveries[email][n-notices.MaxAnHour]); hour < time.Hour {
				t.Errorf("%d messages for %s within %s", notices.MaxAnHour+1, email, hour)
			}
		}
	}
}

func dropsNoticesOfUser(t *testing.T, db *store.DB) {
	register(t, db, 1)
	noError(t, changeKeys(t, db, 1, 1))
	noError(t, db.Users.Update(t.Context(), testAccount(1).ID, nil, after(2),
		func([]account.User, []apikey.Key) (account.UserChanges, error) {
			return account.UserChanges{Removed: []string{testUser(1, 1).ID}}, nil
		}))
	wantNoNotice(t, db, 3)
	wantNoNoticeRows(t, db)
}

func dropsNoticesOfAccount(t *testing.T, db *store.DB) {
	register(t, db, 1)
	noError(t, changeKeys(t, db, 1, 1))
	noError(t, db.Accounts.Delete(t.Context(), testAccount(1).ID,
		func(account.Deletion) ([]audit.Event, error) { return nil, nil }))
	wantNoNoticeRows(t, db)
}

// wantNoNoticeRows checks that neither table of notices has rows.
func wantNoNoticeRows(t *testing.T, db *store.DB) {
	t.Helper()
	for _, table := range []string{"notice_boxes", "notices"} {
		var n int
		noError(t, db.Pools.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
		if n != 0 {
			t.Errorf("%s has %d rows", table, n)
		}
	}
}

func deletesOldBoxes(t *testing.T, db *store.DB) {
	register(t, db, 1)
	noError(t, changeKeys(t, db, 1, 1))
	d, _ := claimNotice(t, db, 2)
	settleNotice(t, db, d, webhook.Outcome{At: after(3)})

	rows := func() (n int) {
		noError(t, db.Pools.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM notice_boxes").Scan(&n))
		return n
	}
	noError(t, db.Notices.DeleteOld(t.Context(), after(3600)))
	wantEqual(t, 1, rows()) // it limits the next messages
	noError(t, db.Notices.DeleteOld(t.Context(), after(3603)))
	wantEqual(t, 0, rows())

	// Nobody sends these any more.
	noError(t, changeKeys(t, db, 1, 1))
	noError(t, db.Notices.DeleteOld(t.Context(), after(24*3600)))
	wantEqual(t, 1, rows())
	noError(t, db.Notices.DeleteOld(t.Context(), after(48*3600+1)))
	wantNoNoticeRows(t, db)
}
