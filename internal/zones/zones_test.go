package zones_test

import (
	"archive/zip"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/zones"
)

func TestZones_Find(t *testing.T) {
	z := zones.New()
	for _, c := range []struct{ zone, want string }{
		{"Europe/Berlin", "Europe/Berlin"},
		{" america/new_york ", "America/New_York"},
		{"US/Pacific", "US/Pacific"},
		{"utc", "UTC"},
		{"UTC+05:30", "UTC+05:30"},
		{"UTC+5:30", "UTC+05:30"},
		{"GMT+0530", "UTC+05:30"},
		{"gmt -3", "UTC-03:00"},
		{"−03:00", "UTC-03:00"}, // U+2212
		{"+14", "UTC+14:00"},
		{"UTC-0", "UTC"},
		{"Etc/GMT+5", "Etc/GMT+5"}, // west of Greenwich
		{"UTC+14:15", ""},
		{"UTC-12:15", ""},
		{"UTC+5:20", ""},
		{"UTC+5:60", ""},
		{"UTC+123", ""},
		{"3", ""},
		{"Europe/Bonn", ""},
		{"Local", ""},
		{"", ""},
		{"../../etc/passwd", ""},
	} {
		if got, ok := z.Find(c.zone); got != c.want || ok != (c.want != "") {
			t.Errorf("Find(%q) = %q, %v; want %q", c.zone, got, ok, c.want)
		}
	}
}

func TestZones_Near(t *testing.T) {
	winter := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	summer := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	z := zones.New()
	for _, c := range []struct {
		name      string
		zone      string
		hours     float64
		at        time.Time
		with, not []string
	}{
		{
			"the same time", "Europe/Berlin", 0, winter,
			[]string{"Europe/Berlin", "Europe/Paris", "Africa/Lagos", "UTC+01:00"},
			[]string{"Europe/London", "UTC", "UTC+00:45", "UTC+01:15"},
		},
		{
			"summer time", "Europe/Berlin", 0, summer,
			[]string{"Europe/Paris", "Africa/Johannesburg", "UTC+02:00"},
			[]string{"Africa/Lagos", "UTC+01:00"},
		},
		{
			"links", "America/Los_Angeles", 0, winter,
			[]string{"US/Pacific", "PST8PDT", "Etc/GMT+8"},
			[]string{"Etc/GMT-8"},
		},
		{
			"hours", "UTC", 1, winter,
			[]string{"UTC+00:00", "GMT", "Europe/Berlin", "UTC+01:00", "UTC-01:00", "Atlantic/Azores"},
			[]string{"UTC+01:15", "UTC-01:15", "Europe/Athens"},
		},
		{
			"half an hour", "UTC+05:00", .5, winter,
			[]string{"Asia/Kolkata", "UTC+05:30", "UTC+04:30", "Asia/Karachi"},
			[]string{"Asia/Kathmandu", "UTC+05:45"},
		},
		{
			"across the date line", "Pacific/Auckland", 2, winter, // UTC+13
			[]string{"Pacific/Honolulu", "UTC-11:00", "UTC-10:00", "UTC-09:00", "UTC+11:00", "UTC+14:00"},
			[]string{"UTC-08:45", "UTC+10:45"},
		},
		{"everywhere", "Asia/Tokyo", 12, winter, []string{"UTC-12:00", "UTC+14:00", "America/Sao_Paulo"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := z.Near(c.zone, c.hours, c.at)
			if err != nil {
				t.Fatal(err)
			}

			for _, zone := range c.with {
				if !slices.Contains(got, zone) {
					t.Errorf("%s is missing", zone)
				}
			}

			for _, zone := range c.not {
				if slices.Contains(got, zone) {
					t.Errorf("%s is too far", zone)
				}
			}
		})
	}

	if _, err := z.Near("Europe/Bonn", 1, winter); err == nil || !strings.Contains(err.Error(), "Europe/Berlin") {
		t.Errorf("unknown zone: error %v", err)
	}
}

// Every zone that Find accepts, Near can find.
func TestZones_Offset(t *testing.T) {
	summer := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for zone, want := range map[string]int{"Europe/Berlin": 120, "UTC+05:30": 330, "UTC": 0, "America/New_York": -240} {
		if got, ok := zones.New().Offset(zone, summer); !ok || got != want {
			t.Errorf("%s: got %d, %v, want %d", zone, got, ok, want)
		}
	}
	if _, ok := zones.New().Offset("Europe/Atlantis", summer); ok {
		t.Error("Europe/Atlantis has an offset")
	}
}

func TestZones_AllLoad(t *testing.T) {
	z := zones.New()
	near, err := z.Near("UTC", 12, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, zone := range near {
		canonical, ok := z.Find(zone)
		if !ok || canonical != zone && zone != "UTC+00:00" || seen[zone] {
			t.Errorf("Find(%q) = %q, %v, or a duplicate", zone, canonical, ok)
		}
		seen[zone] = true
	}
	if want := 597 + 105; len(near) != want { // IANA names and fixed offsets
		t.Errorf("%d zones, want %d", len(near), want)
	}
}

// A new release of Go may bring new zones.
func TestZones_AreThoseOfGo(t *testing.T) {
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}

	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Skip(err)
	}
	defer archive.Close()

	z := zones.New()
	var missing []string
	for _, file := range archive.File {
		if _, ok := z.Find(file.Name); !ok && !strings.HasSuffix(file.Name, "/") && file.Name != "Factory" {
			missing = append(missing, file.Name)
		}
	}

	if diff := cmp.Diff([]string(nil), missing); diff != "" {
		t.Errorf("names.txt lacks zones (-want +got):\n%s", diff)
	}
}

func BenchmarkNear(b *testing.B) {
	z := zones.New()
	at := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := z.Near("Europe/Berlin", 3, at); err != nil {
			b.Fatal(err)
		}
	}
}
