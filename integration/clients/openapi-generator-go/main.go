// Command marketplace sends the requests of a marketplace with the Go client that OpenAPI Generator generates.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"marketplace/api"
	"net/http"
	"os"
	"slices"
	"strings"
)

// id is of a freelancer whom no other client changes.
const id = "openapi-generator-go"

var ctx = context.Background()

func main() {
	log.SetFlags(log.Lshortfile)
	a := connect(os.Getenv("KEY"))
	best := matches(a)
	records(a)
	bulk(a)
	batch(a)
	files(a)
	interviews(a, best)
	failures(a)
	fmt.Println("all passed")
}

func connect(key string) *api.APIClient {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Getenv("URL")}}
	configuration.AddDefaultHeader("X-API-Key", key)
	return api.NewAPIClient(configuration)
}

// must returns what a request got, or ends the program if it failed. The log names the line.
func must[T any](v T, _ *http.Response, err error) T {
	if err != nil {
		failed, _ := errors.AsType[*api.GenericOpenAPIError](err)
		_ = log.Output(2, fmt.Sprintf("%v\n%s", err, failed.Body()))
		os.Exit(1)
	}
	return v
}

// check ends the program if a condition doesn't hold.
func check(ok bool, got any) {
	if !ok {
		_ = log.Output(2, fmt.Sprintf("%+v", got))
		os.Exit(1)
	}
}

// refused returns the error of a request that must be refused.
func refused[T any](_ T, response *http.Response, err error) (*http.Response, api.FailureError) {
	failed, ok := errors.AsType[*api.GenericOpenAPIError](err)
	check(ok, err)
	failure, ok := failed.Model().(api.Failure)
	check(ok, err)
	return response, failure.Error
}

// matches returns the ID of the best freelancer.
func matches(a *api.APIClient) string {
	health := must(a.OperationAPI.GetHealth(ctx).Execute())
	check(health.Components.Database.Status == "connected", health)
	me := must(a.OperationAPI.GetMe(ctx).Execute())
	check(me.Data.Plan == "enterprise", me)

	brief := api.MatchRequest{RequiredSkills: []string{"React", "Node.js"}}
	brief.SetLimit(2)
	first := must(a.MatchingAPI.MatchFreelancers(ctx).MatchRequest(brief).Unknown("null").Execute())
	check(len(first.Matches) == 2 && first.NextOffset.IsSet(), first)
	best := first.Matches[0]
	check(best.Score > 0 && best.Freelancer.HourlyRate.Get() != nil, best)

	brief.SetOffset(*first.NextOffset.Get())
	second := must(a.MatchingAPI.MatchFreelancers(ctx).MatchRequest(brief).Execute())
	check(second.Matches[0].Freelancer.Id != best.Freelancer.Id, second)

	explained := must(a.MatchingAPI.ExplainMatch(ctx).ExplainRequest(api.ExplainRequest{
		FreelancerId: best.Freelancer.Id, RequiredSkills: brief.RequiredSkills,
	}).Execute())
	check(explained.Data.GetRank() == 1, explained)
	similar := must(a.FreelancersAPI.SimilarFreelancers(ctx, best.Freelancer.Id).Execute())
	check(len(similar.Matches) == 10, similar)
	skill := must(a.MatchingAPI.VerifySkill(ctx).VerifySkillRequest(api.VerifySkillRequest{Keyword: "k8s"}).Execute())
	check(skill.Data.Skill.Get().Name == "Kubernetes", skill)

	clicked := api.EventsRequest{Events: []api.Event{
		{Type: "clicked", RequestId: first.RequestId, FreelancerId: best.Freelancer.Id},
	}}
	events := must(a.MatchingAPI.RecordEvents(ctx).EventsRequest(clicked).Execute())
	check(events.Data.Recorded == 1, events)
	return best.Freelancer.Id
}

func records(a *api.APIClient) {
	record := api.FreelancerRecord{Skills: []string{"Go"}}
	record.SetName("Ada Byron")
	record.SetJobTitle("Go developer")
	record.SetHourlyRate(60)
	put := must(a.FreelancersAPI.PutFreelancer(ctx, id).FreelancerRecord(record).Execute())
	check(put.Data.Outcome == "created", put)

	patch := api.FreelancerRecord{}
	patch.SetHourlyRate(65)
	patch.SetLocationNil()
	patched := must(a.FreelancersAPI.PatchFreelancer(ctx, id).FreelancerRecord(patch).Execute())
	got := must(a.FreelancersAPI.GetFreelancer(ctx, id).Execute())
	check(got.Data.Freelancer.GetHourlyRate() == 65 && got.Data.Version == *patched.Data.Version.Get(), got)

	// What was read can be written, because both have the same type.
	again := must(a.FreelancersAPI.PutFreelancer(ctx, id).FreelancerRecord(got.Data.Freelancer).Execute())
	check(again.Data.Outcome == "unchanged", again)
}

