package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/validate"
)

const parsePath = "/api/v1/parse"

// fullResume returns a resume with every field, and list entries with only the required ones.
func fullResume() resume.Resume {
	return resume.Resume{
		Name: "Mira Talden", JobTitle: "Backend developer", Summary: "Builds shops & tills.", Language: "en", Pages: 2,
		Contact: resume.Contact{
			Email: "mira@example.com", Phone: "+49 30 1234567", Location: "Berlin",
			Links: []resume.ContactLink{
				{Kind: "github", URL: "https://github.com/mira-talden"}, {Kind: "website", URL: "talden.example"},
			},
		},
		Skills: []resume.Skill{
			{
				ID: "go", Name: "Go", Written: "golang", Section: "skills", Months: matching.Some(72), LastUsed: "2025-01",
				Confidence: .98,
			},
			{Name: "tillwright", Written: "tillwright", Section: "skills", Confidence: .951},
			{ID: "c++", Name: "C++", Section: "experience"},
		},
		Experience: []resume.Position{
			{
				Title: "Developer", Company: "Kiln & Glaze", Location: "Berlin", Start: "2019-01", Current: true,
				Months: matching.Some(72), Description: "Wrote the till.", Confidence: .9,
			},
			{Title: "Trainee"},
		},
		Education: []resume.Degree{{
			Degree: "BSc", Field: "Computing", Institution: "Example University", Start: "2014",
			End: "2017", Confidence: .8,
		}, {}},
		Languages: []resume.Language{{Name: "German", Level: "native", Confidence: .97}, {Name: "Dutch"}},
		Certifications: []resume.Certification{
			{Name: "Cloud practitioner", Issuer: "Example", Date: "2021-03"},
			{Name: "First aid"},
		},
		Projects: []resume.Project{
			{Name: "Shelf", URL: "shelf.example", Start: "2020", End: "2021", Description: "A stock app.", Confidence: .7},
			{},
		},
		Publications: []resume.Publication{
			{Title: "On tills", Publisher: "Shop Letters", Date: "2018", URL: "https://example.com/tills", Confidence: .6},
			{Title: "More on tills"},
		},
		Volunteering: []resume.Position{
			{Title: "Coach", Company: "Code Club", Start: "2018", End: "2019", Description: "Taught."},
		},
		Confidence:      resume.Confidence{Name: .99, Email: 1, Phone: .956, Location: .9, Summary: .85},
		ExperienceYears: matching.Some(6.0),
		Warnings:        []resume.Warning{resume.WarnHiddenText},
		Quality:         resume.Quality{Score: 0.9, Reasons: []string{"hidden text was left out"}},
		DraftNotes: []resume.DraftNote{
			{Field: "country", Kind: resume.Derived, Reason: "The country is derived from the town or region."},
		},
		Freelancer: matching.Freelancer{
			ID: "r_1", Name: "Mira Talden", JobTitle: "Backend developer", Skills: []string{"Go", "C++"},
			Description: "Builds shops & tills.",
			Signals:     matching.Signals{Experience: matching.Some(6.0)},
			Details: matching.Details{
				Location: "Berlin, Germany", Country: "DE",
				Languages: []matching.SpokenLanguage{{Tag: "de", Level: "native"}, {Tag: "nl"}},
			},
		},
	}
}

const boundary = "8b1f"

// part returns one part of a form.
func part(disposition, content string) string {
	return "--" + boundary + "\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
}

// form returns a body that consists of parts.
func form(parts ...string) string { return strings.Join(parts, "") + "--" + boundary + "--\r\n" }

var (
	asForm   = http.Header{"Content-Type": {"multipart/form-data; boundary=" + boundary}}
	goodForm = form(part(`name="file"; filename="resume.pdf"`, "%PDF"))
)

func parserFails(err error) func(*fixture) {
	return func(f *fixture) {
		f.Parser = parserFunc(func(context.Context, []byte) (resume.Resume, error) { return resume.Resume{}, err })
	}
}

