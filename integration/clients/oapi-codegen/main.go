// Command marketplace sends the requests of a marketplace with the client that oapi-codegen generates.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"marketplace/api"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
)

var ctx = context.Background()

func main() {
	log.SetFlags(log.Lshortfile)
	a := connect(os.Getenv("KEY"))
	matches(a)
	records(a)
	bulk(a)
	batch(a)
	files(a)
	interviews(a)
	failures(a)
	fmt.Println("all passed")
}

func connect(key string) *api.ClientWithResponses {
	c, err := api.NewClientWithResponses(os.Getenv("URL"), api.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("X-API-Key", key)
			return nil
		}))
	must(err)
	return c
}

// must ends the program if an error occurred, and check if a condition doesn't hold. The log names the line.
func must(err error) {
	if err != nil {
		_ = log.Output(2, err.Error())
		os.Exit(1)
	}
}

func check(ok bool, response fmt.Stringer) {
	if !ok {
		_ = log.Output(2, response.String())
		os.Exit(1)
	}
}

// text is the body of a response that is not as expected.
type text []byte

func (t text) String() string { return string(t) }

func to[T any](v T) *T { return &v }

func matches(a *api.ClientWithResponses) {
	health, err := a.GetHealthWithResponse(ctx, nil)
	must(err)
	check(health.JSON200 != nil && health.JSON200.Status == api.HealthAnswerStatusHealthy, text(health.Body))
	me, err := a.GetMeWithResponse(ctx, nil)
	must(err)
	check(me.JSON200 != nil && me.JSON200.Data.Plan == "enterprise", text(me.Body))

	brief := api.MatchRequest{RequiredSkills: &[]string{"React", "Node.js"}, Limit: to(int64(2))}
	null := &api.MatchFreelancersParams{Unknown: to(api.MatchFreelancersParamsUnknown("null"))}
	first, err := a.MatchFreelancersWithResponse(ctx, null, brief)
	must(err)
	check(first.JSON200 != nil && len(first.JSON200.Matches) == 2 && first.JSON200.NextOffset != nil, text(first.Body))
	best := first.JSON200.Matches[0]
	check(best.Score > 0 && best.Freelancer.HourlyRate != nil, text(first.Body))

	brief.Offset = first.JSON200.NextOffset
	second, err := a.MatchFreelancersWithResponse(ctx, nil, brief)
	must(err)
	check(second.JSON200 != nil && second.JSON200.Matches[0].Freelancer.ID != best.Freelancer.ID, text(second.Body))

	explained, err := a.ExplainMatchWithResponse(ctx, nil, api.ExplainRequest{
		FreelancerID: best.Freelancer.ID, RequiredSkills: brief.RequiredSkills,
	})
	must(err)
	check(explained.JSON200 != nil && *explained.JSON200.Data.Rank == 1, text(explained.Body))
	similar, err := a.SimilarFreelancersWithResponse(ctx, best.Freelancer.ID, nil)
	must(err)
	check(similar.JSON200 != nil && len(similar.JSON200.Matches) == 10, text(similar.Body))
	skill, err := a.VerifySkillWithResponse(ctx, nil, api.VerifySkillRequest{Keyword: "k8s"})
	must(err)
	check(skill.JSON200 != nil && skill.JSON200.Data.Skill.Name == "Kubernetes", text(skill.Body))

	events, err := a.RecordEventsWithResponse(ctx, nil, api.EventsRequest{Events: []api.Event{
		{Type: api.EventTypeClicked, RequestID: first.JSON200.RequestID, FreelancerID: best.Freelancer.ID},
	}})
	must(err)
	check(events.JSON200 != nil && events.JSON200.Data.Recorded == 1, text(events.Body))
}

// id is of a freelancer whom no other client changes.
const id = "oapi-codegen"

func records(a *api.ClientWithResponses) {
	put, err := a.PutFreelancerWithResponse(ctx, id, nil, api.FreelancerRecord{
		Name: to("Ada Byron"), JobTitle: to("Go developer"), Skills: &[]string{"Go"}, HourlyRate: to(60.0),
		Languages: &[]api.RecordLanguage{{Language: "en", Level: to("C1")}},
	})
	must(err)
	check(put.JSON201 != nil && put.JSON201.Data.Outcome == "created", text(put.Body))
	patched, err := a.PatchFreelancerWithResponse(ctx, id, nil, api.FreelancerRecord{HourlyRate: to(65.0)})
	must(err)
	check(patched.JSON200 != nil, text(patched.Body))
	got, err := a.GetFreelancerWithResponse(ctx, id, nil)
	must(err)
	check(got.JSON200 != nil && *got.JSON200.Data.Freelancer.HourlyRate == 65, text(got.Body))
	check(got.JSON200.Data.Version == *patched.JSON200.Data.Version, text(got.Body))

	// What was read can be written, because both have the same type.
	again, err := a.PutFreelancerWithResponse(ctx, id, nil, got.JSON200.Data.Freelancer)
	must(err)
	check(again.JSON200 != nil && again.JSON200.Data.Outcome == "unchanged", text(again.Body))
}

