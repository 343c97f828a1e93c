package api

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/openapi"
	"github.com/freelancer-matching/service/server/uploads"
	"github.com/freelancer-matching/service/teams"
)

// specification returns openapi.yaml, parsed once. Objects in responses are closed, which openapi.yaml doesn't say
// because releases may add members.
var specification = sync.OnceValues(func() (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML())
	if err != nil {
		return nil, err
	}
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/csv", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder(endpoint.EventsType, openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/yaml", openapi3filter.FileBodyDecoder)
	for _, schema := range doc.Components.Schemas {
		if len(schema.Value.Properties) > 0 {
			schema.Value.AdditionalProperties = openapi3.AdditionalProperties{Has: new(bool)}
		}
	}
	return doc, nil
})

func readSpecification(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := specification()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestSpecification_IsValid(t *testing.T) {
	doc := readSpecification(t)
	if err := doc.Validate(t.Context(), openapi3.EnableSchemaPatternValidation(),
		openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

// checkAgainstSpecification fails the test unless openapi.yaml allows this response to this request.
func checkAgainstSpecification(t *testing.T, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	doc := readSpecification(t)
	item := findPath(doc, r.Method, describedPath(r, w))
	if item == nil || item.GetOperation(r.Method) == nil || w.Code == http.StatusMisdirectedRequest {
		checkFailureOutside(t, doc, w)
		return
	}

	// The description mentions problems in prose only: with two types of errors, most generators type neither.
	if w.Header().Get("Content-Type") == endpoint.ProblemType {
		checkProblem(t, w)
		return
	}

	route := &routers.Route{
		Spec: doc, Path: r.URL.Path, PathItem: item, Method: r.Method, Operation: item.GetOperation(r.Method),
	}
	err := openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: route},
		Status:                 w.Code,
		Header:                 w.Header(),
		Body:                   io.NopCloser(bytes.NewReader(w.Body.Bytes())),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil {
		t.Errorf("%s %s %d differs from openapi.yaml: %v", r.Method, r.URL.Path, w.Code, err)
	}
}

// describedPath returns the path of the operation that describes a response. Two operations respond in a second form,
// which has become an operation of its own.
func describedPath(r *http.Request, w *httptest.ResponseRecorder) string {
	path := r.URL.EscapedPath()
	switch {
	case path == interviewPath && w.Header().Get("Content-Type") == endpoint.EventsType:
		return path + "/stream"
	case path == parsePath && w.Header().Get("Deprecation") != "":
		return path + "/json-resume"
	default:
		return path
	}
}

// findPath returns the operations of a path of which one has the method, or nil.
func findPath(doc *openapi3.T, method, path string) *openapi3.PathItem {
	if item := doc.Paths.Find(path); item != nil && item.GetOperation(method) != nil {
		return item
	}
	for template, item := range doc.Paths.Map() {
		before, after, hasParameter := strings.Cut(template, "{id}")
		if id, ok := strings.CutPrefix(path, before); ok && hasParameter && strings.HasSuffix(id, after) &&
			!strings.Contains(strings.TrimSuffix(id, after), "/") {
			return item
		}
	}
	return nil
}

// checkFailureOutside checks responses that belong to no operation: 404, 405 and 421.
func checkFailureOutside(t *testing.T, doc *openapi3.T, w *httptest.ResponseRecorder) {
	t.Helper()
	outside := []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusMisdirectedRequest}
	if !slices.Contains(outside, w.Code) {
		t.Errorf("openapi.yaml lacks the operation with this response of status %d", w.Code)
	}
	if w.Header().Get("Content-Type") == endpoint.ProblemType {
		checkProblem(t, w)
		return
	}

	var body any
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if err := doc.Components.Schemas["Failure"].Value.VisitJSON(body, openapi3.EnableJSONSchema2020()); err != nil {
		t.Error(err)
	}
}

// checkProblem checks an error in the format of RFC 9457.
func checkProblem(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	decoder.DisallowUnknownFields()
	var problem wire.Problem
	if err := decoder.Decode(&problem); err != nil {
		t.Fatal(err)
	}
	if problem.Type != "about:blank" || problem.Status != w.Code || problem.Code == "" || problem.Errors == nil {
		t.Errorf("problem %+v of a response of status %d", problem, w.Code)
	}
}

func TestSpecification_Routes(t *testing.T) {
	var described, served []string
	for path, item := range readSpecification(t).Paths.Map() {
		for method, operation := range item.Operations() {
			public := operation.Security != nil && len(*operation.Security) == 0
			described = append(described, line(method, path, public))
		}
	}

	s := New(newFixture().Dependencies)
	for _, r := range s.publicRoutes() {
		served = append(served, line(r.method, r.path, true))
	}

	for _, r := range s.keyRoutes() {
		served = append(served, line(r.method, r.path, false))
	}
	slices.Sort(described)
	slices.Sort(served)

	if diff := cmp.Diff(described, served); diff != "" {
		t.Errorf("openapi.yaml and the routes differ (-yaml +served):\n%s", diff)
	}
}

func line(method, path string, public bool) string {
	if public {
		return method + " " + path + " without key"
	}
	return method + " " + path
}

// wireTypes returns the Go type of every schema of an object.
func wireTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"Failure":            reflect.TypeFor[wire.Failure](),
		"FailureError":       reflect.TypeFor[wire.FailureError](),
		"FieldError":         reflect.TypeFor[matching.FieldError](),
		"MatchRequest":       reflect.TypeFor[wire.MatchRequest](),
		"MatchFilters":       reflect.TypeFor[wire.MatchFilters](),
		"MatchAnswer":        reflect.TypeFor[wire.MatchAnswer](),
		"Match":              reflect.TypeFor[wire.Match](),
		"MatchBatchRequest":  reflect.TypeFor[wire.MatchBatchRequest](),
		"MatchBatchAnswer":   reflect.TypeFor[wire.MatchBatchAnswer](),
		"MatchBatch":         reflect.TypeFor[wire.MatchBatch](),
		"Freelancer":         reflect.TypeFor[wire.Freelancer](),
		"Estimate":           reflect.TypeFor[matching.Estimate](),
		"Feature":            reflect.TypeFor[matching.Feature](),
		"UnknownSkill":       reflect.TypeFor[matching.UnknownSkill](),
		"Skipped":            reflect.TypeFor[matching.Skipped](),
		"FilterStep":         reflect.TypeFor[matching.FilterStep](),
		"FilterCount":        reflect.TypeFor[matching.FilterCount](),
		"LanguageFilter":     reflect.TypeFor[wire.LanguageFilter](),
		"TimeZoneFilter":     reflect.TypeFor[wire.TimeZoneFilter](),
		"Details":            reflect.TypeFor[wire.Details](),
		"DetailsLanguage":    reflect.TypeFor[wire.DetailsLanguage](),
		"ExchangeRate":       reflect.TypeFor[matching.Conversion](),
		"SuggestedFilter":    reflect.TypeFor[matching.SuggestedFilter](),
		"AllRequiredSkills":  reflect.TypeFor[matching.AllRequiredSkills](),
		"RequiredSkill":      reflect.TypeFor[matching.RequiredSkill](),
		"Adjustment":         reflect.TypeFor[matching.Adjustment](),
		"VerifySkillRequest": reflect.TypeFor[wire.VerifySkillRequest](),
		"VerifySkillAnswer":  reflect.TypeFor[wire.VerifySkillAnswer](),
		"Verification":       reflect.TypeFor[matching.Verification](),
		"SkillFacts":         reflect.TypeFor[matching.SkillFacts](),
		"TestRecord":         reflect.TypeFor[wire.TestRecord](),
		"TestDataAnswer":     reflect.TypeFor[wire.TestDataAnswer](),
		"ParseAnswer":        reflect.TypeFor[wire.ParseAnswer](),
		"Resume":             reflect.TypeFor[wire.Resume](),
		"DraftNote":          reflect.TypeFor[wire.DraftNote](),
		"ResumeLine":         reflect.TypeFor[wire.ResumeLine](),
		"Box":                reflect.TypeFor[wire.Box](),
		"Contact":            reflect.TypeFor[wire.Contact](),
		"ContactLink":        reflect.TypeFor[wire.ContactLink](),
		"ResumeSkill":        reflect.TypeFor[wire.ResumeSkill](),
		"Position":           reflect.TypeFor[wire.Position](),
		"Degree":             reflect.TypeFor[wire.Degree](),
		"SpokenLanguage":     reflect.TypeFor[wire.SpokenLanguage](),
		"Certification":      reflect.TypeFor[wire.Certification](),
		"ParseQuality":       reflect.TypeFor[wire.ParseQuality](),
		"ResumeConfidence":   reflect.TypeFor[wire.ResumeConfidence](),
		"Project":            reflect.TypeFor[wire.Project](),
		"Publication":        reflect.TypeFor[wire.Publication](),
		"FreelancerDraft":    reflect.TypeFor[wire.FreelancerDraft](),
		"InterviewRequest":   reflect.TypeFor[wire.InterviewRequest](),
		"CustomQuestion":     reflect.TypeFor[wire.CustomQuestion](),
		"InterviewAnswer":    reflect.TypeFor[wire.InterviewAnswer](),
		"Interview":          reflect.TypeFor[wire.Interview](),
		"Interviewed":        reflect.TypeFor[wire.Interviewed](),
		"InterviewRemark":    reflect.TypeFor[wire.InterviewRemark](),
		"InterviewData":      reflect.TypeFor[wire.InterviewData](),
		"InterviewQuestion":  reflect.TypeFor[wire.InterviewQuestion](),
		"Anchor":             reflect.TypeFor[wire.Anchor](),
		"ScoringCriteria":    reflect.TypeFor[wire.ScoringCriteria](),
		"Evaluation":         reflect.TypeFor[wire.Evaluation](),
		"Quotation":          reflect.TypeFor[wire.Quotation](),
		"Judgement":          reflect.TypeFor[wire.Judgment](),
		"SkillResult":        reflect.TypeFor[wire.SkillResult](),
		"CoveredPoints":      reflect.TypeFor[wire.CoveredPoints](),
		"Agreement":          reflect.TypeFor[wire.Agreement](),
		"MarkReview":         reflect.TypeFor[wire.MarkReview](),
		"Mark":               reflect.TypeFor[wire.Mark](),
		"InterviewDeleted":   reflect.TypeFor[wire.Answer[wire.DeletedSession]](),
		"DeletedSession":     reflect.TypeFor[wire.DeletedSession](),
		"InterviewBegun":     reflect.TypeFor[wire.SessionEvent](),
		"InvitationRequest":  reflect.TypeFor[wire.InvitationRequest](),
		"InvitationAnswer":   reflect.TypeFor[wire.InvitationAnswer](),
		"InvitationLink":     reflect.TypeFor[wire.InvitationLink](),
		"Invitation":         reflect.TypeFor[wire.Invitation](),
		"AnswerFacts":        reflect.TypeFor[wire.AnswerFacts](),
		"MeAnswer":           reflect.TypeFor[wire.MeAnswer](),

		"BrowserTokenRequest": reflect.TypeFor[wire.BrowserTokenRequest](),
		"BrowserTokenAnswer":  reflect.TypeFor[wire.BrowserTokenAnswer](),
		"BrowserToken":        reflect.TypeFor[wire.BrowserToken](),
		"Me":                  reflect.TypeFor[wire.Me](),
		"Limit":               reflect.TypeFor[wire.Limit](),
		"HealthAnswer":        reflect.TypeFor[wire.HealthAnswer](),
		"Components":          reflect.TypeFor[wire.Components](),
		"DataSource":          reflect.TypeFor[wire.DataSource](),
		"SkillExtractor":      reflect.TypeFor[wire.SkillExtractor](),
		"Database":            reflect.TypeFor[wire.Database](),
		"LLM":                 reflect.TypeFor[wire.LLM](),
		"ExchangeRates":       reflect.TypeFor[wire.ExchangeRates](),
		"OCR":                 reflect.TypeFor[wire.OCR](),
		"ProbeAnswer":         reflect.TypeFor[wire.ProbeAnswer](),

		"WebhookRequest":      reflect.TypeFor[wire.WebhookRequest](),
		"ReviewRequest":       reflect.TypeFor[wire.ReviewRequest](),
		"ReviewedMark":        reflect.TypeFor[wire.ReviewedMark](),
		"WebhookStatus":       reflect.TypeFor[wire.WebhookStatus](),
		"InterviewListAnswer": reflect.TypeFor[wire.InterviewListAnswer](),
		"InterviewSummary":    reflect.TypeFor[wire.InterviewSummary](),
		"DamagedSession":      reflect.TypeFor[wire.DamagedSession](),
		"InterviewsDeleted":   reflect.TypeFor[wire.Answer[wire.DeletedSessions]](),
		"DeletedSessions":     reflect.TypeFor[wire.DeletedSessions](),

		"JSONResumeAnswer":      reflect.TypeFor[wire.Answer[wire.JSONResume]](),
		"JSONResume":            reflect.TypeFor[wire.JSONResume](),
		"JSONResumeBasics":      reflect.TypeFor[wire.JSONResumeBasics](),
		"JSONResumeLocation":    reflect.TypeFor[wire.JSONResumeLocation](),
		"JSONResumeProfile":     reflect.TypeFor[wire.JSONResumeProfile](),
		"JSONResumeWork":        reflect.TypeFor[wire.JSONResumeWork](),
		"JSONResumeVolunteer":   reflect.TypeFor[wire.JSONResumeVolunteer](),
		"JSONResumeEducation":   reflect.TypeFor[wire.JSONResumeEducation](),
		"JSONResumeCertificate": reflect.TypeFor[wire.JSONResumeCertificate](),
		"JSONResumePublication": reflect.TypeFor[wire.JSONResumePublication](),
		"JSONResumeSkill":       reflect.TypeFor[wire.JSONResumeSkill](),
		"JSONResumeLanguage":    reflect.TypeFor[wire.JSONResumeLanguage](),
		"JSONResumeProject":     reflect.TypeFor[wire.JSONResumeProject](),

		"EventsRequest":  reflect.TypeFor[wire.EventsRequest](),
		"Event":          reflect.TypeFor[wire.Event](),
		"EventsAnswer":   reflect.TypeFor[wire.EventsAnswer](),
		"RecordedEvents": reflect.TypeFor[wire.RecordedEvents](),
		"DocumentBrief":  reflect.TypeFor[wire.DocumentBrief](),

		"TeamsRequest":  reflect.TypeFor[wire.TeamsRequest](),
		"TeamRole":      reflect.TypeFor[wire.TeamRole](),
		"TeamsAnswer":   reflect.TypeFor[wire.TeamsAnswer](),
		"Teams":         reflect.TypeFor[wire.Teams](),
		"FilledRole":    reflect.TypeFor[wire.FilledRole](),
		"Team":          reflect.TypeFor[wire.Team](),
		"TeamMember":    reflect.TypeFor[wire.TeamMember](),
		"TeamCandidate": reflect.TypeFor[wire.TeamCandidate](),
		"TeamSwap":      reflect.TypeFor[wire.TeamSwap](),
		"TeamPart":      reflect.TypeFor[teams.Part](),
		"TeamSearch":    reflect.TypeFor[teams.Search](),

		"ExplainRequest": reflect.TypeFor[wire.ExplainRequest](),
		"ExplainAnswer":  reflect.TypeFor[wire.ExplainAnswer](),
		"Standing":       reflect.TypeFor[wire.Standing](),
		"Exclusion":      reflect.TypeFor[matching.Exclusion](),
		"ShownMatch":     reflect.TypeFor[matching.ShownMatch](),
		"Effort":         reflect.TypeFor[matching.Effort](),
		"Encoder":        reflect.TypeFor[wire.Encoder](),
		"EncoderUse":     reflect.TypeFor[matching.EncoderUse](),
		"RankingUse":     reflect.TypeFor[matching.RankingUse](),
		"Explored":       reflect.TypeFor[matching.Explored](),
		"Budget":         reflect.TypeFor[matching.BudgetReading](),
		"Price":          reflect.TypeFor[matching.Price](),
		"Shortfall":      reflect.TypeFor[matching.Shortfall](),

		"LoadOptions":    reflect.TypeFor[wire.LoadOptions](),
		"LoadColumn":     reflect.TypeFor[wire.LoadColumn](),
		"LoadAnswer":     reflect.TypeFor[wire.Answer[wire.Load]](),
		"LoadListAnswer": reflect.TypeFor[wire.LoadListAnswer](),
		"LoadCanceled":   reflect.TypeFor[wire.Answer[wire.CanceledLoad]](),
		"CanceledLoad":   reflect.TypeFor[wire.CanceledLoad](),
		"Load":           reflect.TypeFor[wire.Load](),
		"LoadProgress":   reflect.TypeFor[wire.LoadProgress](),
		"LoadFailure":    reflect.TypeFor[uploads.Failure](),
		"LoadPreview":    reflect.TypeFor[uploads.Preview](),
		"LoadedColumn":   reflect.TypeFor[uploads.Column](),
		"LoadRows":       reflect.TypeFor[uploads.Rows](),
		"LoadChanges":    reflect.TypeFor[uploads.Changes](),
		"LoadFigures":    reflect.TypeFor[uploads.Figures](),
		"LoadReason":     reflect.TypeFor[uploads.Reason](),
		"LoadExample":    reflect.TypeFor[uploads.Example](),
		"LoadRow":        reflect.TypeFor[uploads.Row](),
		"LoadFault":      reflect.TypeFor[uploads.Fault](),

		"ChangeListAnswer":     reflect.TypeFor[wire.ChangeListAnswer](),
		"FeedChange":           reflect.TypeFor[wire.Change](),
		"LoadSummary":          reflect.TypeFor[feed.Load](),
		"ChangesMessage":       reflect.TypeFor[feed.ChangesMessage](),
		"AnnouncedChange":      reflect.TypeFor[feed.Change](),
		"LoadLiveMessage":      reflect.TypeFor[feed.LoadMessage](),
		"LoadRefusedMessage":   reflect.TypeFor[feed.Refusal](),
		"QuotaMessage":         reflect.TypeFor[feed.QuotaState](),
		"KeyMessage":           reflect.TypeFor[feed.KeyState](),
		"SavedBriefRequest":    reflect.TypeFor[wire.SavedBriefRequest](),
		"SavedBrief":           reflect.TypeFor[wire.SavedBrief](),
		"SavedBriefList":       reflect.TypeFor[wire.SavedBriefListAnswer](),
		"SavedBriefAnswer":     reflect.TypeFor[wire.Answer[wire.SavedBrief]](),
		"SavedBriefDeleted":    reflect.TypeFor[wire.Answer[wire.DeletedBrief]](),
		"DeletedBrief":         reflect.TypeFor[wire.DeletedBrief](),
		"BriefPeopleAnswer":    reflect.TypeFor[wire.Answer[wire.SavedBriefPeople]](),
		"BriefPeople":          reflect.TypeFor[wire.SavedBriefPeople](),
		"BriefPerson":          reflect.TypeFor[briefs.Person](),
		"PersonBriefsRequest":  reflect.TypeFor[wire.PersonBriefsRequest](),
		"PersonBriefsAnswer":   reflect.TypeFor[wire.Answer[briefs.ForPerson]](),
		"PersonBriefs":         reflect.TypeFor[briefs.ForPerson](),
		"PersonBrief":          reflect.TypeFor[briefs.PersonBrief](),
		"BriefImprovement":     reflect.TypeFor[briefs.Improvement](),
		"BriefMessage":         reflect.TypeFor[feed.BriefMessage](),
		"BriefNews":            reflect.TypeFor[feed.BriefNews](),
		"BriefStanding":        reflect.TypeFor[feed.BriefStanding](),
		"EndpointRequest":      reflect.TypeFor[wire.EndpointRequest](),
		"WebhookTestRequest":   reflect.TypeFor[wire.WebhookTestRequest](),
		"WebhookEndpoint":      reflect.TypeFor[wire.Webhook](),
		"WebhookWithSecret":    reflect.TypeFor[wire.SecretWebhook](),
		"WebhookListAnswer":    reflect.TypeFor[wire.Answer[[]wire.Webhook]](),
		"WebhookAnswer":        reflect.TypeFor[wire.Answer[wire.Webhook]](),
		"WebhookSecretAnswer":  reflect.TypeFor[wire.Answer[wire.SecretWebhook]](),
		"WebhookDeleted":       reflect.TypeFor[wire.Answer[wire.DeletedWebhook]](),
		"DeletedWebhook":       reflect.TypeFor[wire.DeletedWebhook](),
		"QueuedDelivery":       reflect.TypeFor[wire.QueuedDelivery](),
		"QueuedDeliveryAnswer": reflect.TypeFor[wire.Answer[wire.QueuedDelivery]](),
		"Delivery":             reflect.TypeFor[wire.Delivery](),
		"DeliveryListAnswer":   reflect.TypeFor[wire.DeliveryListAnswer](),

		"FreelancerRecord":       reflect.TypeFor[wire.FreelancerRecord](),
		"RecordLanguage":         reflect.TypeFor[matching.SpokenLanguage](),
		"StoredFreelancer":       reflect.TypeFor[wire.StoredFreelancer](),
		"FreelancerAnswer":       reflect.TypeFor[wire.FreelancerAnswer](),
		"FreelancerListAnswer":   reflect.TypeFor[wire.FreelancerListAnswer](),
		"FreelancerChange":       reflect.TypeFor[wire.FreelancerChange](),
		"FreelancerChangeAnswer": reflect.TypeFor[wire.FreelancerChangeAnswer](),
		"Erasure":                reflect.TypeFor[freelancers.Erasure](),
		"ErasedOn":               reflect.TypeFor[freelancers.ErasedOn](),
		"BulkResult":             reflect.TypeFor[wire.BulkResult](),
		"BulkSummary":            reflect.TypeFor[wire.BulkSummary](),
	}
}