func TestParse_ReturnsTheResume(t *testing.T) {
	empty := resume.Resume{Freelancer: matching.Freelancer{ID: "r_2"}}
	for _, test := range []struct {
		name, query string
		r           resume.Resume
	}{
		{"full", "", fullResume()},
		{"empty", "", empty},
		{"empty", "?format=fields&anonymize=true", empty},
		{"anonymous", "?anonymize=true", fullResume()},
		{"jsonresume", "?format=json_resume&anonymize=false", fullResume()},
		{"jsonresume_empty", "?format=json_resume", empty},
	} {
		t.Run(test.name+test.query, func(t *testing.T) {
			c := call{
				path: parsePath + test.query, header: asForm, body: goodForm, status: 200,
				change: func(f *fixture) {
					f.Parser = parserFunc(func(context.Context, []byte) (resume.Resume, error) { return test.r, nil })
				},
			}

			w, _ := c.send(t)
			want, err := os.ReadFile("testdata/parse_" + test.name + ".json")
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(decoded(t, want)["data"], decoded(t, w.Body.Bytes())["data"]); diff != "" {
				t.Errorf("(-golden +got):\n%s", diff)
			}
		})
	}
}

// Lines of files without pages have neither page nor box, which differs from a box without a size.
func TestParse_IncludesText(t *testing.T) {
	parsed := fullResume()
	parsed.Lines = []resume.Line{
		{Text: "Mira Talden", Page: 1, Place: resume.Place{X: 56.7, Y: 40, Width: 120.5, Height: 18}},
		{Text: "Go\tPostgreSQL"},
	}
	const want = `"text":[{"text":"Mira Talden","page":1,"box":{"x":56.7,"y":40,"width":120.5,"height":18}},` +
		`{"text":"Go\tPostgreSQL","page":null,"box":null}]`

	returns := func(f *fixture) {
		f.Parser = parserFunc(func(context.Context, []byte) (resume.Resume, error) { return parsed, nil })
	}
	with := call{path: parsePath + "?include=text", header: asForm, body: goodForm, status: 200, change: returns}
	with.want = []string{want}
	with.send(t)

	without := call{path: parsePath, header: asForm, body: goodForm, status: 200, change: returns}
	without.never = []string{`"text":`, "Mira Talden\",\"page"}
	without.send(t)

	parsed.Lines = nil
	with.want = []string{`"text":[]`}
	with.send(t)
}

// The parser receives the bytes of the file, however the client formats the form.
func TestParse_AcceptsForms(t *testing.T) {
	file := "%PDF-1.7\r\n--8b1\x00\xff\r\n\r\n"
	named := func(disposition string) string { return form(part(disposition, file)) }
	typed := func(value string) http.Header { return http.Header{"Content-Type": {value}} }
	for _, tt := range []struct {
		name   string
		header http.Header
		body   string
	}{
		{"typical", asForm, named(`name="file"; filename="resume.pdf"`)},
		{"no file name", asForm, named(`name=file`)},
		{"Windows file name", asForm, named(`name="file"; filename="C:\\r\"é.pdf"; filename*=UTF-8''r%C3%A9.pdf`)},
		{
			"part with a Content-Type", asForm,
			strings.Replace(named(`name="file"`), "\r\n\r\n", "\r\nContent-Type: text/html\r\n\r\n", 1),
		},
		{"quoted-printable part", asForm, strings.Replace(named(`name="file"`), "\r\n\r\n",
			"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n", 1)},
		{"preamble", asForm, "preamble\r\n" + named(`name="file"`)},
		{"quoted boundary", typed(`multipart/form-data; boundary="8b1f"`), named(`name="file"`)},
		{"capitalized media type", typed("Multipart/Form-Data; boundary=8b1f"), named(`name="file"`)},
		{"older client: application/json", typed("application/json"), named(`name="file"; filename="resume.pdf"`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			c := call{
				path: parsePath, header: tt.header, body: tt.body, status: 200,
				change: func(f *fixture) {
					f.Parser = parserFunc(func(_ context.Context, b []byte) (resume.Resume, error) {
						got = string(b)
						return fullResume(), nil
					})
				},
			}
			if c.send(t); got != file {
				t.Errorf("the parser received %q, want %q", got, file)
			}
		})
	}
}

