package dashboard_test

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

const resumePath = "/dashboard/playground/resume"

// sentParts returns the field, file name and content of each part of the form that the API received.
func sentParts(t *testing.T, w *world) (found [][3]string) {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(w.api.headers.Get("Content-Type"))
	w.must(err)
	parts := multipart.NewReader(strings.NewReader(w.api.request), parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return found
		}
		w.must(err)
		content, err := io.ReadAll(part)
		w.must(err)
		found = append(found, [3]string{part.FormName(), part.FileName(), string(content)})
	}
}

// fullResume returns a response of POST /parse with all fields set. Tests of package api compare it with a real one.
func fullResume(t *testing.T) string {
	t.Helper()
	response, err := os.ReadFile("../api/testdata/parse_full.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(response)
}

// The API receives the file unchanged, and nothing else of the form.
func TestResumePlayground_SendsTheFile(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, exampleOf(t, "/api/v1/parse", "resume_answer")
	w.api.setRateLimit()

	for _, content := range []string{
		"", "%PDF-1.7\r\n--\x00\xff\r\n\r\n", strings.Repeat("0123456789abcdef", 1<<16),
	} {
		b.upload(key.ID, "Mira's <resume>.pdf", content).expect(t, http.StatusOK, "Mira's <resume>.pdf",
			rateLimitText, "X-API-Key: $MATCHING_API_KEY", "/api/v1/parse", "-F file=@resume.pdf")
		sent := sentParts(t, w)
		if len(sent) != 1 || sent[0] != [3]string{"file", "resume", content} {
			t.Errorf("%d bytes were sent as %.200q", len(content), sent)
		}
	}

	if w.api.path != "POST /api/v1/parse" || w.api.key.ID != key.ID || w.api.remote == "" ||
		w.api.headers.Get("Cookie") != "" {
		t.Errorf("%s with key %s from %s and headers %v", w.api.path, w.api.key.ID, w.api.remote, w.api.headers)
	}

	if strings.Contains(w.log.String(), "Mira") {
		t.Errorf("the log contains the file name:\n%s", w.log)
	}
}

func TestResumePlayground_ShowsTheResume(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, fullResume(t)
	a := b.upload(key.ID, "resume.pdf", "%PDF").expect(t, http.StatusOK,
		"resume.pdf · 2 pages · English ·", "Hidden text was ignored.", "Mira Talden Backend developer 90% quality",
		"Email mira@example.com", "Phone +49 30 1234567", "Location Berlin", "Experience 6 years",
		"GitHub github.com/mira-talden", "Builds shops & tills.", "Skills section Go 6 years, until Jan 2025 tillwright",
		"Experience C++", "Skills with a dashed border are not in the taxonomy.",
		"Volunteering 2018 – 2019 Coach Code Club Taught.",
		"Projects 2020 – 2021 Shelf shelf.example A stock app. no dates Untitled",
		"Publications On tills 60% sure Shop Letters example.com/tills (opens a new window) 2018 More on tills",
		"Jan 2019 – present 6 years Developer Kiln & Glaze · Berlin Wrote the till.", "no dates Trainee",
		"2014 – 2017 BSc · Computing Example University", "no dates Untitled", "German native Dutch",
		"Cloud practitioner Example Mar 2021 First aid", `"experience": 6,`)
	for _, want := range []string{
		`href="mailto:mira@example.com"`,
		`href="https://github.com/mira-talden" target="_blank" rel="noopener noreferrer nofollow"`,
		`<time datetime="2019-01">Jan 2019</time>`, `aria-label="Quality 90%"`, `lang="en"`, `data-copy="record"`,
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the page does not contain %s", want)
		}
	}
}

func TestResumePlayground_HidesWhoItIs(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, fullResume(t)
	a := b.uploadWith(key.ID, "Mira Talden.pdf", "%PDF", "anonymize", "yes").expect(t, http.StatusOK,
		"Anonymous Backend developer", "/api/v1/parse?anonymize=true", "-F file=@resume.pdf")
	if w.api.path != "POST /api/v1/parse?anonymize=true" {
		t.Errorf("sent %s", w.api.path)
	}
	for _, never := range []string{"Mira Talden.pdf", "Email not found"} {
		if strings.Contains(a.text(), never) {
			t.Errorf("the page contains %s", never)
		}
	}
}

