package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
)

const verifyPath = "/api/v1/verify-skill"

// The service receives the keyword exactly as sent, including signs and spaces.
func TestVerifySkill_Keyword(t *testing.T) {
	for body, want := range map[string]string{
		`{"keyword":"React"}`:                               "React",
		`{"keyword":" C++ "}`:                               " C++ ",
		`{"keyword":"[C#] (.NET) \"R&D\" ×+"}`:              `[C#] (.NET) "R&D" ×+`,
		`{"keyword":"\u65e5\u672c\u8a9e"}`:                  "日本語",
		`{"keyword":"?"}`:                                   "?",
		`{"keyword":"` + strings.Repeat("é", 100) + `"}`:    strings.Repeat("é", 100),
		`{"keyword":"<script>alert(1)</script>"}` + "\r\n ": "<script>alert(1)</script>",
	} {
		var got string
		c := call{
			path: verifyPath, body: body, status: 200,
			change: func(f *fixture) {
				f.Verifier = verifierFunc(func(_ context.Context, _, keyword string) (*matching.Verification, error) {
					got = keyword
					return fullVerification(), nil
				})
			},
		}

		c.send(t)
		if got != want {
			t.Errorf("%s: the service received %q, want %q", body, got, want)
		}
	}
}

const fullVerificationJSON = `{"status":"success","data":` +
	`{"exists":true,"type":"skill","matches":["C++"],"skills":["C++"],` +
	`"job_titles":["R&D <Engineer>"],"similar_terms":["C#"],"freelancer_count":12,` +
	`"skill":{"id":"c-plus-plus","name":"C++",` +
	`"synonyms":["CPP"],"category":"Programming languages","broader":["Programming"],"related":["Qt"],` +
	`"freelancer_count":12},` +
	`"source":"taxonomy","confidence":1,"no_verdict":null},"request_id":"same","took_ms":0}` + "\n"

const nothingJSON = `{"status":"success","data":{"exists":false,"type":null,"matches":[],"skills":[],"job_titles":[],` +
	`"similar_terms":[],"freelancer_count":0,"skill":null,"source":null,"confidence":0,"no_verdict":null},` +
	`"request_id":"same","took_ms":0}` + "\n"