func TestSpecification_WireTypes(t *testing.T) {
	doc := readSpecification(t)
	types := wireTypes()
	for name, schema := range doc.Components.Schemas {
		// Unhealthy describes both a HealthAnswer and a Failure.
		if _, ok := types[name]; !ok && schema.Value.Type.Is("object") && name != "Unhealthy" {
			t.Errorf("schema %s has no Go type", name)
		}
	}

	requests := []string{
		"MatchRequest", "MatchFilters", "LanguageFilter", "TimeZoneFilter", "VerifySkillRequest", "InterviewRequest",
		"CustomQuestion", "InvitationRequest", "WebhookRequest", "ReviewRequest", "MatchBatchRequest", "EventsRequest",
		"Event", "FreelancerRecord", "ExplainRequest", "TeamsRequest", "TeamRole", "LoadOptions", "LoadColumn",
		"EndpointRequest", "WebhookTestRequest", "SavedBriefRequest", "PersonBriefsRequest",
	}
	for name, typ := range types {
		schema := doc.Components.Schemas[name]
		if schema == nil {
			t.Errorf("Go type %v has no schema %s", typ, name)
			continue
		}

		want := described(schema.Value)
		request := slices.Contains(requests, name)
		for field, kind := range want {
			if request { // handlers check for required fields, not the types
				want[field] = strings.TrimSuffix(kind, "!")
			}
		}

		got := served(typ, request)
		if candidate := candidateTypes()[name]; candidate != nil {
			relax(got, served(candidate, false))
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("schema %s (-yaml +Go):\n%s", name, diff)
		}
	}
}

