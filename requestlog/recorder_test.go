package requestlog_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/store/sqlite/sqlitetest"
)

func newDB(t *testing.T) *store.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.NewFile(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// A recorded request has neither contact details nor secrets, belongs to its account, and is gone after a day.
func TestRecorder(t *testing.T) {
	db := newDB(t)
	now := time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC)
	recorder := requestlog.NewRecorder(db.RequestLog, slog.New(slog.DiscardHandler))
	recorder.Record(requestlog.Request{
		Summary: requestlog.Summary{
			Account: "acc_1", Key: "key_1", RequestID: "r1", Operation: "match", Status: 200, At: now,
			Took: 42 * time.Millisecond,
		},
		Content: requestlog.Content{
			Method: "POST", Route: "/api/v1/match", Params: map[string]string{"id": "f1"},
			Query: url.Values{"q": {"ada@example.com"}, "token": {"x"}},
		},
		RequestBody:  []byte(`{"description":"ada@example.com"}`),
		ResponseBody: []byte(`{"matches":[{"freelancer":{"id":"f1"}}]}`),
	})
	for range 2 {
		if err := recorder.Close(); err != nil {
			t.Fatal(err)
		}
	}
	recorder.Record(requestlog.Request{Summary: requestlog.Summary{Account: "acc_1", At: now}}) // too late

	log := requestlog.New(db.RequestLog, func() time.Time { return now })
	list, err := log.List(t.Context(), "acc_1")
	if err != nil || len(list) != 1 {
		t.Fatalf("List = %v, %v", list, err)
	}
	entry, err := log.Get(t.Context(), "acc_1", list[0].ID)
	if err != nil || entry.Took != 42*time.Millisecond || entry.Summary != list[0] {
		t.Fatalf("Get = %+v, %v", entry, err)
	}
	content, err := json.Marshal(entry.Content)
	if err != nil || strings.Contains(string(content), "ada@") || strings.Contains(string(content), `"x"`) {
		t.Errorf("the entry is %s, %v", content, err)
	}

	for _, other := range [][2]string{{"acc_2", entry.ID}, {"", entry.ID}, {"acc_1", ""}, {"acc_1", "other"}} {
		if _, err := log.Get(t.Context(), other[0], other[1]); !errors.Is(err, requestlog.ErrNotFound) {
			t.Errorf("Get(%q): %v, want ErrNotFound", other, err)
		}
	}

	now = now.Add(requestlog.Lifetime)
	if _, err := log.Get(t.Context(), "acc_1", entry.ID); !errors.Is(err, requestlog.ErrNotFound) {
		t.Errorf("after a day: %v, want ErrNotFound", err)
	}
}
