package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/records"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

const (
	listPath   = "/api/v1/freelancers"
	onePath    = listPath + "/f1"
	newPath    = listPath + "/f2"
	goodRecord = `{"name":"Bo Cask","job_title":"Cook"}`
	staleTag   = `"00000000000000000000000000000000"`
)

// tag returns the ETag of a record.
func tag(f matching.Freelancer) string { return `"` + engine.Version(&f) + `"` }

// jsonBody returns headers of a body, with another header.
func jsonBody(name, value string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	if name != "" {
		h.Set(name, value)
	}
	return h
}

func get(name, path string, status int, code matching.Code, want ...string) call {
	return call{name: name, method: http.MethodGet, path: path, status: status, code: code, want: want}
}

func put(name, path, body string, status int, code matching.Code, want ...string) call {
	return call{
		name: name, method: http.MethodPut, path: path, body: body, header: jsonBody("", ""), status: status, code: code,
		want: want,
	}
}

// keyed returns keys of which all are k.
func keyed(k apikey.Key) keysFunc {
	return func(context.Context, string) (apikey.Key, error) { return k, nil }
}

func (c call) with(name, value string) call {
	h := c.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set(name, value)
	c.header = h
	return c
}

func (c call) by(method string) call {
	c.method = method
	return c
}

func TestGetFreelancer(t *testing.T) {
	run(t, []call{
		get("complete record", onePath, 200, "", `"freelancer":{"id":"f1","name":"Ada Byron"`, `"country":"PT"`,
			`"languages":[{"language":"en","level":"C1"},{"language":"pt"}]`, `Writes R&D <tools>.`,
			`"version":`+tag(ada())),
		get("unknown", newPath, 404, matching.CodeFreelancerUnknown, `No freelancer has the ID`),
		get("query", onePath+"?fields=all", 422, validate.CodeUnknownField, "The known fields are unknown."),
		get("bad tag", onePath, 422, matching.CodeInvalid).with("If-None-Match", `f1`),
		get("current version", onePath, 304, "").with("If-None-Match", `W/`+tag(ada())),
		get("any version", onePath, 304, "").with("If-None-Match", `*`),
		get("other version", onePath, 200, "").with("If-None-Match", staleTag),
	})
}

func TestGetFreelancer_CountsAsView(t *testing.T) {
	f := newFixture()
	server := New(f.Dependencies).Handler()
	c := get("", onePath, 200, "")
	if h := c.sendTo(t,
		server).Header(); h.Get(limits.HeaderViewRemaining) != "4999" || h.Get(records.HeaderETag) != tag(ada()) {
		t.Errorf("headers %v", h)
	}
	// A client that has the version has seen the record.
	c = get("", onePath, 304, "").with("If-None-Match", tag(ada()))
	if w := c.sendTo(t, server); w.Header().Get(limits.HeaderViewLimit) != "" || w.Body.Len() > 0 ||
		w.Header().Get(records.HeaderETag) != tag(ada()) {
		t.Errorf("headers %v, body %s", w.Header(), w.Body)
	}
}

// The ID in a path is any text. It must not be taken for a path or for a query.
func TestFreelancer_IDsInPaths(t *testing.T) {
	for _, id := range []string{
		"a/b", "..", ".", "../match", "a b", "a+b", "a%2Fb", "100%", "a?b=c", "a#b", "bulk", "similar", "ä", "f1/similar",
		"https://example.com/ada", `"`, "'; DROP TABLE users", "日本", "a//b", "%00", "-1",
	} {
		t.Run(id, func(t *testing.T) {
			f := newFixture()
			server := New(f.Dependencies).Handler()
			path := listPath + "/" + url.PathEscape(id)
			path = strings.NewReplacer("/..", "/%2E%2E", "/.", "/%2E").Replace(path)
			c := put("", path, goodRecord, 201, "")
			if c.sendTo(t, server); f.world.Engine.Records()[id].Name != "Bo Cask" {
				t.Errorf("stored %v", f.world.Engine.Records())
			}

			c = get("", path, 200, "")
			c.sendTo(t, server)
		})
	}

	run(t, []call{
		put("too long", listPath+"/"+strings.Repeat("x", 201), goodRecord, 422, matching.CodeInvalid, "1 to 200 characters"),
		put("control character", listPath+"/a%0Ab", goodRecord, 422, matching.CodeInvalid),
		put("NUL", listPath+"/a%00b", goodRecord, 422, matching.CodeInvalid),
		put("invalid UTF-8", listPath+"/a%FF", goodRecord, 422, matching.CodeInvalid),
		get("invalid UTF-8 read", listPath+"/a%FF", 404, matching.CodeFreelancerUnknown),
		put("spaces", listPath+"/%20a", goodRecord, 422, matching.CodeInvalid),
		get("no ID", listPath+"/", 404, matching.CodeNotFound),
		get("slash at the end", onePath+"/", 404, matching.CodeNotFound),
		put("a word for unknown", listPath+"/null", goodRecord, 422, matching.CodeInvalid),
	})
}