func bulk(a *api.APIClient) {
	lines := `{"id":"` + id + `","deleted":true}` + "\n" + `{"id":"` + id + `-2","rating":9}` + "\n"
	response := must(a.FreelancersAPI.ChangeFreelancers(ctx).Body(lines).Execute())
	results := strings.Split(strings.TrimSpace(response), "\n")
	check(len(results) == 3 && strings.Contains(results[0], `"outcome":"deleted"`) &&
		strings.Contains(results[1], `"outcome":"failed"`) && strings.Contains(results[2], `"failed":1`), response)
}

func batch(a *api.APIClient) {
	briefs := []api.MatchRequest{{RequiredSkills: []string{"React"}}, {}}
	briefs[1].SetJobTitle("Translator")
	briefs[1].SetProfile("cheap")
	response := must(a.MatchingAPI.MatchBatch(ctx).MatchBatchRequest(api.MatchBatchRequest{Briefs: briefs}).Execute())
	found, failed := response.Data.Results[0], response.Data.Results[1]
	check(found.Failure == nil && len(found.MatchAnswer.Matches) == 10, found)
	check(failed.MatchAnswer == nil && failed.Failure.Error.Code == "validation_failed", failed)
}

func files(a *api.APIClient) {
	open := func() *os.File {
		file, err := os.Open(os.Getenv("RESUME"))
		check(err == nil, err)
		return file
	}
	parsed := must(a.DataAPI.ParseResume(ctx).File(open()).Execute())
	check(parsed.Data.GetName() == "Mira Talden", parsed)
	converted := must(a.DataAPI.ParseToJSONResume(ctx).File(open()).Execute())
	check(converted.Data.Basics.GetName() == "Mira Talden", converted)
}

func interviews(a *api.APIClient, best string) {
	request := api.InterviewRequest{FreelancerId: best, RequiredSkills: []string{"React"}}
	request.SetJobTitle("React developer")
	request.SetNumQuestions(2)
	asked := must(a.MatchingAPI.ConductInterview(ctx).InterviewRequest(request).Execute())
	check(len(asked.Data.InterviewData.Questions) == 2, asked)

	view := api.InterviewRequest{FreelancerId: best}
	view.SetSessionId(asked.Data.SessionId)
	view.SetMode("report")
	view.SetView("candidate")
	seen := must(a.MatchingAPI.ConductInterview(ctx).InterviewRequest(view).Execute())
	check(seen.Data.InterviewData.Questions[0].Points == nil, seen)

	stream := must(a.MatchingAPI.StreamInterview(ctx).InterviewRequest(request).Execute())
	check(strings.Contains(stream, "event: result"), stream)
	deleted := must(a.MatchingAPI.DeleteInterviewByID(ctx, asked.Data.SessionId).Execute())
	check(deleted.Data.SessionId == asked.Data.SessionId, deleted)
}

func failures(a *api.APIClient) {
	response, denied := refused(connect("svc_fr_wrong").OperationAPI.GetMe(ctx).Execute())
	check(response.StatusCode == 401 && denied.Code == "invalid_api_key", denied)
	response, missing := refused(a.FreelancersAPI.GetFreelancer(ctx, "nobody").Execute())
	check(response.StatusCode == 404 && missing.Code == "freelancer_not_found", missing)

	var brief api.MatchRequest
	brief.SetLimit(0)
	response, invalid := refused(a.MatchingAPI.MatchFreelancers(ctx).MatchRequest(brief).Execute())
	check(response.StatusCode == 422 && slices.ContainsFunc(invalid.Details, func(e api.FieldError) bool {
		return e.Field == "limit"
	}), invalid)

	// The plan of the second key shows 500 freelancers a day.
	small := connect(os.Getenv("SMALL_KEY"))
	page := small.FreelancersAPI.ListFreelancers(ctx).Limit(100)
	for range 5 {
		list := must(page.Execute())
		check(len(list.Data) == 100, list)
		page = page.Cursor(list.GetNextCursor())
	}
	response, limit := refused(page.Execute())
	check(response.StatusCode == 429 && limit.Code == "freelancer_limit_exceeded", limit)
	check(response.Header.Get("Retry-After") != "", response.Header)
}
