package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// received returns the brief that the matcher receives for a body.
func received(t *testing.T, body string) *matching.Brief {
	t.Helper()
	var got *matching.Brief
	c := call{
		path: matchPath, body: body, status: 200,
		change: func(f *fixture) {
			f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
				got = b
				return fullAnswer(), nil
			})
		},
	}
	c.send(t)
	return got
}

func TestMatch_Brief(t *testing.T) {
	tests := []struct {
		name, body string
		want       matching.Brief
	}{
		{"description only", goodBrief, matching.Brief{Description: "A dashboard in React", Limit: 10}},
		{
			"null is absent",
			`{"description":"x","required_skills":null,"budget_range":null,"complexity":null,"timeline":null,` +
				`"start_date":null,"job_title":null,"nice_to_have_skills":null,"budget_type":null,` +
				`"effort_hours":null,"filters":null,"weights":null,"profile":null,"limit":null,"offset":null,"explain":null}`,
			matching.Brief{Description: "x", Limit: 10},
		},
		{
			"null filter", `{"job_title":"x","filters":{"available":null,"ids":null}}`,
			matching.Brief{JobTitle: "x", Limit: 10},
		},
		{
			"notations of whole numbers", `{"job_title":"x","timeline":3e1,"limit":20.0,"offset":0}`,
			matching.Brief{JobTitle: "x", TimelineDays: matching.Some(30), Limit: 20},
		},
		{
			"zero budget", `{"required_skills":["C"],"budget_range":[0,0]}`,
			matching.Brief{RequiredSkills: []string{"C"}, Budget: matching.Some(matching.Budget{}), Limit: 10},
		},
		{
			"all fields",
			`{"description":"d","required_skills":["Go","k8s"],"budget_range":[20,45.5],"complexity":"high","timeline":30,` +
				`"start_date":"1970-02-03","job_title":"j","nice_to_have_skills":["C++"],"budget_type":"hourly",` +
				`"effort_hours":12.5,"filters":{"available":false,` +
				`"min_rating":4.5,"min_experience":2,"max_hourly_rate":50,"must_have_skills":["Go"],"exclude_skills":["PHP"],` +
				`"ids":["f1"],"exclude_ids":["f2"],"max_cost":900,"countries":["de","GB","na"],` +
				`"languages":[{"language":"PT-br","min_level":"c1"},{"language":"iw","min_level":"Native"},{"language":"en"}],` +
				`"time_zone":{"zone":"utc+5:30","within_hours":2.5},"available_by":"1970-02-01","verified":true},` +
				`"currency":"eur","weights":{"skills":0.5,"budget":0},"profile":"strict","limit":100,"offset":400,` +
				`"explain":true,"details":true}`,
			matching.Brief{
				Description: "d", JobTitle: "j", RequiredSkills: []string{"Go", "k8s"}, NiceToHaveSkills: []string{"C++"},
				Budget:     matching.Some(matching.Budget{Low: 20, High: 45.5, Kind: matching.BudgetHourly}),
				Complexity: matching.ComplexityHigh, TimelineDays: matching.Some(30), StartDay: matching.Some(33),
				EffortHours: matching.Some(12.5),
				Filters: matching.Filters{
					Available: matching.Some(false), MinRating: matching.Some(4.5), MinExperience: matching.Some(2.0),
					MaxHourlyRate: matching.Some(50.0), MustHaveSkills: []string{"Go"}, ExcludeSkills: []string{"PHP"},
					IDs:        []string{"f1"},
					ExcludeIDs: []string{"f2"}, MaxCost: matching.Some(900.0), Countries: []string{"DE", "GB", "NA"},
					Languages: []matching.LanguageFilter{
						{Tag: "pt-BR", MinLevel: "C1"}, {Tag: "he", MinLevel: matching.LevelNative}, {Tag: "en"},
					},
					TimeZone:    matching.Some(matching.TimeZoneFilter{Zone: "UTC+05:30", WithinHours: 2.5}),
					AvailableBy: matching.Some(31), Verified: matching.Some(true),
				},
				Currency: "EUR",
				Profile:  "strict", Weights: map[string]float64{"skills": 0.5, "budget": 0}, Limit: 100, Offset: 400,
				Explain: true, Details: true,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(&tt.want, received(t, tt.body)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The largest allowed values. TestMatch_RejectsInvalidBriefs has the values beyond them.
func TestMatch_AcceptsTheLimits(t *testing.T) {
	skills := `["` + strings.Repeat("x", 100) + `"` + strings.Repeat(`,"é"`, 49) + `]`
	for _, body := range []string{
		`{"description":"` + strings.Repeat("é", 20_000) + `"}`,
		`{"required_skills":` + skills + `}`,
		`{"job_title":"x","timeline":1}`,
		`{"job_title":"x","timeline":3650}`,
		`{"job_title":"x","limit":1,"offset":499}`,
		`{"job_title":"x","budget_range":[5,5]}`,
		`{"description":"x` + strings.Repeat(" ", 15_000) + `"}` + strings.Repeat("\n", 1<<20-16_000),
	} {
		received(t, body)
	}
}

const fullAnswerJSON = `{"status":"success","matches":[` +
	`{"freelancer":{"id":"f1","name":"Mira Talden","job_title":"R&D <Frontend>",` +
	`"skills":["React","Go"],"experience":6.5,"rating":4.9,"hourly_rate":52.5,` +
	`"profile_url":"https://example.com/freelancers/mira-talden-1","availability":true,"total_sales":38},` +
	`"score":0.74,"fit":0.76,` +
	`"matching_skills":2,"matched_skills":["React","golang"],"missing_skills":["k8s"],"unknown_fields":[],` +
	`"level":"strong","price":{"verdict":"over_budget","times":1.2},` +
	`"estimate":{"hours":106.2,"days":18.6,"cost":5575.5}%s},` +
	`{"freelancer":{"id":"f2","name":"","job_title":"","skills":[],` +
	`"experience":0,"rating":0,"hourly_rate":0,"profile_url":"","availability":false,"total_sales":0},` +
	`"score":0.1,"fit":0.1,` +
	`"matching_skills":0,"matched_skills":[],"missing_skills":[],` +
	`"unknown_fields":["name","job_title","skills","experience",` +
	`"rating","hourly_rate","profile_url","availability","total_sales"],"level":"weak",` +
	`"estimate":{"hours":null,"days":null,"cost":null}}],"considered":2,"next_offset":null,"derived_skills":["React"],` +
	`"unknown_skills":[{"skill":"Reactt","suggestions":["React"]},{"skill":"zzz","suggestions":[]}],` +
	`"skipped":[{"feature":"semantic","reason":"no vectors are loaded"}],"request_id":"same","took_ms":0}` + "\n"

const explanationJSON = `,"explanation":[{"feature":"skills","value":0.7,"weight":0.6,"contribution":0.42,` +
	`"summary":"has 2 of 3 required skills"},{"feature":"budget","value":0.8,"weight":0.4,"contribution":0.32,` +
	`"summary":"within the budget"}]`

// The same request gets the same bytes, except for took_ms.
func TestMatch_Answer(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"plain", goodBrief, fmt.Sprintf(fullAnswerJSON, "")},
		{"explained", `{"description":"A dashboard in React","explain":true}`, fmt.Sprintf(fullAnswerJSON, explanationJSON)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := call{
				path: matchPath, body: tt.body, status: 200,
				header: http.Header{"X-Request-Id": {"same"}}, never: []string{"not part of the answer"},
			}
			w, _ := c.send(t)
			if diff := cmp.Diff(tt.want, withoutTime(w.Body.Bytes())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// withoutTime returns a response with took_ms, its last member, set to 0.
func withoutTime(body []byte) string {
	i := bytes.LastIndex(body, []byte(`"took_ms":`))
	return string(body[:i]) + `"took_ms":0}` + "\n"
}

func TestMatch_ReasonForNoMatches(t *testing.T) {
	c := call{
		status: 200,
		change: func(f *fixture) {
			f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) {
				return &matching.Answer{
					Reason:       matching.ReasonFilter + "min_rating",
					ReasonDetail: []matching.FilterStep{{Filter: "min_rating", Before: 9, Excluded: 9, Unknown: 2, Message: "nobody"}},
				}, nil
			})
		},
		want: []string{
			`"matches":[],"considered":0,"next_offset":null,"unknown_skills":[]`, `"skipped":[]`,
			`"reason":"filter:min_rating"`,
			`"reason_detail":[{"filter":"min_rating","before":9,"excluded":9,"unknown":2,"message":"nobody"}]`,
		},
		never: []string{"derived_skills", `"reason_detail":null`},
	}
	c.send(t)
}

func TestMatch_RejectsInvalidBriefs(t *testing.T) {
	long := strings.Repeat("x", 101)
	invalidAs := func(name, body string, code matching.Code, want ...string) call {
		return call{name: name, path: matchPath, body: body, status: 422, code: code, want: want}
	}
	invalid := func(name, body string, want ...string) call {
		return invalidAs(name, `{"job_title":"x",`+body+`}`, matching.CodeInvalid, want...)
	}
	required := `"message":"At least one of description, required_skills and job_title must contain a letter or a digit."`
	run(t, []call{
		invalidAs("empty brief", `{}`, matching.CodeInvalid, required),
		invalidAs("no letters", `{"description":" \n","job_title":"?!","required_skills":[]}`, matching.CodeInvalid,
			required),
		invalid("a blank skill", `"required_skills":["Go"," "]`, `"field":"required_skills[1]","code":"blank"`),
		invalid("51 skills", `"required_skills":["a"`+strings.Repeat(`,"a"`, 50)+`]`, "at most 50 entries; got 51"),
		invalid("10,000 skills", `"nice_to_have_skills":["a"`+strings.Repeat(`,"a"`, 9_999)+`]`,
			"at most 50 entries; got 10000"),
		invalid("a long skill", `"required_skills":["`+long+`"]`, `"field":"required_skills[0]","code":"too_long"`),
		invalidAs("a long description", `{"description":"`+strings.Repeat("é", 20_001)+`"}`, matching.CodeInvalid,
			"got 20001"),
		invalid("a long title", `"profile":"`+long+`"`, `"code":"too_long"`),
		invalid("negative budget", `"budget_range":[-5,10]`, `budget_range[0] must not be negative; got -5`),
		invalid("negative, reversed budget", `"budget_range":[-5,-10]`, `"field":"budget_range[1]","code":"negative"`,
			`"code":"reversed"`),
		invalid("reversed budget", `"budget_range":[10,5]`, "got [10, 5]"),
		invalid("one number in the budget", `"budget_range":[10]`, "must be two numbers, [low, high]; got 1"),
		invalid("empty budget", `"budget_range":[]`, "got 0"),
		invalid("three numbers in the budget", `"budget_range":[1,2,3]`, "got 3"),
		invalid("infinite budget", `"budget_range":[0,1e400]`, `"field":"budget_range[1]","code":"out_of_range"`),
		invalid("unknown complexity", `"complexity":"extreme"`,
			`complexity must be one of low, medium, high; got \"extreme\"`),
		invalid("empty complexity", `"complexity":""`, "complexity must be one of"),
		invalid("unknown budget type", `"budget_type":"daily"`, "fixed, hourly"),
		invalid("zero days", `"timeline":0`, "timeline must be from 1 to 3650; got 0"),
		invalid("too many days", `"timeline":3651`, "got 3651"),
		invalid("infinite days", `"timeline":1e300`, `"code":"out_of_range"`),
		invalid("a time as start", `"start_date":"2026-12-01T08:00"`, `"field":"start_date","code":"invalid_date"`),
		invalid("zero effort", `"effort_hours":0`, "effort_hours must be more than 0"),
		invalid("zero limit", `"limit":0`, "limit must be from 1 to 100; got 0"),
		invalid("limit too large", `"limit":101`, "got 101"),
		invalid("a negative offset", `"offset":-1`, `"field":"offset","code":"negative"`),
		invalid("offset too large", `"limit":100,"offset":401`,
			"offset + limit must be at most 500 on the plan professional; got 401 + 100"),
		invalid("rating too high", `"filters":{"min_rating":5.1}`, "filters.min_rating must be from 0 to 5; got 5.1"),
		invalid("negative filters", `"filters":{"min_experience":-1,"max_hourly_rate":-1}`,
			"The request has 2 errors: filters.min_experience"),
		invalid("empty list of IDs", `"filters":{"ids":[]}`, "filters.ids must contain at least one ID"),
		invalid("blank ID", `"filters":{"exclude_ids":[""]}`, `"field":"filters.exclude_ids[0]"`),
		invalid("name of a country", `"filters":{"countries":["de","Germany"]}`,
			`"field":"filters.countries[1]","code":"unknown_country"`, `for \"Germany\", send DE.`),
		invalid("other codes of a country", `"filters":{"countries":["UK","DEU"]}`, `for \"UK\", send GB.`, "send DE."),
		invalid("unknown country", `"filters":{"countries":["ZZ","Atlantis"]}`, `such as DE; got \"ZZ\".`,
			`got \"Atlantis\"`),
		invalid("blank country", `"filters":{"countries":[""]}`, `"field":"filters.countries[0]","code":"blank"`),
		invalid("no country", `"filters":{"countries":[]}`, `"field":"filters.countries","code":"empty"`),
		invalid("name of a language", `"filters":{"languages":[{"language":"German"}]}`,
			`"field":"filters.languages[0].language","code":"unknown_language"`, `for \"German\", send de.`),
		invalid("unknown language", `"filters":{"languages":[{"language":"xx"},{"language":"*"}]}`, `got \"xx\"`,
			"filters.languages[1].language"),
		invalid("language without a tag", `"filters":{"languages":[{"min_level":"B2"}]}`,
			`"field":"filters.languages[0].language","code":"required"`),
		invalid("level in words", `"filters":{"languages":[{"language":"de","min_level":"fluent"}]}`,
			`must be one of A1, A2, B1, B2, C1, C2, native; got \"fluent\". For \"fluent\", send C1.`),
		invalid("unknown level", `"filters":{"languages":[{"language":"de","min_level":"D1"}]}`, `got \"D1\".`),
		invalid("no language", `"filters":{"languages":[]}`, `"field":"filters.languages","code":"empty"`),
		invalid("11 languages", `"filters":{"languages":[`+strings.Repeat(`{"language":"de"},`, 10)+`{"language":"en"}]}`,
			"at most 10 entries; got 11"),
		invalid("unknown time zone", `"filters":{"time_zone":{"zone":"Mars/Olympus","within_hours":13}}`,
			`filters.time_zone.zone is \"Mars/Olympus\": not a time zone; use a name such as Europe/Berlin`,
			"filters.time_zone.within_hours must be from 0 to 12; got 13"),
		invalid("ambiguous time zone", `"filters":{"time_zone":{"zone":"IST"}}`, "several time zones have this abbreviation"),
		invalid("no time zone", `"filters":{"time_zone":{}}`, `"field":"filters.time_zone.zone"`),
		invalid("invalid dates", `"filters":{"available_by":"1.12.2026"}`, `must be a date such as 2026-12-01; got \"1.12.`),
		invalid("date that doesn't exist", `"filters":{"available_by":"2026-02-30"}`, `"code":"invalid_date"`),
		invalid("date before all others", `"filters":{"available_by":"0001-01-01"}`, `"code":"invalid_date"`),
		invalid("negative cost", `"effort_hours":1,"filters":{"max_cost":-1}`,
			`"field":"filters.max_cost","code":"negative"`),
		invalid("sign of a currency", `"currency":"€"`, `currency must be a code of ISO 4217, such as EUR; got \"€\".`),
		invalid("unknown currency", `"currency":"XXX"`, `"field":"currency","code":"unknown_currency"`),
		invalid("many errors in filters", `"currency":"Dollar","filters":{"countries":["Peru"],`+
			`"languages":[{"language":"es","min_level":"high"}],"time_zone":{"zone":"?"},"available_by":"soon"}`,
			"The request has 5 errors", "send PE", "min_level", "filters.time_zone.zone", "available_by", "currency"),
		invalid("weights out of range", `"weights":{"skills":-1,"text":1e9}`, "weights.skills must be from 0 to 1000; got -1",
			"weights.text"),
		invalid("NUL in a text", `"description":"a\u0000b"`, "description must not contain NUL characters"),
		invalid("NUL in a list", `"required_skills":["\u0000"]`, `"field":"required_skills[0]","code":"invalid_characters"`),
		invalid("repeated field", `"limit":5,"limit":6`, `"field":"limit","code":"duplicate_field"`),
		invalidAs("misspelled field", `{"descriptiom":"x"}`, validate.CodeUnknownField,
			"descriptiom is not a known field. Did you mean description?"),
		invalidAs("camel case", `{"job_title":"x","requiredSkills":[]}`, validate.CodeUnknownField,
			"Did you mean required_skills?"),
		invalidAs("swapped letters", `{"job_title":"x","filters":{"avaliabel":true}}`, validate.CodeUnknownField,
			"Did you mean filters.available?"),
		invalidAs("unlike any field", `{"job_title":"x","tint":1}`, validate.CodeUnknownField,
			"The known fields are description, required_skills"),
		invalidAs("upper case", `{"Job_Title":"x"}`, validate.CodeUnknownField, "Did you mean job_title?"),
		invalidAs("list as body", `[]`, validate.CodeWrongType, "body must be an object; got a list"),
		invalidAs("null as body", `null`, validate.CodeWrongType, "body must be an object; got null"),
		invalidAs("number as text", `{"description":5}`, validate.CodeWrongType,
			"description must be a string; got the number 5"),
		invalidAs("text as number", `{"job_title":"x","timeline":"30"}`, validate.CodeWrongType,
			`must be a whole number; got the string \"30\"`),
		invalidAs("fraction as whole number", `{"job_title":"x","timeline":30.5}`, validate.CodeWrongType,
			"got the number 30.5"),
		invalidAs("text as list", `{"required_skills":"Go"}`, validate.CodeWrongType, "required_skills must be a list"),
		invalidAs("null in a list", `{"required_skills":["Go",null]}`, validate.CodeWrongType,
			"required_skills[1] must be a string; got null"),
		invalidAs("NaN", `{"job_title":"x","budget_range":["NaN",1]}`, validate.CodeWrongType,
			"budget_range[0] must be a number"),
		invalidAs("text as boolean", `{"job_title":"x","explain":"yes"}`, validate.CodeWrongType,
			"explain must be true or false"),
		invalidAs("list as object", `{"job_title":"x","filters":[]}`, validate.CodeWrongType, "filters must be an object"),
		invalidAs("text as weight", `{"job_title":"x","weights":{"skills":"all"}}`, validate.CodeWrongType,
			"weights.skills must be a number"),
		invalidAs(
			"all kinds of errors",
			`{"description":5,"budget":[1,2],"timeline":0,"limit":"ten","filters":{"min_rating":9}}`, validate.CodeWrongType,
			`"message":"The request has 5 errors. The first 3: `, `"field":"description"`, `"field":"budget"`,
			`"field":"timeline"`, `"field":"limit"`,
			`"field":"filters.min_rating"`,
		),
		invalidAs("more errors than details", `{"required_skills":[1`+strings.Repeat(",1", 999)+`]}`, validate.CodeWrongType,
			"The request has 1000 errors; details lists 100."),
	})
}

func TestMatch_CountsManyUnknownFields(t *testing.T) {
	var body strings.Builder
	body.WriteString(`{"description":"x"`)
	for i := range 60_000 {
		fmt.Fprintf(&body, `,"field%d":1`, i)
	}
	body.WriteString("}")
	c := call{
		path: matchPath, body: body.String(), status: 422, code: validate.CodeUnknownField,
		want: []string{"The request has 60000 errors"},
	}
	w, _ := c.send(t)
	var answer wire.Failure
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Error.Details) != validate.MaxListed {
		t.Errorf("%d details, want %d (%v)", len(answer.Error.Details), validate.MaxListed, err)
	}
}

// Details are sent on request, with null for what is unknown. Amounts have currencies, and filters counts.
func TestMatch_DetailsAndCurrencies(t *testing.T) {
	answer := fullAnswer()
	answer.Matches[0].Freelancer.Details = matching.Details{
		Country: "PT", Location: "Porto, Portugal", TimeZone: "Europe/Lisbon",
		Languages: []matching.SpokenLanguage{{Tag: "pt", Level: matching.LevelNative}, {Tag: "en"}},
		Currency:  "EUR", AvailableFrom: "2026-12-01", HoursPerWeek: matching.Some(30.0), Verified: matching.Some(false),
	}

	answer.Matches[0].Estimate.Currency = "EUR"
	answer.Currency = "EUR"
	answer.DataCurrency = "USD"
	answer.Conversion = &matching.Conversion{Date: "2026-11-20", Source: "Example Bank", From: "USD", To: "EUR", Rate: .8}
	answer.Filters = []matching.FilterCount{{Filter: "countries", Excluded: 8, Unknown: 7, Message: "eight"}}
	answer.SuggestedFilters = []matching.SuggestedFilter{
		{Filter: "countries", Value: []string{"MX"}, Because: []string{"based in Mexico"}},
		{
			Filter: "languages", Value: []wire.LanguageFilter{{Language: "de", MinLevel: new("native")}},
			Because: []string{"native German speaker"},
		},
	}

	give := func(f *fixture) {
		f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) { return answer, nil })
	}
	const details = `"details":`
	run(t, []call{
		{
			name: "with details", body: `{"description":"A dashboard","details":true}`, status: 200, change: give,
			want: []string{
				`"estimate":{"hours":106.2,"days":18.6,"cost":5575.5,"currency":"EUR"},"details":{"country":"PT",` +
					`"location":"Porto, Portugal","time_zone":"Europe/Lisbon","languages":[{"language":"pt","level":"native"},` +
					`{"language":"en","level":null}],"currency":"EUR","available_from":"2026-12-01","hours_per_week":30,` +
					`"verified":false}`,
				`"details":{"country":null,"location":null,"time_zone":null,"languages":null,"currency":null,` +
					`"available_from":null,"hours_per_week":null,"verified":null}`,
				`"filters":[{"filter":"countries","excluded":8,"unknown":7,"message":"eight"}],"currency":"EUR",` +
					`"hourly_rate_currency":"USD","exchange_rate":{"date":"2026-11-20","source":"Example Bank","from":"USD",` +
					`"to":"EUR","rate":0.8},"suggested_filters":[{"filter":"countries","value":["MX"],` +
					`"because":["based in Mexico"]},{"filter":"languages","value":[{"language":"de","min_level":"native"}],` +
					`"because":["native German speaker"]}],"request_id"`,
			},
		},
		{
			name: "without details", body: `{"description":"A dashboard"}`, status: 200, change: give,
			want: []string{`"currency":"EUR"`}, never: []string{details, "Porto"},
		},
	})
}