func TestVerifySkill_Answer(t *testing.T) {
	nothing := &matching.Verification{
		Matches: []string{}, Skills: []string{}, JobTitles: []string{},
		SimilarTerms: []string{},
	}
	for _, tt := range []struct {
		name   string
		answer *matching.Verification
		want   string
	}{
		{"everything", fullVerification(), fullVerificationJSON},
		{"nothing", nothing, nothingJSON},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := call{
				path: verifyPath, body: `{"keyword":"x"}`, status: 200,
				header: http.Header{"X-Request-Id": {"same"}},
				change: func(f *fixture) {
					f.Verifier = verifierFunc(func(context.Context, string, string) (*matching.Verification, error) {
						return tt.answer,
							nil
					})
				},
			}

			w, _ := c.send(t)
			if diff := cmp.Diff(tt.want, withoutTime(w.Body.Bytes())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVerifySkill_Failures(t *testing.T) {
	post := func(name, body string, status int, code matching.Code, want ...string) call {
		return call{name: name, path: verifyPath, body: body, status: status, code: code, want: want}
	}
	fails := func(err error) func(*fixture) {
		return func(f *fixture) {
			f.Verifier = verifierFunc(func(context.Context, string, string) (*matching.Verification, error) { return nil, err })
		}
	}

	broken := func(name string, err error, status int, code matching.Code) call {
		c := post(name, `{"keyword":"x"}`, status, code)
		c.change = fails(err)
		return c
	}

	required := `"field":"keyword","code":"required",` +
		`"message":"keyword must be the name of a skill or a job title, with 1 to 100 characters."`
	withoutKey := post("no key", `{"keyword":"x"}`, 401, "missing_api_key")
	withoutKey.header = http.Header{"X-Api-Key": nil}
	asText := post("text/plain", `{"keyword":"x"}`, 415, receive.CodeUnsupportedMediaType)
	asText.header = http.Header{"Content-Type": {"text/plain"}}
	otherOperations := post("operation not allowed", `{"keyword":"x"}`, 403, "operation_not_allowed")
	otherOperations.change = withKey(func(k *apikey.Key) { k.Operations = []string{"match"} })
	run(t, []call{
		post("no keyword", `{}`, 422, matching.CodeInvalid, required),
		post("null", `{"keyword":null}`, 422, matching.CodeInvalid, required),
		post("an empty keyword", `{"keyword":""}`, 422, matching.CodeInvalid, required),
		post("a blank keyword", `{"keyword":" \n\u00a0\t"}`, 422, matching.CodeInvalid, required),
		post("keyword too long", `{"keyword":"`+strings.Repeat("é", 101)+`"}`, 422, matching.CodeInvalid,
			`"code":"too_long"`, "got 101"),
		post("a NUL", `{"keyword":"a\u0000"}`, 422, matching.CodeInvalid, `"code":"invalid_characters"`),
		post("number as keyword", `{"keyword":5}`, 422, validate.CodeWrongType, "keyword must be a string; got the number 5"),
		post("list as keyword", `{"keyword":["Go"]}`, 422, validate.CodeWrongType, "keyword must be a string; got a list"),
		post("repeated field", `{"keyword":"Go","keyword":"C"}`, 422, matching.CodeInvalid, `"code":"duplicate_field"`),
		post("misspelled field", `{"keywrod":"Go"}`, 422, validate.CodeUnknownField, "Did you mean keyword?", required),
		post("unknown field", `{"keyword":"Go","limit":5}`, 422, validate.CodeUnknownField, `"field":"limit"`),
		post("list as body", `["Go"]`, 422, validate.CodeWrongType, "body must be an object"),
		post("not JSON", `keyword=Go`, 400, strictjson.CodeMalformedJSON),
		post("empty body", ``, 400, strictjson.CodeMalformedJSON),
		post("trailing data", `{"keyword":"Go"}{}`, 400, strictjson.CodeMalformedJSON),
		post("truncated", `{"keyword":"Go`, 400, strictjson.CodeMalformedJSON),
		post("too large", `{"keyword":"Go"}`+strings.Repeat(" ", 1<<20), 413, receive.CodeBodyTooLarge),
		asText, withoutKey, otherOperations,
		{name: "GET", method: http.MethodGet, path: verifyPath, status: 405, code: endpoint.CodeMethodNotAllowed},
		broken("engine unavailable", &matching.Error{
			Code: matching.CodeEngineUnavailable, Message: "away",
			Cause: errors.New("secret cause"),
		}, 503, matching.CodeEngineUnavailable),
		broken("engine timeout", &matching.Error{Code: matching.CodeEngineTimeout, Message: "slow"}, 504,
			matching.CodeEngineTimeout),
		broken("other error", errors.New("secret cause"), 500, matching.CodeInternal),
	})
}

// The daily limit of new keywords belongs to the account, or to the original key if there is no account.
func TestVerifySkill_LimitedAccount(t *testing.T) {
	for account, want := range map[string]string{"acc_1": "acc_1", "": "key_0"} {
		var got string
		c := call{path: verifyPath, body: `{"keyword":"x"}`, status: 200, change: func(f *fixture) {
			withKey(func(k *apikey.Key) { k.Account, k.Counter = account, "key_0" })(f)
			f.Verifier = verifierFunc(func(_ context.Context, account, _ string) (*matching.Verification, error) {
				got = account
				return fullVerification(), nil
			})
		}}
		c.send(t)
		if got != want {
			t.Errorf("account %q: limited as %q, want %q", account, got, want)
		}
	}
}

// An unknown keyword counts against the limits like any other.
func TestVerifySkill_CountsAgainstTheLimits(t *testing.T) {
	c := call{path: verifyPath, body: `{"keyword":"x"}`, status: 200}
	w, f := c.send(t)
	if got := w.Header().Get("X-RateLimit-Remaining"); got != "999" {
		t.Errorf("%s requests remaining, want 999", got)
	}
	if n := len(f.usage.requests); n != 1 || f.usage.requests[0].Operation != "verify-skill" {
		t.Errorf("recorded usage %+v, want one verify-skill", f.usage.requests)
	}
}
