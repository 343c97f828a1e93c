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

// sentFiles is the fields, file names and contents of a form that was sent on to the API.
func sentFiles(t *testing.T, w *world) (found [][3]string) {
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

// resumeAnswer is an answer of POST /parse with every field filled, to which the tests of the API hold it.
func resumeAnswer(t *testing.T) string {
	t.Helper()
	answer, err := os.ReadFile("../api/testdata/parse_full.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// The API gets the file to the byte, and nothing else of the form.
func TestResumePlayground_SendsTheFile(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status, w.api.body = http.StatusOK, exampleOf(t, "/api/v1/parse", "resume_answer")
	w.api.header = map[string]string{"X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "962", "X-RateLimit-Reset": "30"}
	for _, content := range []string{"", "%PDF-1.7\r\n--\x00\xff\r\n\r\n", strings.Repeat("0123456789abcdef", 1<<18)} {
		b.upload(key.ID, "Mira's <resume>.pdf", content).expect(t, http.StatusOK, "Mira's <resume>.pdf",
			"962 of 1000 requests remaining, resets in 30 s", "X-API-Key: YOUR_KEY", "/api/v1/parse", "-F file=@resume.pdf")
		sent := sentFiles(t, w)
		if len(sent) != 1 || sent[0] != [3]string{"file", "resume", content} {
			t.Errorf("%d bytes were sent on as %.200q", len(content), sent)
		}
	}
	if w.api.path != "POST /api/v1/parse" || w.api.key.ID != key.ID || w.api.headers.Get("Cookie") != "" || w.api.remote == "" {
		t.Errorf("asked %s as %s from %s with %v", w.api.path, w.api.key.ID, w.api.remote, w.api.headers)
	}
	if strings.Contains(w.log.String(), "Mira") {
		t.Errorf("the log has the name of the file:\n%s", w.log)
	}
}

func TestResumePlayground_ShowsWhatTheResumeSays(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status, w.api.body = http.StatusOK, resumeAnswer(t)
	a := b.upload(key.ID, "resume.pdf", "%PDF").expect(t, http.StatusOK,
		"resume.pdf · 2 pages · English ·", "Hidden text was ignored.", "Mira Talden Backend developer 90% quality",
		"Hidden text was left out.", "Email mira@example.com", "Phone +49 30 1234567", "Location Berlin", "Experience 6 years",
		"GitHub github.com/mira-talden", "Builds shops & tills.", "Skills section Go", "Experience C++",
		"Jan 2019 – present 6 years Developer Kiln & Glaze · Berlin Wrote the till.", "no dates Trainee",
		"2014 – 2017 BSc · Computing Example University", "no dates Untitled", "German native Dutch",
		"Cloud practitioner Example Mar 2021 First aid", `"experience": 6,`)
	for _, element := range []string{
		`href="mailto:mira@example.com"`, `href="https://github.com/mira-talden" target="_blank" rel="noopener noreferrer nofollow"`,
		`<time datetime="2019-01">Jan 2019</time>`, `aria-label="Quality 90%"`, `lang="en"`, `data-copy="record"`,
	} {
		if !strings.Contains(a.body, element) {
			t.Errorf("the page has no %s", element)
		}
	}
}

// What was not found is said to be so, and nothing stands there in its place.
func TestResumePlayground_ShowsWhatWasNotFound(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"data":{"name":null,"job_title":null,"contact":{"email":null,"phone":null,"location":null,"links":[]},"summary":null,
		"skills":[],"skill_details":[],"experience":[{"title":null,"company":"Kiln","start":null,"end":"2018-03","months":1},{"title":"Help","start":"2015"}],
		"education":[],"languages":[],"certifications":[],"total_experience_years":null,"language":null,"pages":null,
		"warnings":["no_sections","something_new"],"quality":{"score":0.17,"reasons":["no name was found"]},"freelancer":{"id":"r_2"}},"took_ms":3}`
	a := b.upload(key.ID, "resume.docx", "PK").expect(t, http.StatusOK, "resume.docx · 3 ms", "No name found", "17% quality", "No name was found.",
		"No section headings were recognized, so some entries may be in the wrong section. Something new.", "Email not found Phone not found Location not found Experience not found",
		"No known skills found.", "until Mar 2018 1 month Kiln", "2015 Help", "No education found.", "No languages found.", "No certifications found.")
	for _, absent := range []string{"mailto:", "0 years", "pages ·", "ZgotmplZ"} {
		if strings.Contains(a.body, absent) {
			t.Errorf("the page has %q", absent)
		}
	}
	if !strings.Contains(a.body, `class="bar weak"`) {
		t.Error("so little is shown as if it were enough")
	}
}

// Only what leads to the web, or to a mail to one address, can be followed.
func TestResumePlayground_LinksAreSafe(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"data":{"contact":{"email":"a@example.com?bcc=b@example.com&body=x","links":[{"kind":"website","url":"javascript:alert(1)"},
		{"kind":"website","url":"data:text/html,x"},{"kind":"website","url":"ftp://example.com"},{"kind":"website","url":"//example.com"},
		{"kind":"website","url":"https://bank.example@evil.example/"},{"kind":"website","url":"http://"},{"kind":"website","url":"https://good.example/a?b=c"}]}}}`
	a := b.upload(key.ID, "resume.pdf", "%PDF").expect(t, http.StatusOK, "javascript:alert(1)", "good.example/a?b=c")
	var links []string
	for _, e := range elements(a.body) {
		if href := e.attrs["href"]; e.name == "a" && !strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "#") {
			links = append(links, href)
			if e.attrs["target"] != "" && e.attrs["rel"] != "noopener noreferrer nofollow" {
				t.Errorf("the link to %s has the rel %q", href, e.attrs["rel"])
			}
		}
	}
	want := "mailto:a@example.com%3Fbcc=b@example.com&body=x https://good.example/a?b=c"
	if got := strings.Join(links, " "); got != want {
		t.Errorf("the links are\n%s, want\n%s", got, want)
	}
}

func TestResumePlayground_TellsFailures(t *testing.T) {
	w := newWorld(t)
	w.as(w.member).get(resumePath).expect(t, http.StatusOK, "Create an API key first")
	b, key := play(t, w)
	b.get(resumePath).expect(t, http.StatusOK, "The contents of the resume appear here", "Website (svc_pr_…", "up to 10 MiB")
	for code, test := range map[string]struct {
		status int
		says   string
	}{
		"no_text": {422, "The file contains no text Not parsed"}, "encrypted_document": {422, "The file is password-protected"},
		"corrupt_document": {422, "The file is damaged"}, "document_too_complex": {422, "The file is too complex"},
		"unsupported_media_type": {415, "The file is neither PDF nor Word"}, "body_too_large": {413, "The file is too large"},
		"rate_limit_exceeded": {429, "The API responded with 429"}, "overloaded": {503, "The API responded with 503"},
	} {
		w.api.status = test.status
		w.api.body = `{"status":"error","error":{"code":"` + code + `","message":"what to do about it","details":[]},"request_id":"request7"}`
		b.upload(key.ID, "scan.pdf", "%PDF").expect(t, test.status, test.says, "What to do about it.", code, "request7")
	}
	w.api.status = http.StatusUnprocessableEntity
	w.api.body = `{"status":"error","error":{"code":"validation_failed","message":"wrong","details":[{"field":"file","code":"empty",
		"message":"file is an empty file"}]},"request_id":"request7"}`
	a := b.upload(key.ID, "empty.pdf", "").expect(t, http.StatusUnprocessableEntity, "Correct this field: File is an empty file.")
	if !strings.Contains(a.body, `aria-describedby="file-hint file-fault" aria-invalid="true"`) {
		t.Error("the fault is not told at the field")
	}
	w.api.path = ""
	b.upload(key.ID, "", "").expect(t, http.StatusUnprocessableEntity, "Choose a file.")
	if w.api.path != "" {
		t.Error("a form without a file was sent on")
	}
}

// A form that is none, or another one, is refused before the API is asked. What goes on behind the file is a fault of the form.
func TestResumePlayground_TakesOnlyItsForm(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	part := func(disposition, content string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
	}
	keyPart, file := part(`name="key"`, key.ID), part(`name="file"; filename="a.pdf"`, "%PDF")
	send := func(contentType, body string) answer {
		return b.send(http.MethodPost, resumePath, strings.NewReader(body), http.Header{"Content-Type": {contentType}})
	}
	const multi = "multipart/form-data; boundary=b"
	for name, a := range map[string]func() answer{
		"no multipart":      func() answer { return b.post(resumePath, "key", key.ID) },
		"no boundary":       func() answer { return send("multipart/form-data", keyPart+file+"--b--\r\n") },
		"nothing":           func() answer { return send(multi, "") },
		"file first":        func() answer { return send(multi, file+keyPart+"--b--\r\n") },
		"no file":           func() answer { return send(multi, keyPart+"--b--\r\n") },
		"key with a zero":   func() answer { return send(multi, part(`name="key"`, "a\x00")+file+"--b--\r\n") },
		"key in no UTF-8":   func() answer { return send(multi, part(`name="key"`, "a\xff")+file+"--b--\r\n") },
		"key without end":   func() answer { return send(multi, part(`name="key"`, strings.Repeat("a", 1<<20))+file+"--b--\r\n") },
		"another field":     func() answer { return send(multi, keyPart+part(`name="other"`, "x")+file+"--b--\r\n") },
		"broken in the key": func() answer { return send(multi, keyPart[:len(keyPart)-4]) },
	} {
		a().expect(t, http.StatusBadRequest, "Invalid form")
		if w.api.path != "" {
			t.Fatalf("%s: the API was asked", name)
		}
	}
	w.api.status, w.api.body = http.StatusOK, exampleOf(t, "/api/v1/parse", "resume_answer")
	send(multi, keyPart+file+"--b--\r\n").expect(t, http.StatusOK, "a.pdf")
	if a := send(multi, keyPart+strings.Replace(file, "a.pdf", "a\xff\u202e.pdf", 1)+"--b--\r\n").expect(t, http.StatusOK); strings.Contains(a.body, "\u202e") {
		t.Error("a name that is no text is shown")
	}
	for name, rest := range map[string]string{"a second file": file + "--b--\r\n", "another field": part(`name="x"`, "y") + "--b--\r\n", "no end": ""} {
		send(multi, keyPart+file+rest)
		if w.api.readError == nil {
			t.Errorf("%s: the API was given the form as if it were whole", name)
		}
	}
}

// Whoever may not, and whatever another site sends, is refused before a byte of the body is read.
func TestResumePlayground_ChecksComeBeforeTheBody(t *testing.T) {
	w := newWorld(t)
	session := w.as(w.member).session()
	for name, test := range map[string]struct {
		session, site string
		status        int
	}{
		"nobody": {"", "same-origin", http.StatusSeeOther}, "another site": {session, "cross-site", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, resumePath, iotest.ErrReader(errors.New("the body was read")))
			r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			r.Header.Set("Sec-Fetch-Site", test.site)
			r.Header.Set("Cookie", "matching_session="+test.session)
			body := &countedBody{ReadCloser: r.Body}
			r.Body = body
			answered := httptest.NewRecorder()
			w.handler.ServeHTTP(answered, r)
			if answered.Code != test.status || body.reads != 0 {
				t.Errorf("answered %d after %d reads, want %d after none", answered.Code, body.reads, test.status)
			}
		})
	}
}

// countedBody counts how often it is read.
type countedBody struct {
	io.ReadCloser
	reads int
}

func (b *countedBody) Read(p []byte) (int, error) {
	b.reads++
	return b.ReadCloser.Read(p)
}

// A file that is far too large is refused by the API, which sees from the beginning how long it is; one without end is cut off.
func TestResumePlayground_IsBounded(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status = http.StatusRequestEntityTooLarge
	w.api.body = `{"status":"error","error":{"code":"body_too_large","message":"the file must not be larger","details":[]},"request_id":"request7"}`
	w.api.refuses = true
	b.upload(key.ID, "large.pdf", strings.Repeat("x", 20<<20)).expect(t, http.StatusRequestEntityTooLarge, "The file is too large")
	if w.api.length < 20<<20 {
		t.Errorf("the API was told of %d bytes", w.api.length)
	}
	w.api.refuses = false
	b.upload(key.ID, "endless.pdf", strings.Repeat("x", 33<<20)).expect(t, http.StatusRequestEntityTooLarge)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](w.api.readError); !tooLarge {
		t.Errorf("33 MiB were read, and ended with %v", w.api.readError)
	}
}
