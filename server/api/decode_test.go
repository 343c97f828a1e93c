package api

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// endless returns a reader of n spaces, which take no memory.
func endless(n int64) io.Reader { return io.LimitReader(spaces{}, n) }

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestDecode_RejectsInvalidBodies(t *testing.T) {
	malformed := func(name, body string, want ...string) call {
		return call{name: name, path: matchPath, body: body, status: 400, code: strictjson.CodeMalformedJSON, want: want}
	}
	typed := func(name, media string, status int, code matching.Code) call {
		return call{
			name: name, status: status, code: code,
			header: http.Header{"Content-Type": {media}},
		}
	}

	unlabelled := typed("no Content-Type", "", 415, receive.CodeUnsupportedMediaType)
	unlabelled.header = http.Header{"Content-Type": nil}
	compressed := typed("compressed body", "application/json", 415, receive.CodeUnsupportedMediaType)
	compressed.header.Set("Content-Encoding", "gzip")
	emptyUnlabelled := malformed("no body and no Content-Type", "", "The body is empty")
	emptyUnlabelled.header = http.Header{"Content-Type": nil}
	run(t, []call{
		malformed("no body", "", "The body is empty"),
		malformed("white space", " \n\t", "The body is empty"),
		emptyUnlabelled,
		malformed("not JSON", "description=x", "line 1, column 1: invalid character 'd'"),
		malformed("unquoted name", "{\n  description: 1}", "line 2, column 3"),
		malformed("truncated", `{"description":"x"`, "unexpected end of JSON input"),
		malformed("trailing data", goodBrief+`{}`, "after top-level value"),
		malformed("trailing comma", `{"description":"x",}`),
		malformed("comment", `{"description":"x"} // yes`),
		malformed("NaN", `{"timeline":NaN}`, "invalid character 'N'"),
		malformed("Infinity", `{"timeline":-Infinity}`),
		malformed("leading zero", `{"timeline":030}`),
		{name: "byte order mark", path: matchPath, body: "\ufeff" + goodBrief, status: 200},
		malformed("two byte order marks", "\ufeff\ufeff"+goodBrief),
		malformed("raw NUL", "{\"description\":\"a\x00b\"}", `invalid character '\\x00'`),
		malformed("NUL bytes", "\x00\x00\x00"),
		malformed("invalid UTF-8", "{\n\"description\":\"é\xff\"}", "not valid UTF-8 at line 2, column 17"),
		malformed("deeply nested lists", strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000),
			"more than 32 levels deep at line 1, column 33"),
		malformed("deeply nested objects", strings.Repeat(`{"filters":`, 33)+"1"+strings.Repeat("}", 33),
			"more than 32 levels deep"),
		malformed("deeply nested and truncated", strings.Repeat("[", 500_000), "more than 32 levels deep"),
		typed("text", "text/plain", 415, receive.CodeUnsupportedMediaType),
		typed("a form", "application/x-www-form-urlencoded", 415, receive.CodeUnsupportedMediaType),
		typed("malformed Content-Type", ";;", 415, receive.CodeUnsupportedMediaType),
		typed("another charset", "application/json; charset=latin1", 415, receive.CodeUnsupportedMediaType),
		typed("UTF-8", "application/json; charset=UTF-8", 200, ""),
		typed("capitals", "Application/JSON", 200, ""),
		unlabelled, compressed,
		{
			name: "20 MB", path: matchPath,
			body:   `{"description":"` + strings.Repeat("x", 20_000_000) + `"}`,
			status: 413, code: receive.CodeBodyTooLarge, want: []string{"1048576 bytes"},
		},
		{
			name: "20 MB of unknown length", path: matchPath, reader: endless(20_000_000),
			status: 413, code: receive.CodeBodyTooLarge,
		},
		{
			name: "one byte over the limit", path: matchPath, reader: endless(1<<20 + 1), status: 413,
			code: receive.CodeBodyTooLarge,
		},
		{
			name: "large body of a GET request", method: http.MethodGet, path: healthPath, body: strings.Repeat("x", 1<<20+1),
			status: 413, code: receive.CodeBodyTooLarge,
		},
	})
}

// Whatever the input, decoding must not panic: it returns a valid brief, or an error with one of four codes and a
// printable message.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		goodBrief, `{}`, `null`, `[[[[`, `{"timeline":3e1,"limit":1e400}`, `{"a":1,"a":2,"description":"\ud800\u0000"}`,
		`{"filters":{"ids":[],"min_rating":"4"},"weights":{"skills":null}}`, "{\"description\":\"\xff\"}",
		`{"budget_range":[-1,2e308]}`,
	} {
		f.Add([]byte(seed))
	}

	f.Fuzz(func(t *testing.T, body []byte) {
		var request wire.MatchRequest
		var errs validate.Faults
		err := strictjson.Decode(body, &request, &errs)
		if err == nil {
			plan, _ := apikey.PlanNamed("professional")
			brief := request.Brief(plan, &errs)
			err = errs.Err()
			valid := json.Valid(bytes.TrimPrefix(body, []byte("\ufeff")))
			if err == nil && (!valid || !utf8.Valid(body) || brief.Limit < 1 ||
				brief.Offset+brief.Limit > plan.MaxDepth) {
				t.Fatalf("%q was accepted as %+v", body, brief)
			}
		}

		switch code := matching.CodeOf(err); code {
		case "", strictjson.CodeMalformedJSON, validate.CodeWrongType, validate.CodeUnknownField, matching.CodeInvalid:
		default:
			t.Fatalf("%q: unexpected code %q: %v", body, code, err)
		}

		if err != nil && !utf8.ValidString(err.Error()) {
			t.Fatalf("%q: the error is not UTF-8: %q", body, err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	body := []byte(`{"description":"` + strings.Repeat("Build a dashboard with charts. ", 20) +
		`","required_skills":["React","Go","k8s"],` +
		`"budget_range":[5000,10000],"complexity":"medium","timeline":30,"filters":{"available":true}}`)
	b.ReportAllocs()
	for b.Loop() {
		var request wire.MatchRequest
		var errs validate.Faults
		if err := strictjson.Decode(body, &request, &errs); err != nil || errs.Any() {
			b.Fatal(err, errs)
		}
	}
}
