package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

const documentPath = matchPath + "/document"

// fullText returns a text with everything.
func fullText() resume.Text {
	return resume.Text{
		Title: "Shop & till", Text: "Shop & till\nWe need <React>.", Omitted: 3, Format: resume.PDF, Pages: 2,
		Warnings: []resume.Warning{resume.WarnHiddenText, resume.WarnTruncated},
	}
}

func documentFails(err error) func(*fixture) {
	return func(f *fixture) {
		f.Documents = documentsFunc(func(context.Context, []byte, int) (resume.Text, error) { return resume.Text{}, err })
	}
}

// The response is the one that POST /match gives to the text of the document and the other members, and shows the text.
func TestDocument_IsMatchedLikeADescription(t *testing.T) {
	const request = `"required_skills":["Go"],"filters":{"available":true},"limit":3,"explain":true`
	var file string
	var limit int
	var briefs []*matching.Brief
	f := newFixture()
	f.Documents = documentsFunc(func(_ context.Context, b []byte, n int) (resume.Text, error) {
		file = string(b)
		limit = n
		return fullText(), nil
	})

	f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
		briefs = append(briefs, b)
		return fullAnswer(), nil
	})

	h := New(f.Dependencies).Handler()
	sent := asForm.Clone()
	sent.Set("X-Request-Id", "same")
	document := call{
		path: documentPath, header: sent, status: 200,
		body: form(part(`name="request"`, `{`+request+`}`), part(`name="file"; filename="brief.pdf"`, "%PDF")),
	}

	got := document.sendTo(t, h).Body.String()
	single := call{
		body:   `{"description":"Shop & till\nWe need <React>.",` + request + `}`,
		status: 200, header: http.Header{"X-Request-Id": {"same"}},
	}

	want := withoutTime(single.sendTo(t, h).Body.Bytes())
	if diff := cmp.Diff(briefs[1], briefs[0]); diff != "" {
		t.Errorf("the briefs differ (-match +document):\n%s", diff)
	}

	const brief = `"brief":{"title":"Shop & till","description":"Shop & till\nWe need <React>.","characters":28,` +
		`"omitted":3,"format":"pdf","pages":2,"warnings":["hidden_text","truncated"]},`
	if diff := cmp.Diff(want, strings.Replace(withoutTime([]byte(got)), brief, "", 1)); diff != "" {
		t.Errorf("the responses differ by more than brief (-match +document):\n%s", diff)
	}

	if !strings.Contains(got, brief) {
		t.Errorf("the response lacks %s: %s", brief, got)
	}

	if file != "%PDF" || limit != wire.MaxDescription {
		t.Errorf("the file was %q, and the limit %d", file, limit)
	}
}

// Without other members, and without pages, warnings or a title, nothing is missing from the response.
func TestDocument_Minimal(t *testing.T) {
	c := call{path: documentPath, header: asForm, body: goodForm, status: 200}
	c.change = func(f *fixture) {
		f.Documents = documentsFunc(func(context.Context, []byte, int) (resume.Text, error) {
			return resume.Text{Text: "x", Format: resume.DOCX}, nil
		})
	}
	c.want = []string{`"brief":{"title":null,"description":"x","characters":1,"omitted":0,"format":"docx","pages":null,` +
		`"warnings":[]}`}
	c.send(t)
}

