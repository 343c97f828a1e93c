package matching_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	matching "github.com/freelancer-matching/service/clients/go"
)

var ctx = context.Background()

// A marketplace does with the service what a marketplace does.
type marketplace struct {
	*testing.T
	*matching.Client
}

// TestMarketplace makes every call of the client. It changes and erases records, so run it on a server with generated
// freelancers, with a key that has all permissions, as `make sdks` does.
func TestMarketplace(t *testing.T) {
	if os.Getenv("MATCHING_URL") == "" || os.Getenv("RESUME") == "" {
		t.Skip("needs a server: make sdks")
	}

	m := marketplace{t, matching.NewClient(matching.Options{})}
	best := m.findFreelancers()
	m.followChanges()
	m.keepRecords()
	m.changeMany()
	m.readResumes()
	m.interview(best)
	m.loadFile()
}

// must ends the test if a call failed.
func (m marketplace) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// check ends the test if a response isn't as expected.
func (m marketplace) check(ok bool, response any) {
	m.Helper()
	if !ok {
		m.Fatalf("got %+v", response)
	}
}

// findFreelancers returns the ID of the best freelancer for a brief.
func (m marketplace) findFreelancers() string {
	health, err := m.Health(ctx)
	m.must(err)
	m.check(health.Status == "healthy", health)
	me, err := m.Me(ctx)
	m.must(err)
	m.check(slices.Equal(me.Permissions, []string{"data:read", "data:write", "webhooks:write"}), me)

	brief := matching.MatchRequest{RequiredSkills: []string{"React", "Node.js"}, Limit: 20, Explain: true}
	answer, err := m.Match(ctx, brief)
	m.must(err)
	best := answer.Matches[0].Freelancer.ID
	m.check(len(answer.Matches) == 20 && len(answer.Matches[0].Explanation) > 0, answer.Matches[0])

	count := 0
	for match, err := range m.Matches(ctx, brief) {
		m.must(err)
		m.check(match.Score > 0, match)
		if count++; count == 50 {
			break
		}
	}
	m.check(count == 50, count)

	standing, err := m.Explain(ctx, matching.ExplainRequest{FreelancerID: best, RequiredSkills: brief.RequiredSkills})
	m.must(err)
	m.check(*standing.Rank == 1, standing)
	available := matching.MatchFilters{Available: matching.Known(true)}
	similar, err := m.Similar(ctx, best, matching.SimilarQuery{Limit: 3, Filters: available})
	m.must(err)
	m.check(len(similar.Matches) == 3 && *similar.Matches[0].Freelancer.Availability, similar)
	skill, err := m.VerifySkill(ctx, "k8s")
	m.must(err)
	m.check(skill.Skill.Name == "Kubernetes", skill)

	token, err := m.CreateBrowserToken(ctx, matching.BrowserTokenRequest{
		Origins: []string{"https://shop.example"}, Filters: &available, Hide: []string{"hourly_rate"},
	})
	m.must(err)
	m.check(strings.HasPrefix(token.Token, "svc_web_") && time.Until(token.ExpiresAt) > time.Minute, token.ExpiresAt)

	// A brief that fails doesn't fail the others.
	results, err := m.MatchBatch(ctx, []matching.MatchRequest{brief, {JobTitle: "Translator", Profile: "cheap"}})
	m.must(err)
	m.check(len(results[0].Answer.Matches) == 20 && errors.Is(results[1].Err, matching.ErrValidation), results)

	document := strings.NewReader("We need a React developer with Node.js for an online shop.")
	found, err := m.MatchDocument(ctx, document, matching.MatchRequest{Limit: 5, Filters: &available})
	m.must(err)
	m.check(len(found.Matches) == 5 && strings.Contains(found.Brief.Description, "React developer"), found.Brief)

	event := matching.Event{Type: "clicked", RequestID: answer.RequestID, FreelancerID: best}
	recorded, err := m.RecordEvents(ctx, event)
	m.must(err)
	m.check(recorded.Recorded == 1, recorded)
	return best
}