func TestPutFreelancer(t *testing.T) {
	same := `{"id":"f1","name":"Ada Byron","job_title":"Go developer","skills":["Go"],"description":"Writes R&D <tools>.",
		"hourly_rate":60,"availability":true,"country":"PT","languages":[{"language":"en","level":"C1"},{"language":"pt"}]}`
	erased := func(f *fixture) { f.world.People.List("f2", true) }
	withErased := func(c call) call {
		c.change = erased
		return c
	}

	run(t, []call{
		put("new", newPath, goodRecord, 201, "", `"outcome":"created"`, `"id":"f2"`, `"warnings":[]`),
		put("replaced", onePath, goodRecord, 200, "", `"outcome":"replaced"`),
		put("unchanged", onePath, strings.ReplaceAll(same, "\n", ""), 200, "", `"outcome":"unchanged"`),
		put("values as in files", newPath+"?lenient=true",
			`{"job_title":"Cook","hourly_rate":"$30-$50","location":"Porto, Portugal"}`, 201, "",
			"a range of rates", "country was derived from location: PT."),
		put("a text for a number", newPath, `{"job_title":"Cook","hourly_rate":"$30"}`, 422, validate.CodeWrongType,
			`hourly_rate must be a number; got \"$30\". Send lenient=true`),
		put("lenient misspelled", newPath+"?lenient=yes", `{"job_title":"Cook"}`, 422, matching.CodeInvalid,
			"lenient must be one of true, false"),
		put("all faults at once", newPath, `{"hourly_rat":1,"experience":"ages","id":"f3","rating":[]}`, 422,
			validate.CodeWrongType,
			`"field":"hourly_rat"`, "Did you mean hourly_rate?", `"field":"experience"`, `"field":"rating"`,
			"id must be the ID in the path"),
		put("unknown field", newPath, `{"job_titel":"Cook"}`, 422, validate.CodeUnknownField, "Did you mean job_title?"),
		put("same id", newPath, `{"id":"f2","job_title":"Cook"}`, 201, ""),
		put("nothing to match", newPath, `{"rating":5}`, 422, matching.CodeInvalid, "At least one of"),
		put("only a name", newPath, `{"name":"Bo"}`, 201, "", "no search finds this freelancer"),
		put("deleted", newPath, `{"deleted":true}`, 422, matching.CodeInvalid, "send DELETE"),
		put("no object", newPath, `[1]`, 422, validate.CodeWrongType),
		put("not JSON", newPath, `{"name":`, 400, strictjson.CodeMalformedJSON),
		put("invalid UTF-8", newPath, "{\"name\":\"\xff\"}", 400, strictjson.CodeMalformedJSON),
		put("empty", newPath, ``, 400, strictjson.CodeMalformedJSON),
		put("too large", newPath, `{"name":"`+strings.Repeat("x", receive.MaxJSON)+`"}`, 413, receive.CodeBodyTooLarge),
		put("too deep", newPath, `{"skills":`+strings.Repeat("[", 40)+strings.Repeat("]", 40)+`}`, 400,
			strictjson.CodeMalformedJSON),
		put("another type", newPath, goodRecord, 415, receive.CodeUnsupportedMediaType).with("Content-Type", "text/plain"),
		put("merge patch", newPath, goodRecord, 415, receive.CodeUnsupportedMediaType).with("Content-Type",
			records.MergePatchType),
		put("If-Match holds", onePath, goodRecord, 200, "").with("If-Match", staleTag+", "+tag(ada())),
		put("If-Match fails", onePath, goodRecord, 412, freelancers.CodeVersion).with("If-Match", staleTag),
		put("weak tags never match", onePath, goodRecord, 412, freelancers.CodeVersion).with("If-Match", "W/"+tag(ada())),
		put("If-Match: * of nobody", newPath, goodRecord, 412, freelancers.CodeVersion).with("If-Match", "*"),
		put("If-None-Match: * of nobody", newPath, goodRecord, 201, "").with("If-None-Match", "*"),
		put("If-None-Match: * of somebody", onePath, goodRecord, 412, freelancers.CodeVersion).with("If-None-Match", "*"),
		put("If-None-Match with a tag", onePath, goodRecord, 422, matching.CodeInvalid).with("If-None-Match", tag(ada())),
		put("malformed If-Match", onePath, goodRecord, 422, matching.CodeInvalid).with("If-Match", `"a`),
		put("contradiction", onePath, goodRecord, 422, matching.CodeInvalid).with("If-Match", "*").with("If-None-Match", "*"),
		put("unknown parameter", newPath+"?force=true", goodRecord, 422, validate.CodeUnknownField, "readmit"),
		withErased(put("erased", newPath, goodRecord, 409, freelancers.CodeErased, "readmit=true")),
		withErased(put("readmitted", newPath+"?readmit=true", goodRecord, 201, "")),
		withErased(put("not a truth value", newPath+"?readmit=1", goodRecord, 422, matching.CodeInvalid)),
	})
}

