// Command marketplace sends the requests of a marketplace with the client that ogen generates.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"marketplace/api"
	"os"
	"slices"
	"strings"

	ht "github.com/ogen-go/ogen/http"
	"github.com/ogen-go/ogen/ogenerrors"
)

// id is of a freelancer whom no other client changes.
const id = "ogen"

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

// A key is an API key, which the client sends as X-API-Key.
type key string

func (k key) Key(context.Context, api.OperationName) (api.Key, error) {
	return api.Key{APIKey: string(k)}, nil
}

func (key) Bearer(context.Context, api.OperationName) (api.Bearer, error) {
	return api.Bearer{}, ogenerrors.ErrSkipClientSecurity
}

func connect(k string) *api.Client {
	c, err := api.NewClient(os.Getenv("URL"), key(k))
	check(err == nil, err)
	return c
}

// as returns a response, or ends the program if it is of another type. The log names the line.
func as[T any](response any, err error) T {
	got, ok := response.(T)
	if err != nil || !ok {
		_ = log.Output(2, fmt.Sprintf("%v %T %+v", err, response, response))
		os.Exit(1)
	}
	return got
}

// check ends the program if a condition doesn't hold.
func check(ok bool, got any) {
	if !ok {
		_ = log.Output(2, fmt.Sprintf("%+v", got))
		os.Exit(1)
	}
}

// read returns all of a response that isn't JSON.
func read(r io.Reader) string {
	all, err := io.ReadAll(r)
	check(err == nil, err)
	return string(all)
}

// matches returns the ID of the best freelancer.
func matches(a *api.Client) string {
	health := as[*api.HealthAnswerHeaders](a.GetHealth(ctx, api.GetHealthParams{})).Response
	check(health.Status == api.HealthAnswerStatusHealthy, health)
	me := as[*api.MeAnswerHeaders](a.GetMe(ctx, api.GetMeParams{})).Response
	check(me.Data.Plan == "enterprise", me)

	skills := api.NewOptNilStringArray([]string{"React", "Node.js"})
	brief := &api.MatchRequest{RequiredSkills: skills, Limit: api.NewOptNilInt64(2)}
	null := api.MatchFreelancersParams{Unknown: api.NewOptUnknown(api.UnknownNull)}
	first := as[*api.MatchFreelancersOKHeaders](a.MatchFreelancers(ctx, brief, null)).Response
	check(len(first.Matches) == 2 && !first.NextOffset.Null, first)
	best := first.Matches[0]
	check(best.Score > 0 && !best.Freelancer.HourlyRate.Null, best)

	brief.Offset = api.NewOptNilInt64(first.NextOffset.Value)
	second := as[*api.MatchFreelancersOKHeaders](a.MatchFreelancers(ctx, brief, api.MatchFreelancersParams{})).Response
	check(second.Matches[0].Freelancer.ID != best.Freelancer.ID, second)

	why := &api.ExplainRequest{FreelancerID: best.Freelancer.ID, RequiredSkills: skills}
	explained := as[*api.ExplainAnswerHeaders](a.ExplainMatch(ctx, why, api.ExplainMatchParams{})).Response
	check(explained.Data.Rank.Value == 1, explained)
	like := api.SimilarFreelancersParams{ID: best.Freelancer.ID}
	similar := as[*api.MatchAnswerHeaders](a.SimilarFreelancers(ctx, like)).Response
	check(len(similar.Matches) == 10, similar)
	word := &api.VerifySkillRequest{Keyword: "k8s"}
	skill := as[*api.VerifySkillAnswerHeaders](a.VerifySkill(ctx, word, api.VerifySkillParams{})).Response
	check(skill.Data.Skill.Value.Name == "Kubernetes", skill)

	clicked := api.Event{Type: api.EventTypeClicked, RequestID: first.RequestID, FreelancerID: best.Freelancer.ID}
	batch := &api.EventsRequest{Events: []api.Event{clicked}}
	events := as[*api.EventsAnswerHeaders](a.RecordEvents(ctx, batch, api.RecordEventsParams{})).Response
	check(events.Data.Recorded == 1, events)
	return best.Freelancer.ID
}

func records(a *api.Client) {
	put := as[*api.PutFreelancerCreated](a.PutFreelancer(ctx, &api.FreelancerRecord{
		Name: api.NewOptNilString("Ada Byron"), JobTitle: api.NewOptNilString("Go developer"),
		Skills: api.NewOptNilStringArray([]string{"Go"}), HourlyRate: api.NewOptNilFloat64(60),
	}, api.PutFreelancerParams{ID: id})).Response
	check(put.Data.Outcome == "created", put)

	patch := &api.PatchFreelancerApplicationMergePatchJSON{HourlyRate: api.NewOptNilFloat64(65)}
	patch.Location.SetToNull()
	of := api.PatchFreelancerParams{ID: id}
	patched := as[*api.FreelancerChangeAnswerHeaders](a.PatchFreelancer(ctx, patch, of)).Response
	got := as[*api.FreelancerAnswerHeaders](a.GetFreelancer(ctx, api.GetFreelancerParams{ID: id})).Response
	check(got.Data.Freelancer.HourlyRate.Value == 65 && got.Data.Version == patched.Data.Version.Value, got)

	// What was read can be written, because both have the same type.
	again := as[*api.PutFreelancerOK](a.PutFreelancer(ctx, &got.Data.Freelancer, api.PutFreelancerParams{ID: id})).Response
	check(again.Data.Outcome == "unchanged", again)
}