// followChanges learns of a change by the feed, by its stream, and by a message to an endpoint without an address.
func (m marketplace) followChanges() {
	cursor, err := m.Changes.Cursor(ctx)
	m.must(err)
	events := []string{"freelancer.changed", "key.expiring"}
	endpoint, err := m.Webhooks.Create(ctx, matching.EndpointRequest{Name: "marketplace", Events: events})
	m.must(err)
	_, err = m.Freelancers.Put(ctx, "go/0", matching.FreelancerRecord{Name: "Ada Byron"}, matching.Readmit())
	m.must(err)

	for change, err := range m.Changes.Stream(ctx, cursor) {
		m.must(err)
		m.check(change.Kind == "stored" && change.ID == "go/0" && change.Cursor() != cursor, change)
		break
	}
	var kinds []string
	for change, err := range m.Changes.List(ctx, cursor) {
		m.must(err)
		kinds = append(kinds, change.Kind)
	}
	m.check(slices.Equal(kinds, []string{"stored"}), kinds)

	// The message is made after the change is in the feed, and the test is at once there.
	test, err := m.Webhooks.Test(ctx, endpoint.ID, "key.expiring")
	m.must(err)
	var messages []*matching.WebhookMessage
	for len(messages) < 2 {
		messages = nil
		for delivery, err := range m.Webhooks.Deliveries(ctx, endpoint.ID) {
			m.must(err)
			message, err := delivery.Message()
			m.must(err)
			messages = append(messages, message)
		}
	}
	for _, message := range messages {
		isTest := message.ID == test && message.Test && message.Key.KeyID != ""
		isChange := !message.Test && message.Changes != nil && message.Changes[0].ID == "go/0"
		m.check(isTest || isChange, message)
	}
	m.check(errors.Is(m.Webhooks.Retry(ctx, endpoint.ID, test), matching.ErrNotFound), "it can't be sent")

	changed, err := m.Webhooks.Change(ctx, endpoint.ID, matching.WebhookChange{Enabled: matching.Known(false)})
	m.must(err)
	m.check(!changed.Enabled && changed.Name == "marketplace", changed)
	rotated, err := m.Webhooks.Rotate(ctx, endpoint.ID)
	m.must(err)
	m.check(rotated.Secret != endpoint.Secret && rotated.PreviousSecretUntil.After(rotated.CreatedAt), rotated.ID)
	list, err := m.Webhooks.List(ctx)
	m.must(err)
	m.check(len(list) == 1 && list[0].ID == endpoint.ID, list)

	m.must(m.Webhooks.Delete(ctx, endpoint.ID))
	_, err = m.Webhooks.Get(ctx, endpoint.ID)
	m.check(errors.Is(err, matching.ErrNotFound), err)
	_, err = m.Freelancers.Erase(ctx, "go/0")
	m.must(err)
}

func (m marketplace) keepRecords() {
	const id = "go/1"
	ada := matching.FreelancerRecord{Name: "Ada Byron", JobTitle: "Go developer", Skills: []string{"Go"}}
	created, err := m.Freelancers.Put(ctx, id, ada, matching.Readmit()) // an earlier run erased the record
	m.must(err)
	m.check(created.Outcome == "created", created)

	fields := map[string]any{"hourly_rate": 65, "location": nil}
	_, err = m.Freelancers.Patch(ctx, id, fields, matching.IfMatch(created.Version))
	m.must(err)
	_, err = m.Freelancers.Patch(ctx, id, fields, matching.IfMatch(created.Version))
	m.check(errors.Is(err, matching.ErrConflict), err)
	_, err = m.Freelancers.Put(ctx, id, ada, matching.IfNew())
	m.check(errors.Is(err, matching.ErrConflict), err)

	// Unknown numbers are nil, and what was read can be written.
	stored, err := m.Freelancers.Get(ctx, id)
	m.must(err)
	m.check(*stored.Freelancer.HourlyRate == 65 && stored.Freelancer.Rating == nil, stored)
	again, err := m.Freelancers.Put(ctx, id, stored.Freelancer)
	m.must(err)
	m.check(again.Outcome == "unchanged", again)

	listed := 0
	query := matching.ListQuery{Limit: 100, Filters: matching.MatchFilters{MustHaveSkills: []string{"Go"}}}
	for found, err := range m.Freelancers.List(ctx, query) {
		m.must(err)
		if found.Freelancer.ID == id {
			listed++
		}
	}
	m.check(listed == 1, listed)

	erased, err := m.Freelancers.Erase(ctx, id)
	m.must(err)
	m.check(erased.Outcome == "deleted", erased)
	_, err = m.Freelancers.Get(ctx, id)
	m.check(errors.Is(err, matching.ErrNotFound), err)

	_, err = m.Match(ctx, matching.MatchRequest{Limit: -1})
	var invalid *matching.Error
	m.check(errors.Is(err, matching.ErrValidation) && errors.As(err, &invalid), err)
	m.check(slices.ContainsFunc(invalid.Details, func(e matching.FieldError) bool { return e.Field == "limit" }), err)
}