// A failed condition names the version that a client needs to try again.
func TestPutFreelancer_ETags(t *testing.T) {
	c := put("", onePath, goodRecord, 412, freelancers.CodeVersion).with("If-Match", staleTag)
	if w, _ := c.send(t); w.Header().Get(records.HeaderETag) != tag(ada()) {
		t.Errorf("ETag %s", w.Header().Get(records.HeaderETag))
	}
	c = put("", newPath, goodRecord, 201, "")
	want := tag(matching.Freelancer{ID: "f2", Name: "Bo Cask", JobTitle: "Cook"})
	w, _ := c.send(t)
	if w.Header().Get(records.HeaderETag) != want || !strings.Contains(w.Body.String(), strings.Trim(want, `"`)) {
		t.Errorf("ETag %s, body %s", w.Header().Get(records.HeaderETag), w.Body)
	}
}

// What GET returns can be sent back as it is.
func TestPutFreelancer_AcceptsWhatGetReturns(t *testing.T) {
	f := newFixture()
	server := New(f.Dependencies).Handler()
	c := get("", onePath, 200, "")
	var answer struct {
		Data struct{ Freelancer json.RawMessage }
	}
	if err := json.Unmarshal(c.sendTo(t, server).Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	c = put("", onePath, string(answer.Data.Freelancer), 200, "", `"outcome":"unchanged"`)
	c.sendTo(t, server)
}

func TestPatchFreelancer(t *testing.T) {
	patch := func(name, path, body string, status int, code matching.Code, want ...string) call {
		return put(name, path, body, status, code, want...).by(http.MethodPatch)
	}
	changed := ada()
	changed.HourlyRate = matching.Some(70.0)
	changed.Availability = matching.Optional[bool]{}
	run(t, []call{
		patch("fields", onePath, `{"hourly_rate":70,"availability":null}`, 200, "", `"outcome":"patched"`,
			engine.Version(&changed)),
		patch("merge patch type", onePath, `{"hourly_rate":70}`, 200, "").with("Content-Type", records.MergePatchType),
		patch("nothing", onePath, `{}`, 200, "", `"outcome":"unchanged"`),
		patch("nobody", newPath, `{"hourly_rate":70}`, 404, matching.CodeFreelancerUnknown),
		patch("unknown field", onePath, `{"rate":70}`, 422, validate.CodeUnknownField),
		patch("nothing left", onePath, `{"name":null,"job_title":null,"skills":null,"description":null}`, 422,
			matching.CodeInvalid),
		patch("If-Match fails", onePath, `{"hourly_rate":70}`, 412, freelancers.CodeVersion).with("If-Match", staleTag),
		patch("If-Match holds", onePath, `{"hourly_rate":70}`, 200, "").with("If-Match", tag(ada())),
		patch("readmit", onePath+"?readmit=true", `{"hourly_rate":70}`, 422, validate.CodeUnknownField),
		patch("another type", onePath, `{}`, 415, receive.CodeUnsupportedMediaType,
			"send application/merge-patch+json or application/json").with("Content-Type", "application/json-patch+json"),
	})
}

func TestDeleteFreelancer(t *testing.T) {
	del := func(name, path string, status int, code matching.Code, want ...string) call {
		return get(name, path, status, code, want...).by(http.MethodDelete)
	}
	run(t, []call{
		del("somebody", onePath, 200, "", `"outcome":"deleted"`, `"version":null`,
			`"erased":{"indexed":true,"interviews":0,"other":0}`),
		del("nobody", newPath, 404, matching.CodeFreelancerUnknown),
		del("If-Match fails", onePath, 412, freelancers.CodeVersion).with("If-Match", staleTag),
		del("If-Match holds", onePath, 200, "").with("If-Match", tag(ada())),
		del("query", onePath+"?force=true", 422, validate.CodeUnknownField),
	})

	f := newFixture()
	server := New(f.Dependencies).Handler()
	for _, c := range []call{
		del("", onePath, 200, ""), get("", onePath, 404, matching.CodeFreelancerUnknown),
		del("", onePath, 404, matching.CodeFreelancerUnknown),
		put("", onePath, goodRecord, 409, freelancers.CodeErased),
	} {
		c.sendTo(t, server)
	}

	want := []string{"key_1 acc_1 freelancer.deleted f1 ", "key_1 acc_1 freelancer.deleted f1 "}
	if diff := cmp.Diff(want, f.world.Log.Lines()); diff != "" {
		t.Errorf("audit log (-want +got)\n%s", diff)
	}
}

// Reading and changing records needs permissions that no key has by default.
func TestFreelancers_Permissions(t *testing.T) {
	with := func(permissions ...string) func(*fixture) {
		return func(f *fixture) {
			k := goodKey()
			k.Permissions = permissions
			f.Keys = keyed(k)
		}
	}

	lines := call{
		method: http.MethodPost, path: bulkPath, body: goodLine, header: http.Header{"Content-Type": {endpoint.LinesType}},
		status: 200,
	}

	reads := []call{get("get", onePath, 200, ""), get("list", listPath, 200, "")}
	writes := []call{
		put("put", onePath, goodRecord, 200, ""), put("patch", onePath, goodRecord, 200, "").by(http.MethodPatch),
		get("delete", onePath, 200, "").by(http.MethodDelete), lines,
	}
	for _, c := range slices.Concat(reads, writes) {
		c.change = with()
		c.status = 403
		c.code = apikey.CodePermission
		c.want = []string{"does not have the permission data:"}
		c.send(t)
	}

	for _, c := range reads {
		c.change = with(apikey.ReadData)
		c.send(t)
		c.change = with(apikey.WriteData)
		c.status = 403
		c.code = apikey.CodePermission
		c.send(t)
	}

	for _, c := range writes {
		c.change = with(apikey.WriteData)
		c.send(t)
		c.change = with(apikey.ReadData)
		c.status = 403
		c.code = apikey.CodePermission
		c.send(t)
	}

	similar := get("similar", onePath+"/similar", 200, "")
	similar.change = with()
	similar.send(t)
}

// Keys that are limited to some operations stay limited.
func TestFreelancers_Operations(t *testing.T) {
	for _, c := range []call{
		get("get", onePath, 403, apikey.CodeOperation), put("put", onePath, goodRecord, 403, apikey.CodeOperation),
	} {
		c.change = func(f *fixture) {
			k := goodKey()
			k.Operations = []string{"match"}
			f.Keys = keyed(k)
		}
		c.send(t)
	}
}

func TestFreelancers_LimitOfChanges(t *testing.T) {
	f := newFixture()
	k := goodKey()
	k.Plan = "freelancer"
	f.Keys = keyed(k)
	f.Changes = changes.New(&changeCounts{used: 98}, time.Now)
	server := New(f.Dependencies).Handler()
	for _, c := range []call{
		put("", onePath, goodRecord, 200, ""),
		put("", onePath, `{"rating":9}`, 422, matching.CodeInvalid), // an invalid record costs no change
		put("", onePath, goodRecord, 200, ""),
	} {
		c.sendTo(t, server)
	}

	c := put("", onePath, goodRecord, 429, changes.CodeLimit, "100 changes of freelancers per minute")
	w := c.sendTo(t, server)
	if w.Header().Get(limits.HeaderChangeLimit) != "100" || w.Header().Get(limits.HeaderChangeRemaining) != "0" ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("headers %v", w.Header())
	}
}

