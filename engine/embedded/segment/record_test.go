package segment

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

// FuzzDecodeRecord checks that records are decoded as encoding/json, which encoded them, would decode them.
func FuzzDecodeRecord(f *testing.F) {
	f.Add("", 0., 0)
	f.Add("R&D <Frontend>\t\"quoted\" \\ \x00\x1f\x7f\r\n", -0.1, -1)
	f.Add("数据库 naïve 👩🏽‍💻 \u2028\u2029 e\u0301", 1e-7, math.MaxInt)
	f.Add("cut \xff\xc3( \xed\xa0\x80", math.MaxFloat64, math.MinInt)
	f.Add(`\u003c\ud83d\ude00\/`, math.SmallestNonzeroFloat64, 1<<53+1)
	f.Fuzz(func(t *testing.T, text string, number float64, count int) {
		if math.IsNaN(number) || math.IsInf(number, 0) {
			return
		}

		person := matching.Freelancer{
			ID: text, Name: text, JobTitle: text, Skills: []string{text, "", text + text}, Description: text + text,
			ProfileURL: text,
			Signals: matching.Signals{
				Experience: matching.Some(number), Rating: matching.Some(-number), Availability: matching.Some(count > 0),
				TotalSales: matching.Some(count),
			},
			Details: matching.Details{
				Country: text, Languages: []matching.SpokenLanguage{{Tag: text, Level: matching.LevelNative}, {}},
				HoursPerWeek: matching.Some(number), Verified: matching.Some(count < 0),
			},
		}

		record, err := json.Marshal(person)
		if err != nil {
			t.Fatal(err)
		}
		var got, want matching.Freelancer
		if err := json.Unmarshal(record, &want); err != nil {
			t.Fatal(err)
		}

		if err := decodeRecord(record, &got); err != nil {
			t.Fatal(err)
		}
		clear(record) // got must not share its memory

		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