// candidateTypes returns the Go types that the view candidate has in place of others.
func candidateTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"Interview":         reflect.TypeFor[wire.CandidateInterview](),
		"InterviewData":     reflect.TypeFor[wire.CandidateData](),
		"InterviewQuestion": reflect.TypeFor[wire.CandidateQuestion](),
	}
}

// relax makes the fields optional that the type of the view candidate lacks.
func relax(fields, candidate map[string]string) {
	for name, kind := range fields {
		if _, ok := candidate[name]; !ok {
			fields[name] = strings.TrimSuffix(kind, "!")
		}
	}
}

// described returns the types of a schema's properties, with an exclamation mark if they are required.
func described(s *openapi3.Schema) map[string]string {
	out := map[string]string{}
	for name, property := range s.Properties {
		out[name] = kindOfSchema(property)
		if slices.Contains(s.Required, name) {
			out[name] += "!"
		}
	}
	return out
}

func kindOfSchema(ref *openapi3.SchemaRef) string {
	if len(ref.Value.AnyOf) > 0 {
		return kindOfSchema(ref.Value.AnyOf[0])
	}
	if len(ref.Value.OneOf) > 0 {
		return strings.TrimPrefix(ref.Ref, "#/components/schemas/")
	}
	kinds := slices.DeleteFunc(slices.Clone(ref.Value.Type.Slice()), func(k string) bool { return k == "null" })
	if len(kinds) == 1 && kinds[0] == "array" {
		return "array of " + kindOfSchema(ref.Value.Items)
	}
	if _, name, found := strings.Cut(ref.Ref, "#/components/schemas/"); found && kinds[0] == "object" {
		return name
	}
	return strings.Join(kinds, " or ")
}