// Without a result of a change, nobody learns whether it was made.
func TestFreelancers_MetricsAndAudit(t *testing.T) {
	c := put("", newPath, goodRecord, 201, "")
	_, f := c.send(t)
	wantMetrics(t, f, `matching_freelancer_changes_total{outcome="created"} 1`,
		`matching_requests_total{code="",operation="freelancer-put",plan="professional",status="201"} 1`)
	want := []string{"key_1 acc_1 freelancer.stored f2 "}
	if diff := cmp.Diff(want, f.world.Log.Lines()); diff != "" {
		t.Errorf("audit log (-want +got)\n%s", diff)
	}
	if strings.Contains(f.log.String(), "Bo Cask") {
		t.Error("the log has the name of a freelancer")
	}
}

// listed is a page of the list.
type listed struct {
	Data []struct {
		Freelancer struct{ ID string }
		Version    string
	}
	NextCursor string `json:"next_cursor"`
}

func readList(t *testing.T, w *httptest.ResponseRecorder) (ids []string, next string) {
	t.Helper()
	var page listed
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
		t.Fatal(err)
	}
	for _, d := range page.Data {
		ids = append(ids, d.Freelancer.ID)
	}
	return ids, page.NextCursor
}

func TestListFreelancers(t *testing.T) {
	f := newFixture()
	server := New(f.Dependencies).Handler()
	for _, id := range []string{"a", "b", "c", "d"} {
		c := put("", listPath+"/"+id, goodRecord, 201, "")
		c.sendTo(t, server)
	}

	var pages [][]string
	query := "?limit=2"
	for cursor := ""; ; {
		c := get("", listPath+query+cursor, 200, "")
		ids, next := readList(t, c.sendTo(t, server))
		if pages = append(pages, ids); next == "" {
			break
		}
		cursor = "&cursor=" + next
	}

	if diff := cmp.Diff([][]string{{"a", "b"}, {"c", "d"}, {"f1"}}, pages); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	filtered := get("", listPath+"?limit=1&ids=b&ids=d&ids=x", 200, "")
	ids, next := readList(t, filtered.sendTo(t, server))
	if diff := cmp.Diff([]string{"b"}, ids); diff != "" || next == "" {
		t.Errorf("next %q (-want +got)\n%s", next, diff)
	}

	other := get("", listPath+"?limit=1&ids=b&cursor="+next, 422, matching.CodeInvalid, "same filters")
	other.sendTo(t, server)
	if w := filtered.sendTo(t, server); w.Header().Get(limits.HeaderViewRemaining) != "4995" {
		t.Errorf("%s freelancers remain, want 4995", w.Header().Get(limits.HeaderViewRemaining))
	}
}

