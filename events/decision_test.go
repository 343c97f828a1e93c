package events

import (
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestDecisionLog(t *testing.T) {
	var text strings.Builder
	l := NewDecisionLog(&text)
	at := time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)
	m := Match{
		Account: "acc_1", ID: "r-1", At: at, Offset: 10, Freelancers: []uint64{0xab, 0}, Scores: []float64{.75, .5},
		Brief: []byte(`{"job_title":"R&D"}`), Versions: matching.Versions{Program: "1.2", Index: "i", Overridden: true},
	}
	earlier := Match{Account: "acc_1", ID: "r-0", At: at, Freelancers: []uint64{1}}
	for _, match := range []Match{m, earlier} {
		if err := l.Add(match, []Event{{Freelancer: "f1", Type: Hired, At: at, Rank: 11}}[:match.Offset/10]); err != nil {
			t.Fatal(err)
		}
	}

	const want = `{"account":"acc_1","request_id":"r-1","at":"2031-05-17T09:30:00Z","versions":{"program":"1.2",` +
		`"index":"i","taxonomy":"","profile":"","numbers":"","weights_overridden":true,"encoder":""},` +
		`"brief":{"job_title":"R&D"},"freelancers":[{"rank":11,"id_hash":"00000000000000ab","score":0.75},` +
		`{"rank":12,"id_hash":"","score":0.5}],` +
		`"events":[{"at":"2031-05-17T09:30:00Z","type":"hired","freelancer_id":"f1","rank":11}]}` + "\n" +
		`{"account":"acc_1","request_id":"r-0","at":"2031-05-17T09:30:00Z","versions":null,` +
		`"freelancers":[{"rank":1,"id_hash":"0000000000000001","score":null}],"events":[]}` + "\n"
	if got := text.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
