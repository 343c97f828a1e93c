package reference_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/server/dashboard/reference"
	"github.com/freelancer-matching/service/server/openapi"
)

func parse(t testing.TB) *reference.Document {
	t.Helper()
	d, err := reference.Parse(openapi.YAML())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// field returns a field of a list by its name.
func field(t *testing.T, fields []reference.Field, name string) reference.Field {
	t.Helper()
	i := slices.IndexFunc(fields, func(f reference.Field) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no field %s", name)
	}
	return fields[i]
}

func TestParse_HasEveryOperation(t *testing.T) {
	d := parse(t)
	count := strings.Count(string(openapi.YAML()), "\n      operationId: ")
	if got := len(d.Operations()); got != count {
		t.Errorf("%d operations, want %d", got, count)
	}

	for _, o := range d.Operations() {
		if o.ID == "" || o.Summary == "" || len(o.Responses) == 0 {
			t.Errorf("%s %s: id %q, summary %q, %d responses", o.Method, o.Path, o.ID, o.Summary, len(o.Responses))
		}

		if d.Operation(o.ID) != o {
			t.Errorf("operation %s is not found by its id", o.ID)
		}

		for _, b := range o.Bodies {
			for _, e := range b.Examples {
				if b.ContentType == "application/json" && !json.Valid([]byte(e.Text)) {
					t.Errorf("%s: example %s is not JSON", o.ID, e.Name)
				}
			}
		}
	}

	if d.Operation("nothing") != nil {
		t.Error("an unknown operation is found")
	}

	if len(d.ErrorCodes) < 20 || d.Introduction == "" || d.Version == "" {
		t.Errorf("%d error codes, %d characters of introduction, version %q",
			len(d.ErrorCodes), len(d.Introduction), d.Version)
	}
}

func TestParse_DescribesFieldsForPeople(t *testing.T) {
	match := parse(t).Operation("matchFreelancers")
	fields := match.Bodies[0].Fields
	skills := field(t, fields, "required_skills")
	if skills.Type != "list of strings" || skills.Limits != "at most 50 items; each 1 to 100 characters" ||
		!strings.Contains(string(skills.Description), "counts once") {
		t.Errorf("required_skills: %+v", skills)
	}

	if kind := field(t, fields, "budget_type"); kind.Limits != "one of fixed, hourly" {
		t.Errorf("budget_type: %+v", kind)
	}

	if rating := field(t, fields, "min_rating"); rating.Depth != 1 || rating.Limits != "0 to 5" {
		t.Errorf("filters.min_rating: %+v", rating)
	}

	if zone := field(t, fields, "zone"); zone.Depth != 2 || !zone.Required {
		t.Errorf("filters.time_zone.zone: %+v", zone)
	}

	if !strings.HasPrefix(match.Request(), "{\n  \"description\"") || !match.NeedsKey {
		t.Errorf("the request is %s", match.Request())
	}

	if parse(t).Operation("checkLive").NeedsKey {
		t.Error("/livez needs a key")
	}
}

// The messages to webhook endpoints form a group of their own, each with an example.
func TestParse_HasMessages(t *testing.T) {
	d := parse(t)
	messages := d.Groups[len(d.Groups)-1]
	if messages.Name != "webhooks" || len(messages.Operations) != len(feed.Events()) {
		t.Fatalf("the last group is %s with %d operations", messages.Name, len(messages.Operations))
	}

	// The examples are messages as the service makes them.
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, event := range feed.Events() {
		o := messages.Operations[i]
		if !o.IsMessage || o.Path != string(event) || o.NeedsKey {
			t.Errorf("message %d is %+v, want %s", i, o, event)
		}
		message, err := feed.NewMessage(event, feed.Sample(event, at), at)
		if err != nil {
			t.Fatal(err)
		}
		var example bytes.Buffer
		if err := json.Compact(&example, []byte(o.Request())); err != nil || example.String() != string(message.Body) {
			t.Errorf("the example of %s is %s (%v), want %s", event, &example, err, message.Body)
		}
	}

	changed := d.Operation("onFreelancerChanged").Bodies[0].Fields
	if f := field(t, changed, "changes"); f.Depth != 1 || f.Limits != "1 to 500 items" || !f.Required {
		t.Errorf("data.changes: %+v", f)
	}
}

func TestParse_RejectsBrokenDocuments(t *testing.T) {
	for name, document := range map[string]string{
		"no YAML":           "\t{",
		"missing reference": "paths:\n  /x:\n    get: {responses: {'200': {$ref: '#/components/responses/None'}}}",
		"circle":            "components: {schemas: {ErrorCode: {$ref: '#/components/schemas/ErrorCode'}}}",
		"unknown tag":       "paths:\n  /x:\n    get: {operationId: x, tags: [none]}",
	} {
		if _, err := reference.Parse([]byte(document)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		parse(b)
	}
}