func TestListFreelancers_Queries(t *testing.T) {
	for _, name := range wire.FilterNames() { // openapi.yaml documents them
		if parameter := "Filter" + exported(name); readSpecification(t).Components.Parameters[parameter] == nil {
			t.Errorf("openapi.yaml has no parameter %s", parameter)
		}
	}

	run(t, []call{
		get("empty page", listPath+"?ids=nobody", 200, "", `"data":[]`, `"next_cursor":null`, `"damaged":0`),
		get("filters", listPath+"?available=true&min_rating=4.5&max_hourly_rate=60&must_have_skills=Go", 200, ""),
		get("details", listPath+"?countries=PT&countries=de&languages=en:c1&languages=pt-BR&time_zone=Europe/Lisbon&"+
			"within_hours=1.5&available_by=2031-06-01&verified=true", 200, ""),
		get("faults in details", listPath+"?countries=Portugal&languages=English&languages=de:good&time_zone=Mars&"+
			"available_by=soon", 422, matching.CodeInvalid, `"countries[0]`, `"languages[0].language`,
			`"languages[1].min_level`, `"time_zone.zone`, `"available_by`),
		get("distance without a zone", listPath+"?within_hours=2", 422, matching.CodeInvalid,
			"within_hours needs time_zone."),
		get("cost", listPath+"?max_cost=100", 422, validate.CodeUnknownField),
		get("unknown filter", listPath+"?min_ratings=4", 422, validate.CodeUnknownField, "Did you mean min_rating?"),
		get("wrong type", listPath+"?available=yes&min_rating=high", 422, validate.CodeWrongType, `"field":"available"`,
			`"field":"min_rating"`, "min_rating must be a number; got"),
		get("not a number", listPath+"?min_rating=NaN", 422, validate.CodeWrongType),
		get("out of range", listPath+"?min_rating=9", 422, matching.CodeInvalid, `"min_rating must be from 0 to 5; got 9."`),
		get("twice", listPath+"?min_rating=4&min_rating=5", 422, matching.CodeInvalid),
		get("limit", listPath+"?limit=101", 422, matching.CodeInvalid),
		get("no cursor", listPath+"?cursor=abc", 422, matching.CodeInvalid),
		get("malformed", listPath+"?a=%zz", 422, matching.CodeInvalid),
	})
}

