package candidate_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// The whole interview without JavaScript.
func TestPages_WholeInterview(t *testing.T) {
	w := newWorld(t, "https://match.example.com")
	session, token := w.invite(t, interview.Questions)
	b := w.browser()
	path := "/interview/" + session + "/"
	b.get(t, "/interview").wants(t, "/interview/", 200, `name="token"`, "Paste the code")
	first := b.post(t, "/interview/", values("token", " https://match.example.com/interview/#"+token))
	first.wants(t, path, 200, "Acme &lt;Studio&gt; asks you", "Front-end developer", "45 min", "English",
		"A language model or a count of words", "30 days", `<input type="checkbox" id="consent"`)

	for name, want := range map[string]string{
		"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
	} {
		if got := first.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}

	if policy := first.header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") ||
		!strings.Contains(policy, "default-src 'none'") {
		t.Errorf("Content-Security-Policy is %q", policy)
	}

	c := b.cookies[0]
	if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != path ||
		c.Name != "__Secure-matching_interview" || strings.Contains(c.Value, token) {
		t.Errorf("cookie %+v", c)
	}

	b.get(t, path+"questions/1").wants(t, path, 200) // not started
	b.post(t, path+"start", nil).wants(t, path+"start", 422, "Tick the box to agree", `role="alert"`)
	b.post(t, path+"start", values("consent", "yes")).wants(t, path+"questions/1", 200, "Question 1 of 3",
		"What is &lt;b&gt;1&lt;/b&gt;?", `<label for="answer">`, "Time remaining", "0 of 3 questions answered")
	b.post(t, path+"questions/1", values("answer", "One\r\n<two>", "go", "next", "seconds", "30", "typed", "9")).
		wants(t, path+"questions/2", 200, "Question 2 of 3", "1 of 3 questions answered")
	b.post(t, path+"questions/2", values("answer", "", "go", "previous")).
		wants(t, path+"questions/1", 200, "One\n&lt;two&gt;</textarea>", `name="seconds" value="30"`)
	b.get(t, path).wants(t, path+"questions/2", 200)
	b.get(t, path+"questions/9").wants(t, path+"questions/2", 200)
	b.post(t, path+"questions/3", values("answer", "Three", "go", "review")).
		wants(t, path+"review", 200, "One\n&lt;two&gt;", "Not answered", "Change question 2")
	b.post(t, path+"submit", nil).wants(t, path+"submit", 422, "Tick the box to confirm")

	for range 2 {
		b.post(t, path+"submit", values("confirm", "yes")).wants(t, path, 200, "Thank you",
			`href="https://jobs.example/x?a=1&amp;b=2"`, "Continue to jobs.example")
	}

	if err := w.candidates.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.post(t, path+"questions/1", values("answer", "changed")).wants(t, path, 200, "Thank you")
	b.get(t, path+"review").wants(t, path, 200, "Thank you")

	got, err := w.service.Read(t.Context(), account, session, interview.Requester{})
	if err != nil || got.State != interview.Evaluated || got.Answers[0].Text != "One\n<two>" {
		t.Fatalf("%+v, %v", got, err)
	}
	want := interview.AnswerFacts{Seconds: matching.Some(30), TypedCharacters: matching.Some(9)}
	if got.Answers[0].Facts != want || got.Answers[1].Facts != (interview.AnswerFacts{}) {
		t.Errorf("facts %+v", got.Answers)
	}

	if strings.Contains(w.log.String(), token) || strings.Contains(w.log.String(), c.Value) {
		t.Errorf("a secret is in the log: %s", w.log)
	}
}

// The script of a page saves without leaving it. Control characters are left out.
func TestPages_Autosave(t *testing.T) {
	w := newWorld(t, "http://localhost:8080")
	b, session, path := w.started(t, interview.Questions)
	b.header.Set("Accept", "application/json")
	b.post(t, path+"questions/2", values("answer", "dr\x01a\u0085ft")).
		wants(t, path+"questions/2", 200, `{"remaining":2700}`)
	b.post(t, path+"questions/2", values("answer", strings.Repeat("x", interview.MaxAnswer+1))).
		wants(t, path+"questions/2", 413, `{"fault":"toolong"}`)
	w.pass(46 * time.Minute)
	b.post(t, path+"questions/2", values("answer", "late")).wants(t, path+"questions/2", 409, `{"next":"`+path+`"}`)
	got, err := w.service.Read(t.Context(), account, session, interview.Requester{})
	if err != nil || len(got.Answers) != 3 || got.Answers[1].Text != "draft" {
		t.Errorf("%+v, %v", got.Answers, err)
	}
}