func TestDocument_Errors(t *testing.T) {
	file := part(`name="file"`, "%PDF")
	sent := func(name, body string, status int, code matching.Code, want ...string) call {
		return call{
			name: name, path: documentPath, header: asForm, body: body, status: status, code: code, want: want,
			change: documentFails(fmt.Errorf("secret cause: the document was read")),
		}
	}

	with := func(name, request string, status int, code matching.Code, want ...string) call {
		return sent(name, form(file, part(`name="request"`, request)), status, code, want...)
	}
	read := func(code matching.Code, status int) call {
		c := sent(string(code), goodForm, status, code, "The file is bad.")
		c.change = documentFails(&matching.Error{Code: code, Message: "The file is bad."})
		return c
	}

	calls := []call{
		sent("no body", "", 400, receive.CodeMalformedMultipart),
		sent("truncated", file, 400, receive.CodeMalformedMultipart, "ended early"),
		sent("no file", form(part(`name="request"`, "{}")), 422, matching.CodeInvalid, "file is missing"),
		sent("two files", form(file, file), 422, matching.CodeInvalid, "2 times"),
		sent("an unknown field", form(file, part(`name="brief"`, "{}")), 422, validate.CodeUnknownField, "file, request"),
		sent("two requests", form(file, part(`name="request"`, "{}"), part(`name="request"`, "{}")), 422,
			matching.CodeInvalid, "request appears 2 times"),
		sent("file too large", form(part(`name="file"`, strings.Repeat("x", receive.MaxFile+1))), 413,
			receive.CodeBodyTooLarge, "10485760"),
		with("request too large", strings.Repeat(" ", receive.MaxJSON+1), 413, receive.CodeBodyTooLarge, "request exceeds",
			"1048576"),
		sent("body too large", form(part(`name="x"`, strings.Repeat("x", receive.MaxUpload+receive.MaxJSON))), 413,
			receive.CodeBodyTooLarge),
		with("an empty request", "", 400, strictjson.CodeMalformedJSON, "request is empty"),
		with("no JSON", "{", 400, strictjson.CodeMalformedJSON, "request is not valid JSON"),
		with("a list", "[]", 422, validate.CodeWrongType),
		with("an unknown member", `{"limt":3}`, 422, validate.CodeUnknownField, "limit"),
		with("an invalid member", `{"limit":0}`, 422, matching.CodeInvalid, `"field":"limit"`),
		with("a description", `{"description":"x"}`, 422, matching.CodeInvalid, "description must be absent"),
		with("too deep a page", `{"offset":499,"limit":2}`, 422, matching.CodeInvalid, "offset + limit"),
		{
			name: "JSON", path: documentPath, body: goodBrief, status: 415, code: receive.CodeUnsupportedMediaType,
			want: []string{"multipart/form-data"},
		},
		{
			name: "not permitted", path: documentPath, header: asForm, body: goodForm, status: 403, code: apikey.CodeOperation,
			change: withKey(func(k *apikey.Key) { k.Operations = []string{"parse"} }),
		},
		{
			name: "the matcher fails", path: documentPath, header: asForm, body: goodForm, status: 422,
			code:   matching.CodeInvalid,
			change: matcherFails(&matching.Error{Code: matching.CodeInvalid, Message: "odd profile"}),
		},
		read(resume.CodeUnsupported, 415), read(resume.CodeNoText, 422), read(resume.CodeEncrypted, 422),
		read(resume.CodeCorrupt, 422), read(resume.CodeTooComplex, 422), read(matching.CodeOverloaded, 503),
	}

	run(t, calls)
	allowed := call{path: documentPath, header: asForm, body: goodForm, status: 200}
	allowed.change = withKey(func(k *apikey.Key) { k.Operations = []string{"match"} })
	allowed.send(t)
}

// A document waits for a slot for matches like a request, but isn't given up after it was read and charged.
func TestDocument_WaitsForASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.MaxMatches = 1
		f.AdmissionWait = 500 * time.Millisecond
		f.RequestTimeout = 10 * time.Second
		f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) {
			<-time.After(5 * time.Second)
			return fullAnswer(), nil
		})

		h := New(f.Dependencies).Handler()
		first := call{status: 200}
		go func() { h.ServeHTTP(httptest.NewRecorder(), first.request(t)) }()
		synctest.Wait()
		start := time.Now()
		c := call{path: documentPath, header: asForm, body: goodForm, status: 200}
		c.sendTo(t, h)

		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("answered after %s, want 10 s", took)
		}
	})
}

// Nothing that was uploaded reaches the log.
func TestDocument_IsNotLogged(t *testing.T) {
	c := call{path: documentPath, header: asForm, body: goodForm, status: 200}
	_, f := c.send(t)
	var line map[string]any
	if err := json.Unmarshal([]byte(f.log.String()), &line); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(f.log.String(), "till") || line["route"] != documentPath {
		t.Errorf("log: %s", f.log)
	}
}