func TestParse_Errors(t *testing.T) {
	sent := func(name string, header http.Header, body string, status int, code matching.Code, want ...string) call {
		return call{
			name: name, path: parsePath, header: header, body: body, status: status, code: code,
			want:   want,
			change: parserFails(fmt.Errorf("secret cause: the parser was called")),
		}
	}

	typed := func(value string) http.Header { return http.Header{"Content-Type": {value}} }
	packed := asForm.Clone()
	packed.Set("Content-Encoding", "gzip")
	file := part(`name="file"`, "%PDF")
	read := func(code matching.Code, status int) call {
		return call{
			name: string(code), path: parsePath, header: asForm, body: goodForm, status: status,
			code:   code,
			change: parserFails(&matching.Error{Code: code, Message: "The file is bad."}), want: []string{"The file is bad."},
		}
	}

	asked := func(query, want string) call {
		return call{
			name: query, path: parsePath + query, header: asForm, body: goodForm, status: 422, code: matching.CodeInvalid,
			want: []string{want}, change: parserFails(fmt.Errorf("secret cause: the parser was called")),
		}
	}

	run(t, []call{
		asked("?anonymize=yes", `"field":"anonymize"`),
		asked("?format=xml", "fields, json_resume"),
		asked("?format=json_resume&format=fields", "more than once"),
		asked("?include=boxes", "include must be one of text"),
		asked("?include=text&anonymize=true", `"code":"contradiction"`),
		asked("?include=text&format=json_resume", `"code":"contradiction"`),
		sent("no body", asForm, "", 400, receive.CodeMalformedMultipart, "multipart/form-data"),
		sent("no boundary", typed("multipart/form-data"), goodForm, 400, receive.CodeMalformedMultipart, "boundary"),
		sent("another boundary", typed("multipart/form-data; boundary=x"), goodForm, 400, receive.CodeMalformedMultipart,
			"its boundary differs"),
		sent("truncated", asForm, file, 400, receive.CodeMalformedMultipart, "ended early"),
		sent("truncated in a header", asForm, file[:20], 400, receive.CodeMalformedMultipart),
		sent("URL-encoded form", typed("application/x-www-form-urlencoded"), "file=x", 415, receive.CodeUnsupportedMediaType,
			"multipart/form-data"),
		sent("file without a form", typed("application/pdf"), "%PDF", 415, receive.CodeUnsupportedMediaType,
			"application/pdf"),
		sent("JSON", typed("application/json"), `{"file":"x"}`, 415, receive.CodeUnsupportedMediaType, "multipart/form-data"),
		sent("JSON with a long first line", typed("application/json"), "--"+strings.Repeat("-", 200)+"\r\n", 415,
			receive.CodeUnsupportedMediaType),
		sent("no type", http.Header{"Content-Type": nil}, goodForm, 415, receive.CodeUnsupportedMediaType),
		sent("compressed", packed, goodForm, 415, receive.CodeUnsupportedMediaType, "gzip"),
		sent("no parts", asForm, form(), 422, matching.CodeInvalid, `"field":"file"`, "required"),
		sent("unknown field", asForm, form(part(`name="flie"`, "%PDF")), 422, validate.CodeUnknownField, "flie", "file"),
		sent("part without a name", asForm, form(part(`filename="a.pdf"`, "%PDF")), 422, validate.CodeUnknownField),
		sent("additional field", asForm, form(file, part(`name="note"`, "x")), 422, validate.CodeUnknownField, "note"),
		sent("two files", asForm, form(file, file), 422, matching.CodeInvalid, "2 times"),
		sent("an empty file", asForm, form(part(`name="file"`, "")), 422, matching.CodeInvalid, "empty"),
		sent("file too large", asForm, form(part(`name="file"`, strings.Repeat("x", receive.MaxFile+1))), 413,
			receive.CodeBodyTooLarge,
			"10485760"),
		sent("body too large", asForm, form(part(`name="x"`, strings.Repeat("x", receive.MaxUpload))), 413,
			receive.CodeBodyTooLarge),
		read(resume.CodeUnsupported, 415), read(resume.CodeNoText, 422), read(resume.CodeEncrypted, 422),
		read(resume.CodeCorrupt, 422), read(resume.CodeTooComplex, 422), read(matching.CodeOverloaded, 503),
	})
}

