package schedule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/schedule"
)

func TestReader_Read(t *testing.T) {
	r, err := schedule.New()
	if err != nil {
		t.Fatal(err)
	}
	today := matching.DayOf(time.Date(2030, 5, 20, 12, 0, 0, 0, time.UTC))

	for _, c := range []struct {
		text, start string
		days        int
	}{
		{"Start date: 1 June 2030. Duration: 6 months.", "2030-06-01", 180},
		{"Projektstart: 01.07.2030, Laufzeit: 3 Monate", "2030-07-01", 90},
		{"Wir suchen ab August einen Entwickler, Dauer ca. zwei Wochen", "2030-08-01", 14},
		{"Starting in January", "2031-01-01", 0},
		{"We start in two weeks.", "2030-06-03", 0},
		{"It must be finished within two weeks.", "", 14},
		{"The shop has to be live by June 30, 2030", "", 41},
		{"Start: 2030-06-01, deadline: 2030-06-11", "2030-06-01", 10},
		{"Timeline: 2-3 weeks", "", 21},
		{"Début : septembre 2030, durée : 2 mois", "2030-09-01", 60},
		{"Fecha de inicio: 1 de julio de 2030, plazo: tres semanas", "2030-07-01", 21},
		// Not about the time of the work:
		{"We reply within two days. 5 years of experience.", "", 0},
		{"Our startup was started in March 2019.", "", 0},
		{"Rates start at 50 EUR, ab 3 Personen", "", 0},
		{"Great for people who are just starting out with it", "", 0},
		{"Duration: to be discussed. Deadline: soon.", "", 0},
		{"start deadline within duration:", "", 0},
		{"Duration: 99999 months", "", 0},
		{"", "", 0},
	} {
		got := r.Read(c.text, today)
		start := ""
		if got.Start.Known {
			start = matching.Date(got.Start.Value)
		}
		if start != c.start || got.Days.Value != c.days {
			t.Errorf("%q: start %q, %d days; want %q, %d", c.text, start, got.Days.Value, c.start, c.days)
		}
	}
}

// Hostile texts take no more time than others, and nothing is read from them.
func TestReader_HostileText(t *testing.T) {
	r, err := schedule.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"start ", "deadline: in ", "\xff", "finished within ", "ab 1 "} {
		if got := r.Read(strings.Repeat(word, 100_000), 20_000); got.Days.Known || got.Start.Known {
			t.Errorf("%q: %+v", word, got)
		}
	}
}