// served returns the same for a Go type. Fields of a response that encoding/json always writes are required.
func served(t reflect.Type, request bool) map[string]string {
	out := map[string]string{}
	for _, field := range reflect.VisibleFields(t) {
		if field.Anonymous || !field.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		out[name] = kindOfType(field.Type)
		if !request && options == "" {
			out[name] += "!"
		}
	}
	return out
}

func kindOfType(t reflect.Type) string {
	for name, typ := range wireTypes() {
		if typ == t {
			return name
		}
	}

	if t == reflect.TypeFor[wire.BatchResult]() {
		return "BriefResult"
	}
	if t == reflect.TypeFor[time.Time]() {
		return "string"
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return "object"
	}

	if strings.HasPrefix(t.Name(), "Optional[") {
		value, _ := t.FieldByName("Value")
		return kindOfType(value.Type)
	}

	switch t.Kind() {
	case reflect.Pointer:
		return kindOfType(t.Elem())
	case reflect.Slice:
		return "array of " + kindOfType(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Map:
		return "object"
	case reflect.Interface:
		return "" // any type
	default:
		return t.String()
	}
}

func TestSpecification_ErrorCodes(t *testing.T) {
	doc := readSpecification(t)
	var listed []string
	for _, v := range doc.Components.Schemas["ErrorCode"].Value.Extensions["x-extensible-enum"].([]any) {
		listed = append(listed, v.(string))
	}

	var known []string
	for _, code := range slices.Sorted(maps.Keys(endpoint.Statuses())) {
		known = append(known, string(code))
	}
	slices.Sort(listed)

	if diff := cmp.Diff(listed, known); diff != "" {
		t.Errorf("error codes in openapi.yaml and endpoint.Statuses (-yaml +Go):\n%s", diff)
	}
	// Every code of an operation must have an example.
	outside := []string{"not_found", "method_not_allowed", "unknown_host"}
	examples := map[string]bool{}
	for _, response := range doc.Components.Responses {
		// An answer before any handler runs, such as 431, has no such body.
		media := response.Value.Content["application/json"]
		if media == nil {
			continue
		}

		for code := range media.Examples {
			examples[code] = true
		}
	}

	for _, code := range known {
		if !examples[code] && !slices.Contains(outside, code) {
			t.Errorf("no example of the code %s", code)
		}
	}
}