// exported returns the name of a parameter in the style of components: MinRating for min_rating.
func exported(name string) string {
	parts := strings.Split(name, "_")
	for i, part := range parts {
		if part == "ids" {
			parts[i] = "IDs"
			continue
		}
		parts[i] = strings.ToUpper(part[:1]) + part[1:]
	}
	return strings.Join(parts, "")
}

// Lists must not be a way around the limit of freelancers per day.
func TestListFreelancers_LimitOfViews(t *testing.T) {
	c := get("", listPath, 429, views.CodeLimit)
	c.change = func(f *fixture) {
		k := goodKey()
		k.Plan = "freelancer"
		f.Keys = keyed(k)
		seen := &seenViews{freelancers: map[uint64]bool{}}
		for i := range uint64(500) {
			seen.freelancers[i] = true
		}
		f.Views = views.New(seen, time.Now)
	}
	c.send(t)
}

func TestSimilar(t *testing.T) {
	var asked *matching.Brief
	c := get("", onePath+"/similar?limit=3&offset=2&explain=true&available=true&exclude_ids=f9", 200, "", `"explanation"`)
	c.change = func(f *fixture) {
		f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
			asked = b
			return fullAnswer(), nil
		})
	}

	w, _ := c.send(t)
	if asked.JobTitle != "Go developer" || asked.Description == "" ||
		!slices.Equal(asked.RequiredSkills, []string{"Go"}) ||
		!slices.Equal(asked.Filters.ExcludeIDs, []string{"f1", "f9"}) || !asked.Filters.Available.Value || asked.Limit != 3 ||
		asked.Offset != 2 {
		t.Errorf("asked %+v", asked)
	}

	if got := w.Header().Get(limits.HeaderViewRemaining); got != "4998" { // f1, whom the matches have, too, and f2
		t.Errorf("%s freelancers remain", got)
	}

	run(t, []call{
		get("nobody", newPath+"/similar", 404, matching.CodeFreelancerUnknown),
		get("limit", onePath+"/similar?limit=0", 422, matching.CodeInvalid),
		get("depth", onePath+"/similar?offset=1000", 422, matching.CodeInvalid),
		get("unknown", onePath+"/similar?cursor=a", 422, validate.CodeUnknownField),
	})
}