func (m marketplace) changeMany() {
	// Each result arrives before the next change is sent, so the source could be a queue that never ends.
	arrived := make(chan string)
	changes := func(yield func(matching.Change, error) bool) {
		for _, id := range []string{"go-1", "go-2", "go-3", "go-4"} {
			record := matching.FreelancerRecord{ID: id, Name: "Ada Byron", Skills: []string{"Go"}}
			if id == "go-4" {
				record.Rating = matching.Known(9.0)
			}
			if !yield(matching.Store(record), nil) {
				return
			}
			if got := <-arrived; got != id {
				m.Errorf("got the result of %s after %s", got, id)
			}
		}
	}

	var outcomes []string
	for result, err := range m.Freelancers.Bulk(ctx, changes, matching.Readmit()) {
		m.must(err)
		outcomes = append(outcomes, result.Outcome)
		arrived <- result.ID
	}
	m.check(slices.Equal(outcomes, []string{"created", "created", "created", "failed"}), outcomes)

	patches := matching.Changes(matching.ChangeFields("go-1", map[string]any{"rating": 4.5}))
	for result, err := range m.Freelancers.Bulk(ctx, patches, matching.Patches()) {
		m.must(err)
		m.check(result.Outcome == "patched", result)
	}

	// With a mapping file on the server, records have the shape of your own data.
	row := matching.Row(map[string]any{"person": map[string]any{"nr": "go-3"}, "full name": "Ada Lovelace", "rate": 65})
	for result, err := range m.Freelancers.Bulk(ctx, matching.Changes(row), matching.Mapping("shop")) {
		m.must(err)
		m.check(result.ID == "go-3" && result.Outcome == "replaced", result)
	}

	erasures := matching.Changes(matching.EraseID("go-1"), matching.EraseID("go-2"), matching.EraseID("go-3"))
	for result, err := range m.Freelancers.Bulk(ctx, erasures) {
		m.must(err)
		m.check(result.Outcome == "deleted", result)
	}
}

func (m marketplace) readResumes() {
	resume, err := os.ReadFile(os.Getenv("RESUME"))
	m.must(err)
	parsed, err := m.Resumes.Parse(ctx, bytes.NewReader(resume))
	m.must(err)
	m.check(parsed.Name == "Mira Talden", parsed)
	anonymous, err := m.Resumes.Parse(ctx, bytes.NewReader(resume), matching.Anonymize())
	m.must(err)
	m.check(anonymous.Name == "", anonymous)
	withText, err := m.Resumes.Parse(ctx, bytes.NewReader(resume), matching.IncludeText())
	m.must(err)
	m.check(withText.Text[0].Text == "Mira Talden", withText.Text)
	converted, err := m.Resumes.ToJSONResume(ctx, bytes.NewReader(resume))
	m.must(err)
	m.check(converted.Basics.Name == "Mira Talden", converted)
}

func (m marketplace) interview(freelancer string) {
	request := matching.InterviewRequest{
		FreelancerID: freelancer, JobTitle: "React developer", RequiredSkills: []string{"React"}, NumQuestions: 2,
	}
	asked, err := m.Interviews.Conduct(ctx, request)
	m.must(err)
	m.check(len(asked.InterviewData.Questions) == 2, asked)

	evaluated, err := m.Interviews.Conduct(ctx, matching.InterviewRequest{
		FreelancerID: freelancer, Mode: "ai_full", SessionID: asked.SessionID,
		ProvidedAnswers: []string{
			"I keep state in hooks and lift it up to a common parent.", "I profile renders, then memoize.",
		},
	})
	m.must(err)
	reviewed, err := m.Interviews.Review(ctx, asked.SessionID, matching.ReviewRequest{
		Question: evaluated.Evaluation.Details[0].Question, Criterion: "technical", Level: 4, Reason: "Names the cause.",
	})
	m.must(err)
	m.check(len(reviewed.Evaluation.Reviews) == 1, reviewed)

	questions, session := 0, ""
	for event, err := range m.Interviews.Stream(ctx, request) {
		m.must(err)
		switch {
		case event.Question != nil:
			questions++
		case event.Result != nil:
			session = event.Result.SessionID
		}
	}
	m.check(questions == 2, questions)
	link, err := m.Interviews.Invite(ctx, session, matching.InvitationRequest{})
	m.must(err)
	m.check(strings.HasPrefix(link.URL, "http"), link)

	for found, err := range m.Interviews.List(ctx, matching.InterviewQuery{FreelancerID: freelancer, Limit: 1}) {
		m.must(err)
		read, err := m.Interviews.Get(ctx, found.SessionID)
		m.must(err)
		m.check(read.Freelancer.ID == freelancer, read)
		m.must(m.Interviews.Delete(ctx, found.SessionID))
	}
	_, err = m.Interviews.Get(ctx, session)
	m.check(errors.Is(err, matching.ErrNotFound), err)
}

func (m marketplace) loadFile() {
	invented, err := m.GenerateTestData(ctx, matching.TestDataQuery{Freelancers: 1, Seed: 7})
	m.must(err)
	invented[0].ID = "go-load"
	file, err := json.Marshal(invented[0])
	m.must(err)

	load, err := m.Loads.Create(ctx, bytes.NewReader(file), matching.FileName("new.ndjson"), matching.Upsert())
	m.must(err)
	load, err = m.Loads.Wait(ctx, load.ID)
	m.must(err)
	m.check(load.State == "ready" && slices.Equal(load.Preview.Changes.NewIDs, []string{"go-load"}), load)

	_, err = m.Loads.Publish(ctx, load.ID)
	m.must(err)
	load, err = m.Loads.Wait(ctx, load.ID)
	m.must(err)
	m.check(load.State == "live", load)
	load, err = m.Loads.RollBack(ctx, load.ID)
	m.must(err)
	m.check(load.State == "rolled_back", load)
}