func TestPages_TooLong(t *testing.T) {
	w := newWorld(t, "http://localhost:8080")
	b, _, path := w.started(t, interview.Questions)
	long := strings.Repeat("é", interview.MaxAnswer+1)
	b.post(t, path+"questions/1", values("answer", long, "go", "next")).
		wants(t, path+"questions/1", 422, "This answer is too long", long+"</textarea>", `aria-invalid="true"`)
	b.post(t, path+"questions/1", values("answer", strings.Repeat("é", 30_000))).
		wants(t, path+"questions/1", 413, "This answer is too long")
	b.post(t, path+"submit", values("confirm", "yes")).wants(t, path+"submit", 422, "Answer at least one question")
}

func TestPages_Adaptive(t *testing.T) {
	w := newWorld(t, "http://localhost:8080")
	b, session, path := w.started(t, interview.Adaptive)
	b.get(t, path+"questions/1").wants(t, path+"questions/1", 200, "you can&#39;t change this answer")
	b.get(t, path+"review").wants(t, path+"questions/1", 200)
	b.post(t, path+"questions/1", values("answer", "first", "go", "next")).
		wants(t, path+"questions/2", 200, "Question 2 of 3")
	b.get(t, path+"questions/1").wants(t, path+"questions/2", 200)
	b.post(t, path+"questions/1", values("answer", "changed", "go", "next")).wants(t, path+"questions/2", 200)
	b.post(t, path+"questions/2", values("answer", "second", "go", "next")).wants(t, path+"questions/3", 200)
	review := b.post(t, path+"questions/3", values("answer", "third", "go", "review"))
	review.wants(t, path+"review", 200, "first", "second", "third", "Change question 3")

	if strings.Contains(review.body, "Change question 1") {
		t.Error("the review page offers to change an answer that is final")
	}
	b.post(t, path+"submit", values("confirm", "yes")).wants(t, path, 200, "Thank you")
	got, err := w.service.Read(t.Context(), account, session, interview.Requester{})
	if err != nil || len(got.Answers) != 3 || got.Answers[0].Text != "first" {
		t.Errorf("%+v, %v", got.Answers, err)
	}
}