// The size limit also applies to bodies without a Content-Length.
func TestParse_UnknownLength(t *testing.T) {
	c := call{
		path: parsePath, header: asForm, status: 413, code: receive.CodeBodyTooLarge,
		reader: struct{ *strings.Reader }{strings.NewReader(form(part(`name="file"`, strings.Repeat("x",
			receive.MaxFile+1))))},
	}
	c.send(t)
	c = call{
		path: parsePath, header: asForm, status: 200,
		reader: struct{ *strings.Reader }{strings.NewReader(form(part(`name="file"`, strings.Repeat("x", receive.MaxFile))))},
	}
	c.send(t)
}

// A rejected request counts against no limit and does not delay matches. An invalid form does count.
func TestParse_ChargedAfterAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		withKey(func(k *apikey.Key) { k.Plan = "freelancer" })(f)
		f.MaxParses = 1
		release := make(chan struct{})
		f.Parser = parserFunc(func(context.Context, []byte) (resume.Resume, error) {
			<-release
			return fullResume(), nil
		})

		f.AdmissionWait = time.Second
		h := New(f.Dependencies).Handler()
		good := call{path: parsePath, header: asForm, body: goodForm, status: 200}
		first := httptest.NewRecorder()
		go h.ServeHTTP(first, good.request(t))
		synctest.Wait()
		left := func(w *httptest.ResponseRecorder) string { return w.Header().Get("X-RateLimit-Remaining") }
		full := call{path: parsePath, header: asForm, body: goodForm, status: 429, code: admission.CodeTooManyConcurrent}
		if w := full.sendTo(t, h); left(w) != "99" {
			t.Errorf("%s requests remaining after a rejected one, want 99", left(w))
		}

		match := call{status: 200}
		match.sendTo(t, h)
		close(release)
		synctest.Wait()

		if first.Code != http.StatusOK {
			t.Errorf("status %d: %s", first.Code, first.Body)
		}
		bad := call{path: parsePath, header: asForm, body: form(), status: 422}
		if w := bad.sendTo(t, h); left(w) != "97" {
			t.Errorf("%s requests remaining after a match, a resume and an invalid form, want 97", left(w))
		}
	})
}

func FuzzReadFile(f *testing.F) {
	f.Add("multipart/form-data; boundary=8b1f", goodForm)
	f.Add("application/json", goodForm)
	f.Add("application/json", "--")
	f.Add("multipart/form-data; boundary=8b1f", form())
	f.Fuzz(func(t *testing.T, contentType, body string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, parsePath, strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		file, err := receive.File(r)
		if err == nil && (len(file.Data) == 0 || !strings.Contains(body, string(file.Data))) {
			t.Errorf("read %q", file.Data)
		}
	})
}

func decoded(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatal(err)
	}
	return members
}

// Four clients who send one file after the other, each for an account of its own or all for the same, are served on two
// cores: files wait for each other instead of being rejected.
func TestParse_ServesFourClients(t *testing.T) {
	const clients, files, cores = 4, 20, 2
	for name, key := range map[string]func(client string) string{
		"one account":   func(string) string { return "account" },
		"four accounts": func(client string) string { return "account" + client },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture()
				f.MaxParses = 2 * cores
				f.RequestTimeout = 10 * time.Second
				f.AdmissionWait = 500 * time.Millisecond
				processors := make(chan struct{}, cores)
				f.Parser = parserFunc(func(context.Context, []byte) (resume.Resume, error) {
					processors <- struct{}{}
					time.Sleep(1200 * time.Millisecond) // a slow document
					<-processors
					return fullResume(), nil
				})

				f.Keys = keysFunc(func(_ context.Context, client string) (apikey.Key, error) {
					k := goodKey()
					k.Account = key(client)
					return k, nil
				})

				h := New(f.Dependencies).Handler()
				var served atomic.Int32
				var all sync.WaitGroup
				for client := range clients {
					all.Go(func() {
						for range files {
							r := (&call{path: parsePath, header: asForm, body: goodForm}).request(t)
							r.Header.Set("X-API-Key", fmt.Sprint(client))
							w := httptest.NewRecorder()
							h.ServeHTTP(w, r)

							if w.Code == http.StatusOK {
								served.Add(1)
							}
						}
					})
				}

				all.Wait()
				if n := served.Load(); n != clients*files {
					t.Errorf("%d of %d files served", n, clients*files)
				}
			})
		})
	}
}