func bulk(a *api.Client) {
	lines := `{"id":"` + id + `","deleted":true}` + "\n" + `{"id":"` + id + `-2","rating":9}` + "\n"
	body := api.ChangeFreelancersReq{Data: strings.NewReader(lines)}
	response := as[*api.ChangeFreelancersOKHeaders](a.ChangeFreelancers(ctx, body, api.ChangeFreelancersParams{})).Response
	results := strings.Split(strings.TrimSpace(read(response)), "\n")
	check(len(results) == 3 && strings.Contains(results[0], `"outcome":"deleted"`) &&
		strings.Contains(results[1], `"outcome":"failed"`) && strings.Contains(results[2], `"failed":1`), results)
}

func batch(a *api.Client) {
	briefs := &api.MatchBatchRequest{Briefs: []api.MatchRequest{
		{RequiredSkills: api.NewOptNilStringArray([]string{"React"})},
		{JobTitle: api.NewOptNilString("Translator"), Profile: api.NewOptNilString("cheap")},
	}}
	response := as[*api.MatchBatchAnswerHeaders](a.MatchBatch(ctx, briefs, api.MatchBatchParams{})).Response
	found, ok := response.Data.Results[0].GetMatchAnswer()
	check(ok && len(found.Matches) == 10, response)
	failed, ok := response.Data.Results[1].GetFailure()
	check(ok && failed.Error.Code == "validation_failed", response)
}

func files(a *api.Client) {
	resume, err := os.ReadFile(os.Getenv("RESUME"))
	check(err == nil, err)
	file := func() ht.MultipartFile { return ht.MultipartFile{Name: "resume.txt", File: bytes.NewReader(resume)} }

	one := &api.ParseResumeReq{File: file()}
	parsed := as[*api.ParseAnswerHeaders](a.ParseResume(ctx, one, api.ParseResumeParams{})).Response
	check(parsed.Data.Name.Value == "Mira Talden", parsed)
	other := &api.ParseToJSONResumeReq{File: file()}
	converted := as[*api.JSONResumeAnswerHeaders](a.ParseToJSONResume(ctx, other, api.ParseToJSONResumeParams{})).Response
	check(converted.Data.Basics.Name.Value == "Mira Talden", converted)
}

func interviews(a *api.Client, best string) {
	request := &api.InterviewRequest{
		FreelancerID: best, JobTitle: api.NewOptNilString("React developer"),
		RequiredSkills: api.NewOptNilStringArray([]string{"React"}), NumQuestions: api.NewOptNilInt64(2),
	}
	asked := as[*api.InterviewAnswerHeaders](a.ConductInterview(ctx, request, api.ConductInterviewParams{})).Response
	check(len(asked.Data.InterviewData.Questions) == 2, asked)

	session := asked.Data.SessionID
	view := &api.InterviewRequest{
		FreelancerID: best, SessionID: api.NewOptNilString(session),
		Mode: api.NewOptNilInterviewRequestMode(api.InterviewRequestModeReport),
		View: api.NewOptNilInterviewRequestView(api.InterviewRequestViewCandidate),
	}
	seen := as[*api.InterviewAnswerHeaders](a.ConductInterview(ctx, view, api.ConductInterviewParams{})).Response
	check(seen.Data.InterviewData.Questions[0].Points == nil, seen)

	stream := as[*api.StreamInterviewOKHeaders](a.StreamInterview(ctx, request, api.StreamInterviewParams{})).Response
	events := read(stream)
	check(strings.Contains(events, "event: result"), events)
	gone := api.DeleteInterviewByIDParams{ID: session}
	deleted := as[*api.InterviewDeletedHeaders](a.DeleteInterviewByID(ctx, gone)).Response
	check(deleted.Data.SessionID == session, deleted)
}

func failures(a *api.Client) {
	denied := as[*api.UnauthorizedHeaders](connect("svc_fr_wrong").GetMe(ctx, api.GetMeParams{})).Response
	check(denied.Error.Code == "invalid_api_key", denied)
	nobody := api.GetFreelancerParams{ID: "nobody"}
	missing := as[*api.NoFreelancerHeaders](a.GetFreelancer(ctx, nobody)).Response
	check(missing.Error.Code == "freelancer_not_found", missing)

	brief := &api.MatchRequest{Limit: api.NewOptNilInt64(0)}
	invalid := as[*api.UnprocessableHeaders](a.MatchFreelancers(ctx, brief, api.MatchFreelancersParams{})).Response
	check(slices.ContainsFunc(invalid.Error.Details, func(e api.FieldError) bool { return e.Field == "limit" }), invalid)

	// The plan of the second key shows 500 freelancers a day.
	small := connect(os.Getenv("SMALL_KEY"))
	page := api.ListFreelancersParams{Limit: api.NewOptInt64(100)}
	for range 5 {
		list := as[*api.FreelancerListAnswerHeaders](small.ListFreelancers(ctx, page)).Response
		check(len(list.Data) == 100, list)
		page.Cursor = api.NewOptString(list.NextCursor.Value)
	}
	refused := as[*api.TooManyRequestsHeaders](small.ListFreelancers(ctx, page))
	check(refused.Response.Error.Code == "freelancer_limit_exceeded" && refused.RetryAfter > 0, refused)
}