func TestPages_Refusals(t *testing.T) {
	w := newWorld(t, "http://localhost:8080")
	german := func(r *interview.InvitationRequest) { r.Language = "de" }
	t.Run("unknown", func(t *testing.T) {
		b := w.browser()
		b.header.Set("Accept-Language", "fr-CH, en;q=0.5")
		b.post(t, "/interview/", values("token", "nonsense")).
			wants(t, "/interview/", 404, `<html lang="fr">`, "Ce lien ne fonctionne pas")
		b.get(t, "/interview/"+strings.Repeat("0", 32)+"/").wants(t, "/interview/"+strings.Repeat("0", 32)+"/", 404)
	})

	t.Run("opened by a mail scanner first", func(t *testing.T) {
		session, token := w.invite(t, interview.Questions)
		path := "/interview/" + session + "/"
		scanner := w.browser()
		scanner.post(t, "/interview/", values("token", token)).wants(t, path, 200, "Acme")
		person := w.browser()
		person.post(t, "/interview/", values("token", token)).wants(t, path, 200, "Acme")

		// The control: without the person, the scanner's browser could go on.
		scanner.get(t, path).wants(t, path, 200, "Acme")

		// A double click sends the form twice.
		for range 2 {
			person.post(t, path+"start", values("consent", "yes")).wants(t, path+"questions/1", 200)
		}
		scanner.post(t, path+"start", values("consent", "yes")).wants(t, path+"start", 403, "This link was already used")
		scanner.post(t, path+"questions/1", values("answer", "x")).wants(t, path+"questions/1", 403)
		person.get(t, path+"questions/1").wants(t, path+"questions/1", 200)
	})

	t.Run("used in another browser, and again in the same", func(t *testing.T) {
		session, token := w.invite(t, interview.Questions, german)
		path := "/interview/" + session + "/"
		b := w.browser()
		b.post(t, "/interview/", values("token", token)).wants(t, path, 200, `<html lang="de">`, "Ihr Interview")
		b.post(t, path+"start", values("consent", "yes")).wants(t, path+"questions/1", 200)
		b.post(t, "/interview/", values("token", token)).wants(t, path+"questions/1", 200)
		w.browser().post(t, "/interview/", values("token", token)).
			wants(t, path, 403, `<html lang="de">`, "Dieser Link wurde bereits benutzt", "bitten Sie um eine neue Einladung")
	})

	t.Run("revoked", func(t *testing.T) {
		b, session, path := w.started(t, interview.Questions, german)
		if err := w.service.Revoke(t.Context(), account, session, interview.Requester{}); err != nil {
			t.Fatal(err)
		}
		b.post(t, path+"questions/1", values("answer", "x")).
			wants(t, path+"questions/1", 410, "Diese Einladung wurde zurückgezogen")
	})

	t.Run("closed", func(t *testing.T) {
		b, session, path := w.started(t, interview.Questions)
		_, err := w.service.Conduct(t.Context(), interview.Request{
			Account: account, FreelancerID: "f1", SessionID: session, Mode: interview.Full,
			ProvidedAnswers: []string{"a", "b", "c"},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}

		b.get(t, path).wants(t, path, 409, "This interview is closed")
	})

	t.Run("deleted", func(t *testing.T) {
		b, session, path := w.started(t, interview.Questions)
		if err := w.service.Delete(t.Context(), account, session, interview.Requester{}); err != nil {
			t.Fatal(err)
		}
		b.get(t, path).wants(t, path, 404, "This link doesn&#39;t work")
	})

	t.Run("suspended account", func(t *testing.T) {
		b, _, path := w.started(t, interview.Questions)
		w.owner.Suspended = true
		defer func() { w.owner.Suspended = false }()
		b.post(t, path+"submit", values("confirm", "yes")).wants(t, path+"submit", 403, "This interview is paused")
	})

	t.Run("time over", func(t *testing.T) {
		b, _, path := w.started(t, interview.Questions)
		w.pass(time.Hour)
		b.get(t, path).wants(t, path, 410, "The time is over")
	})

	t.Run("expired", func(t *testing.T) {
		_, token := w.invite(t, interview.Questions, func(r *interview.InvitationRequest) { r.ExpiresIn = matching.Some(1) })
		w.pass(time.Hour)
		w.browser().post(t, "/interview/", values("token", token)).
			wants(t, "/interview/", 410, "This invitation has expired", "ask for a new invitation")
	})

	t.Run("no such page", func(t *testing.T) {
		w.browser().get(t, "/interview/a/b/c/d").wants(t, "/interview/a/b/c/d", 404, "Page not found")
	})
}

func TestPages_OpeningIsLimited(t *testing.T) {
	w := newWorld(t, "http://localhost:8080")
	_, token := w.invite(t, interview.Questions)
	b := w.browser()
	for range 10 {
		b.post(t, "/interview/", values("token", "wrong")).wants(t, "/interview/", 404)
	}
	p := b.post(t, "/interview/", values("token", token))
	p.wants(t, "/interview/", 429, "Too many attempts")
	if p.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestPages_RejectedForms(t *testing.T) {
	w := newWorld(t, "http://match.example.com")
	b, _, path := w.started(t, interview.Questions)
	tests := []struct {
		name   string
		header http.Header
		body   string
		status int
		text   string
	}{
		{"other site", http.Header{"Sec-Fetch-Site": {"cross-site"}}, "answer=x", 403, "Form rejected"},
		{"other origin", http.Header{"Origin": {"http://evil.example"}}, "answer=x", 403, "Form rejected"},
		{"multipart", http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}, "x", 400, "Form not readable"},
		{"not UTF-8", nil, "answer=%ff", 400, "Form not readable"},
		{"NUL", nil, "answer=%00", 400, "Form not readable"},
		{"encoding", nil, "answer=%zz", 400, "Form not readable"},
		{"public origin", http.Header{"Origin": {"http://match.example.com"}}, "answer=x&go=save", 303, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path+"questions/1", strings.NewReader(test.body))
			r.Host = "localhost"
			r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
			for name, v := range test.header {
				r.Header[name] = v
			}

			r.AddCookie(b.cookies[0])
			rec := httptest.NewRecorder()
			w.handler.ServeHTTP(rec, r)

			if rec.Code != test.status || !strings.Contains(rec.Body.String(), test.text) {
				t.Errorf("status %d, want %d with %q:\n%s", rec.Code, test.status, test.text, rec.Body)
			}
		})
	}
}

// Every page exists in every language.
func TestPages_Languages(t *testing.T) {
	for _, language := range interview.PageLanguages() {
		t.Run(language, func(t *testing.T) {
			w := newWorld(t, "http://localhost:8080")
			lang := `<html lang="` + language + `">`
			b, _, path := w.started(t, interview.Questions, func(r *interview.InvitationRequest) {
				r.Language = language
				r.ConsentText = ""
			})
			b.header.Set("Accept-Language", language)
			b.get(t, "/interview/").wants(t, "/interview/", 200, lang)
			b.get(t, path+"questions/1").wants(t, path+"questions/1", 200, lang)
			b.post(t, path+"questions/1", url.Values{"answer": {"x"}, "go": {"review"}}).wants(t, path+"review", 200, lang)
			b.post(t, path+"submit", values("confirm", "yes")).wants(t, path, 200, lang)
		})
	}
}

// A client's own consent text is plain text.
func TestPages_ConsentText(t *testing.T) {
	w := newWorld(t, "http://localhost:8080")
	session, token := w.invite(t, interview.Questions, func(r *interview.InvitationRequest) {
		r.ConsentText = "Our <script>terms</script>\nSecond line"
	})
	w.owner.Name = ""
	p := w.browser().post(t, "/interview/", values("token", token))
	p.wants(t, "/interview/"+session+"/", 200, "Our &lt;script&gt;terms&lt;/script&gt;\nSecond line",
		"The organization that invited you asks")
	if strings.Contains(p.body, "A language model or a count") {
		t.Error("the default text is shown, too")
	}
}