// The page says what could not be found, and shows no zero values in its place.
func TestResumePlayground_ShowsMissingParts(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"took_ms":3,"data":{"name":null,"job_title":null,"summary":null,
		"contact":{"email":null,"phone":null,"location":null,"links":[]},"skills":[],"skill_details":[],
		"experience":[{"title":null,"company":"Kiln","start":null,"end":"2018-03","months":1},
			{"title":"Help","start":"2015"}],
		"education":[],"languages":[],"certifications":[],"total_experience_years":null,"language":null,"pages":null,
		"warnings":["no_sections","something_new"],"quality":{"score":0.17,"reasons":["no name was found"]},
		"freelancer":{"id":"r_2"}}}`

	a := b.upload(key.ID, "resume.docx", "PK").expect(t, http.StatusOK,
		"resume.docx · 3 ms", "No name found", "17% quality", "No name was found.",
		"No section headings were recognized, so some entries may be in the wrong section. Something new.",
		"Email not found Phone not found Location not found Experience not found", "No skills found.",
		"until Mar 2018 1 month Kiln", "2015 Help",
		"No education found.", "No languages found.", "No certifications found.")
	for _, absent := range []string{"mailto:", "0 years", "pages ·", "ZgotmplZ"} {
		if strings.Contains(a.body, absent) {
			t.Errorf("the page contains %q", absent)
		}
	}

	if !strings.Contains(a.body, `class="bar weak"`) {
		t.Error("the low quality is not marked")
	}
}

// Only web pages and mail to a single address can be followed.
func TestResumePlayground_LinksAreSafe(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"data":{"contact":{"email":"a@example.com?bcc=b@example.com&body=x","links":[
		{"kind":"website","url":"javascript:alert(1)"},{"kind":"website","url":"data:text/html,x"},
		{"kind":"website","url":"ftp://example.com"},{"kind":"website","url":"//example.com"},
		{"kind":"website","url":"https://bank.example@evil.example/"},{"kind":"website","url":"http://"},
		{"kind":"website","url":"https://good.example/a?b=c"}]}}}`

	a := b.upload(key.ID, "resume.pdf", "%PDF").
		expect(t, http.StatusOK, "javascript:alert(1)", "good.example/a?b=c")
	var links []string
	for _, e := range elements(a.body) {
		href := e.attrs["href"]
		if e.name != "a" || strings.HasPrefix(href, "/") || strings.HasPrefix(href, "#") {
			continue
		}
		links = append(links, href)

		if e.attrs["target"] != "" && e.attrs["rel"] != "noopener noreferrer nofollow" {
			t.Errorf("the link to %s has the rel %q", href, e.attrs["rel"])
		}
	}

	want := "mailto:a@example.com%3Fbcc=b@example.com&body=x https://good.example/a?b=c"
	if got := strings.Join(links, " "); got != want {
		t.Errorf("the links are\n%s, want\n%s", got, want)
	}
}

func TestResumePlayground_ShowsFailures(t *testing.T) {
	w := newWorld(t)
	w.as(w.member).get(resumePath).expect(t, http.StatusOK, "Create an API key first")
	b, key := player(t, w)
	b.get(resumePath).
		expect(t, http.StatusOK, "The contents of the resume appear here", "Website (svc_pr_…", "up to 10 MiB")

	for code, test := range map[string]struct {
		status int
		want   string
	}{
		"no_text":                {422, "The file contains no text Not parsed"},
		"encrypted_document":     {422, "The file is password-protected"},
		"corrupt_document":       {422, "The file is damaged"},
		"document_too_complex":   {422, "The file is too complex"},
		"unsupported_media_type": {415, "This kind of file is not supported"},
		"body_too_large":         {413, "The file is too large"},
		"rate_limit_exceeded":    {429, "The API responded with 429"},
		"overloaded":             {503, "The API responded with 503"},
	} {
		w.api.fail(test.status, code, "try another file", "")
		b.upload(key.ID, "scan.pdf", "%PDF").
			expect(t, http.StatusOK, test.want, "Try another file.", code, "request7")
	}

	w.api.failAt("file", "empty", "file is empty")
	a := b.upload(key.ID, "empty.pdf", "").
		expect(t, http.StatusOK, "Correct this field: File is empty.")
	if !strings.Contains(a.body, `aria-describedby="file-hint file-fault" aria-invalid="true"`) {
		t.Error("the fault is not shown at the field")
	}

	w.api.path = ""
	b.upload(key.ID, "", "").expect(t, http.StatusUnprocessableEntity, "Choose a file.")
	if w.api.path != "" {
		t.Error("a form without a file was sent")
	}
}

