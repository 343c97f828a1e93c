package freelancers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

// parsed parses an object that must have no faults.
func parsed(t *testing.T, object string) Record {
	t.Helper()
	r, faults := parse([]byte(object), "USD")
	if len(faults) > 0 {
		t.Fatalf("%s: %v", object, faults)
	}
	return r
}

func TestParse_ReadsValuesAsFilesHaveThem(t *testing.T) {
	for object, want := range map[string]matching.Freelancer{
		`{"name":" Ada <b>Byron</b> ","job_title":"Go developer","description":"Line 1\n\n\n\nLine 2"}`: {
			Name: "Ada Byron", JobTitle: "Go developer", Description: "Line 1\n\nLine 2",
		},
		`{"skills":["Go","go","PostgreSQL"]}`:          {Skills: []string{"Go", "PostgreSQL"}},
		`{"skills":"Go, PostgreSQL, CI/CD"}`:           {Skills: []string{"Go", "PostgreSQL", "CI/CD"}},
		`{"experience":6}`:                             {Signals: matching.Signals{Experience: matching.Some(6.0)}},
		`{"experience":"6+ years"}`:                    {Signals: matching.Signals{Experience: matching.Some(6.0)}},
		`{"rating":4.9}`:                               {Signals: matching.Signals{Rating: matching.Some(4.9)}},
		`{"rating":"98%"}`:                             {Signals: matching.Signals{Rating: matching.Some(4.9)}},
		`{"hourly_rate":25.5}`:                         {Signals: matching.Signals{HourlyRate: matching.Some(25.5)}},
		`{"hourly_rate":1.234}`:                        {Signals: matching.Signals{HourlyRate: matching.Some(1.234)}},
		`{"hourly_rate":"$25/hr"}`:                     {Signals: matching.Signals{HourlyRate: matching.Some(25.0)}},
		`{"availability":true}`:                        {Signals: matching.Signals{Availability: matching.Some(true)}},
		`{"availability":"Available now"}`:             {Signals: matching.Signals{Availability: matching.Some(true)}},
		`{"total_sales":"1.2K+"}`:                      {Signals: matching.Signals{TotalSales: matching.Some(1200)}},
		`{"profile_url":"HTTPS://Example.com/ada"}`:    {ProfileURL: "https://example.com/ada"},
		`{"name":"N/A","rating":null,"experience":""}`: {},
		`{"country":"Germany","time_zone":"Europe/Berlin","languages":[{"language":"German","level":"native"},"English C1"],
			"currency":"€","available_from":"2031-06-01","hours_per_week":"full-time","verified":true}`: {
			Details: matching.Details{
				Country: "DE", TimeZone: "Europe/Berlin", Currency: "EUR", AvailableFrom: "2031-06-01",
				Languages:    []matching.SpokenLanguage{{Tag: "de", Level: matching.LevelNative}, {Tag: "en", Level: "C1"}},
				HoursPerWeek: matching.Some(40.0), Verified: matching.Some(true),
			},
		},
		`{"languages":"German B2, English","verified":"not verified"}`: {Details: matching.Details{
			Languages: []matching.SpokenLanguage{{Tag: "de", Level: "B2"}, {Tag: "en"}}, Verified: matching.Some(false),
		}},
		`{"rating":"4.9 (120)"}`: {Signals: matching.Signals{
			Rating: matching.Some(4.9), TotalSales: matching.Some(120),
		}},
		`{"total_sales":7,"rating":"4.9 (120)"}`: {Signals: matching.Signals{
			Rating: matching.Some(4.9), TotalSales: matching.Some(7),
		}},
	} {
		t.Run(object, func(t *testing.T) {
			var got matching.Freelancer
			r := parsed(t, object)
			r.apply(&got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParse_Faults(t *testing.T) {
	for object, want := range map[string][2]string{
		`{"hourly_rat":5}`: {
			codeUnknownField,
			"hourly_rat is not a known field. Did you mean hourly_rate?",
		},
		`{"name":"a","name":"b"}`:                        {codeDuplicate, "name appears more than once; send it once."},
		`{"name":true}`:                                  {codeWrongType, "name must be a string; got true."},
		`{"rating":[4]}`:                                 {codeWrongType, "rating must be a string or a number; got a list."},
		`{"skills":["Go",null]}`:                         {codeWrongType, "skills[1] must be a string; got null."},
		`{"languages":[{"level":"B2"}]}`:                 {codeWrongType, ""},
		`{"languages":[{"language":"de","grade":"B2"}]}`: {codeWrongType, ""},
		`{"languages":[7]}`:                              {codeWrongType, ""},
		`{"deleted":"perhaps"}`:                          {codeInvalid, ""},
		`[1]`: {
			codeWrongType,
			`The record must be an object, such as {"name": "Ada Byron"}.`,
		},
		`{"experience":"ages"}`: {codeInvalid, `experience: not a number of years; got "ages".`},
		`{"rating":9}`: {
			codeInvalid,
			`rating: out of range: a rating without a scale must be between 0 and 5; got "9".`,
		},
		`{"hourly_rate":"€25"}`: {codeInvalid, ""},
		`{"hourly_rate":"25 per day"}`: {
			codeInvalid,
			`hourly_rate: an amount, but not per hour; got "25 per day".`,
		},
		`{"availability":"perhaps"}`: {codeInvalid, `availability: neither yes nor no; got "perhaps".`},
		`{"total_sales":"many"}`: {
			codeInvalid,
			`total_sales: not a number of finished projects; got "many".`,
		},
		`{"profile_url":"javascript:alert(1)"}`: {codeInvalid, ""},
		`{"country":"Atlantis"}`:                {codeInvalid, ""},
		`{"languages":["Klingonese"]}`:          {codeInvalid, ""},
		`{"available_from":"1/2/2031"}`:         {codeInvalid, ""},
		`{"time_zone":"Mars/Base"}`:             {codeInvalid, ""},
		`{"id":" f1"}`:                          {codeInvalid, ""},
		`{"id":"a\u0000b"}`:                     {codeInvalid, "id must not contain NUL characters."},
		`{"name":"a\u0000b"}`:                   {codeInvalid, "name must not contain NUL characters."},
	} {
		t.Run(object, func(t *testing.T) {
			_, faults := parse([]byte(object), "USD")
			if len(faults) != 1 {
				t.Fatalf("faults %v, want 1", faults)
			}

			if f := faults[0]; f.Code != want[0] || want[1] != "" && f.Message != want[1] {
				t.Errorf("got %q, want %q", f, want)
			}
		})
	}
}

// A value that a file would have cut is refused, because the client would not notice that it lost something.
func TestParse_RefusesWhatALoadCuts(t *testing.T) {
	long := make([]byte, maxDescription+1)
	for i := range long {
		long[i] = 'a'
	}
	for object, code := range map[string]string{
		`{"description":"` + string(long) + `"}`:                      codeTooLong,
		`{"skills":["Go","` + string(long[:value.MaxSkill+1]) + `"]}`: codeInvalid,
	} {
		if _, faults := parse([]byte(object), "USD"); len(faults) != 1 || faults[0].Code != code {
			t.Errorf("faults %v, want %s", faults, code)
		}
	}
}

func TestParse_WarnsAboutInterpretedValues(t *testing.T) {
	r := parsed(t, `{"hourly_rate":"$30-$50","experience":"3-5 years"}`)
	want := []matching.FieldError{
		{
			Field: "hourly_rate", Code: codeInterpreted,
			Message: `hourly_rate: a range of rates; the lower end is used; got "$30-$50".`,
		},
		{
			Field: "experience", Code: codeInterpreted,
			Message: `experience: a range of years; the lower end is used; got "3-5 years".`,
		},
	}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A body of 1 MiB has room for half a million unknown members.
func TestParse_LimitsTheFaultsAboutUnknownMembers(t *testing.T) {
	object := []byte("{")
	for i := range 20_000 {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(object, '"', byte('a'+i%26), byte('a'+i/26%26), byte('a'+i/676%26), '"', ':', '1')
	}
	_, faults := parse(append(object, '}'), "USD")
	if len(faults) != maxUnknownFields {
		t.Errorf("%d faults, want %d", len(faults), maxUnknownFields)
	}
}

func TestRecord_ApplyClearsNullFields(t *testing.T) {
	f := matching.Freelancer{
		ID: "f1", Name: "Ada", JobTitle: "Dev", Skills: []string{"Go"}, ProfileURL: "https://a.example",
		Description: "text", Signals: matching.Signals{
			Experience: matching.Some(1.0), Rating: matching.Some(4.0), HourlyRate: matching.Some(9.0),
			Availability: matching.Some(true), TotalSales: matching.Some(3),
		},
	}
	r := parsed(t, `{"name":null,"job_title":null,"skills":null,"profile_url":null,"description":null,"experience":null,
		"rating":null,"hourly_rate":null,"availability":null,"total_sales":null}`)
	r.apply(&f)
	if diff := cmp.Diff(matching.Freelancer{ID: "f1"}, f); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRecord_Completes(t *testing.T) {
	for object, want := range map[string]matching.Details{
		`{"location":"Warsaw, Poland","hourly_rate":"$20"}`: {
			Location: "Warsaw, Poland", Country: "PL", TimeZone: "Europe/Warsaw", Currency: "USD",
		},
		`{"location":"Warsaw, Poland","country":null}`: {Location: "Warsaw, Poland"},
		`{"location":"Warsaw, Poland","country":"DE","currency":"EUR"}`: {
			Location: "Warsaw, Poland", Country: "DE", TimeZone: "Europe/Berlin", Currency: "EUR",
		},
		`{"country":"PL","time_zone":"UTC","hourly_rate":20}`: {Country: "PL", TimeZone: "UTC"},
		`{"hourly_rate":"$20","currency":null}`:               {},
	} {
		t.Run(object, func(t *testing.T) {
			var f matching.Freelancer
			r := parsed(t, object)
			r.apply(&f)
			before := f.Details
			warnings := r.complete(&f)

			if diff := cmp.Diff(want, f.Details); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}

			if changed := !cmp.Equal(before, f.Details); changed != (len(warnings) > 0) {
				t.Errorf("warnings %v", warnings)
			}
		})
	}
}