func bulk(a *api.ClientWithResponses) {
	lines := `{"id":"` + id + `","deleted":true}` + "\n" + `{"id":"` + id + `-2","rating":9}` + "\n"
	response, err := a.ChangeFreelancersWithBodyWithResponse(ctx, nil, "application/x-ndjson", strings.NewReader(lines))
	must(err)
	results := strings.Split(strings.TrimSpace(string(response.Body)), "\n")
	check(len(results) == 3 && strings.Contains(results[0], `"outcome":"deleted"`) &&
		strings.Contains(results[1], `"outcome":"failed"`) && strings.Contains(results[2], `"failed":1`),
		text(response.Body))
}

func batch(a *api.ClientWithResponses) {
	response, err := a.MatchBatchWithResponse(ctx, nil, api.MatchBatchRequest{Briefs: []api.MatchRequest{
		{RequiredSkills: &[]string{"React"}}, {JobTitle: to("Translator"), Profile: to("cheap")},
	}})
	must(err)
	check(response.JSON200 != nil && len(response.JSON200.Data.Results) == 2, text(response.Body))
	found, err := response.JSON200.Data.Results[0].ValueByDiscriminator()
	must(err)
	matches, ok := found.(api.MatchAnswer)
	check(ok && len(matches.Matches) == 10, text(response.Body))
	failed, err := response.JSON200.Data.Results[1].ValueByDiscriminator()
	must(err)
	failure, ok := failed.(api.Failure)
	check(ok && failure.Error.Code == "validation_failed", text(response.Body))
}

func files(a *api.ClientWithResponses) {
	resume, err := os.ReadFile(os.Getenv("RESUME"))
	must(err)
	form := func() (string, *bytes.Buffer) {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		part, err := w.CreateFormFile("file", "resume.txt")
		must(err)
		_, _ = part.Write(resume)
		must(w.Close())
		return w.FormDataContentType(), &body
	}

	kind, body := form()
	parsed, err := a.ParseResumeWithBodyWithResponse(ctx, nil, kind, body)
	must(err)
	check(parsed.JSON200 != nil && *parsed.JSON200.Data.Name == "Mira Talden", text(parsed.Body))
	kind, body = form()
	converted, err := a.ParseToJSONResumeWithBodyWithResponse(ctx, nil, kind, body)
	must(err)
	check(converted.JSON200 != nil && *converted.JSON200.Data.Basics.Name == "Mira Talden", text(converted.Body))
}

func interviews(a *api.ClientWithResponses) {
	found, err := a.MatchFreelancersWithResponse(ctx, nil, api.MatchRequest{RequiredSkills: &[]string{"React"}})
	must(err)
	request := api.InterviewRequest{
		FreelancerID: found.JSON200.Matches[0].Freelancer.ID, JobTitle: to("React developer"),
		RequiredSkills: &[]string{"React"}, NumQuestions: to(int64(2)),
	}
	asked, err := a.ConductInterviewWithResponse(ctx, nil, request)
	must(err)
	check(asked.JSON200 != nil && len(asked.JSON200.Data.InterviewData.Questions) == 2, text(asked.Body))

	session := asked.JSON200.Data.SessionID
	view := api.InterviewRequestViewCandidate
	mode := api.InterviewRequestModeReport
	seen, err := a.ConductInterviewWithResponse(ctx, nil, api.InterviewRequest{
		FreelancerID: request.FreelancerID, SessionID: &session, Mode: &mode, View: &view,
	})
	must(err)
	check(seen.JSON200 != nil && seen.JSON200.Data.InterviewData.Questions[0].Points == nil, text(seen.Body))

	stream, err := a.StreamInterviewWithResponse(ctx, nil, request)
	must(err)
	check(strings.Contains(string(stream.Body), "event: result"), text(stream.Body))
	deleted, err := a.DeleteInterviewByIDWithResponse(ctx, session, nil)
	must(err)
	check(deleted.JSON200 != nil, text(deleted.Body))
}

func failures(a *api.ClientWithResponses) {
	denied, err := connect("svc_fr_wrong").GetMeWithResponse(ctx, nil)
	must(err)
	check(denied.JSON401 != nil && denied.JSON401.Error.Code == "invalid_api_key", text(denied.Body))
	missing, err := a.GetFreelancerWithResponse(ctx, "nobody", nil)
	must(err)
	check(missing.JSON404 != nil && missing.JSON404.Error.Code == "freelancer_not_found", text(missing.Body))
	invalid, err := a.MatchFreelancersWithResponse(ctx, nil, api.MatchRequest{Limit: to(int64(0))})
	must(err)
	check(invalid.JSON422 != nil && slices.ContainsFunc(invalid.JSON422.Error.Details, func(e api.FieldError) bool {
		return e.Field == "limit"
	}), text(invalid.Body))

	// The plan of the second key shows 500 freelancers a day.
	small := connect(os.Getenv("SMALL_KEY"))
	page := &api.ListFreelancersParams{Limit: to(int64(100))}
	for range 5 {
		list, err := small.ListFreelancersWithResponse(ctx, page)
		must(err)
		check(list.JSON200 != nil && list.JSON200.NextCursor != nil, text(list.Body))
		page.Cursor = list.JSON200.NextCursor
	}
	refused, err := small.ListFreelancersWithResponse(ctx, page)
	must(err)
	check(refused.JSON429 != nil && refused.JSON429.Error.Code == "freelancer_limit_exceeded", text(refused.Body))
	check(refused.HTTPResponse.Header.Get("Retry-After") != "", text(refused.Body))
}