// Malformed forms are rejected before a request is sent. Parts after the file make the request fail.
func TestResumePlayground_RejectsOtherForms(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	part := func(disposition, content string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
	}
	const end, multi = "--b--\r\n", "multipart/form-data; boundary=b"
	keyPart := part(`name="key"`, key.ID)
	file := part(`name="file"; filename="a.pdf"`, "%PDF")
	send := func(contentType, body string) answer {
		header := http.Header{"Content-Type": {contentType}}
		return b.result(b.send(http.MethodPost, resumePath, strings.NewReader(body), header))
	}

	b.post(resumePath, "key", key.ID).expect(t, http.StatusUnsupportedMediaType, "Invalid form")
	send("multipart/form-data", keyPart+file+end).expect(t, http.StatusBadRequest, "Invalid form")
	for name, body := range map[string]string{
		"empty":                "",
		"file first":           file + keyPart + end,
		"no file":              keyPart + end,
		"key with NUL":         part(`name="key"`, "a\x00") + file + end,
		"key that isn't UTF-8": part(`name="key"`, "a\xff") + file + end,
		"very long key":        part(`name="key"`, strings.Repeat("a", 1<<20)) + file + end,
		"another field":        keyPart + part(`name="other"`, "x") + file + end,
		"truncated key":        keyPart[:len(keyPart)-4],
	} {
		send(multi, body).expect(t, http.StatusBadRequest, "Invalid form")
		if w.api.path != "" {
			t.Fatalf("%s: a request was sent", name)
		}
	}

	w.api.status, w.api.body = http.StatusOK, exampleOf(t, "/api/v1/parse", "resume_answer")
	send(multi, keyPart+file+end).expect(t, http.StatusOK, "a.pdf")
	a := send(multi, keyPart+strings.Replace(file, "a.pdf", "a\xff\u202e.pdf", 1)+end).expect(t, http.StatusOK)
	if strings.Contains(a.body, "\u202e") {
		t.Error("the page shows a file name that isn't valid text")
	}

	for name, rest := range map[string]string{
		"second file": file + end, "another field": part(`name="x"`, "y") + end, "no end": "",
	} {
		send(multi, keyPart+file+rest)
		if w.api.readError == nil {
			t.Errorf("%s: the API received the form as if it were complete", name)
		}
	}
}

// Requests without permission, and requests from other sites, are rejected before the body is read.
func TestResumePlayground_ChecksAccessBeforeTheBody(t *testing.T) {
	w := newWorld(t)
	session := w.as(w.member).session()
	for name, test := range map[string]struct {
		session, site string
		status        int
	}{
		"signed out":   {"", "same-origin", http.StatusSeeOther},
		"another site": {session, "cross-site", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			body := &countedBody{Reader: iotest.ErrReader(errors.New("the body was read"))}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, resumePath, body)
			r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			r.Header.Set("Sec-Fetch-Site", test.site)
			r.Header.Set("Cookie", "matching_session="+test.session)
			response := httptest.NewRecorder()
			w.handler.ServeHTTP(response, r)

			if response.Code != test.status || body.reads != 0 {
				t.Errorf("status %d after %d reads, want %d after 0", response.Code, body.reads, test.status)
			}
		})
	}
}

// countedBody counts calls to Read.
type countedBody struct {
	io.Reader
	reads int
}

func (b *countedBody) Read(p []byte) (int, error) {
	b.reads++
	return b.Reader.Read(p)
}

// The API rejects a file that is far too large by its length. A form above the dashboard's limit is cut off.
func TestResumePlayground_LimitsItsForm(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.fail(http.StatusRequestEntityTooLarge, "body_too_large", "the file is too large", "")
	w.api.ignoresBody = true
	b.upload(key.ID, "large.pdf", strings.Repeat("x", 20<<20)).
		expect(t, http.StatusOK, "The file is too large")
	if w.api.length < 20<<20 {
		t.Errorf("the length of the request is %d", w.api.length)
	}
	w.api.ignoresBody = false
	b.upload(key.ID, "endless.pdf", strings.Repeat("x", 33<<20)).expect(t, http.StatusOK)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](w.api.readError); !tooLarge {
		t.Errorf("reading 33 MiB returned %v, want a MaxBytesError", w.api.readError)
	}
}
