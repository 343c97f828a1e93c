package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/wire"
)

const invitationPath = "/api/v1/interviews/" + testSession + "/invitation"

func TestInvitation(t *testing.T) {
	fake := &fakeInterviewer{}
	use := func(x *fixture) { x.Interviewer = fake }
	calls := []call{
		{
			name: "create", method: http.MethodPost, path: invitationPath, status: 200, change: use,
			body: `{"expires_in":24,"time_limit_minutes":45,"language":"de","consent_text":"Ja?",` +
				`"return_url":"https://a.example/x"}`,
			want: []string{
				`"url":"https://match.example.com/interview/#TOKEN"`, `"expires_at":"2031-05-24T09:30:00Z"`,
			},
		},
		{name: "defaults", method: http.MethodPost, path: invitationPath, status: 200, change: use, body: `{}`},
		{
			name: "all faults at once", method: http.MethodPost, path: invitationPath, status: 422, change: use,
			code: matching.CodeInvalid,
			body: `{"expires_at":"tomorrow","time_limit_minutes":0,"language":"it","return_url":"ftp://a"}`,
			want: []string{`"expires_at"`, `"time_limit_minutes"`, `"language"`, `"return_url"`},
		},
		{
			name: "no such session", method: http.MethodPost, path: "/api/v1/interviews/x/invitation", status: 404,
			change: use, code: interview.CodeSessionNotFound, body: `{}`,
		},
		{
			name: "revoke", method: http.MethodDelete, path: invitationPath, status: 200, change: use,
			want: []string{`"session_id":"` + testSession + `"`},
		},
		{
			name: "revoke without session", method: http.MethodDelete, path: "/api/v1/interviews/x/invitation", status: 404,
			change: use, code: interview.CodeSessionNotFound,
		},
	}
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			c.send(t)
			if c.name != "create" {
				return
			}

			want := interview.InvitationRequest{
				Account: "acc_1", Limits: fake.invited.Limits, By: fake.invited.By, SessionID: testSession,
				ExpiresIn: matching.Some(24), TimeLimit: matching.Some(45), Language: "de", ConsentText: "Ja?",
				ReturnURL: "https://a.example/x",
			}
			if diff := cmp.Diff(want, fake.invited); diff != "" || fake.invited.Limits.Bytes == 0 {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The result shows the invitation, and how answers were given.
func TestInterview_Invitation(t *testing.T) {
	r := evaluated()
	opened := time.Date(2031, 5, 17, 9, 40, 0, 0, time.UTC)
	r.Invitation = &interview.InvitationStatus{Expires: opened.Add(time.Hour), Opened: opened}
	r.Answers[0].By = interview.ByCandidate
	r.Answers[0].Facts = interview.AnswerFacts{Seconds: matching.Some(40), Pastes: matching.Some(0)}
	c := call{
		path: interviewPath, body: goodInterview, status: 200, change: conducts(answers(r)),
		want: []string{
			`"invitation":{"state":"opened","expires_at":"2031-05-17T10:40:00Z","opened_at":"2031-05-17T09:40:00Z",` +
				`"consented_at":null,"submitted_at":null}`,
			`{"question":"q1","seconds":40,"typed_characters":null,"pasted_characters":null,"pastes":0,"by":"candidate"}`,
			`{"question":"q2","seconds":null,"typed_characters":null,"pasted_characters":null,"pastes":null,"by":"api"}`,
		},
	}
	c.send(t)
}

// rubricTexts returns what the interviewed person must not see of an evaluated session.
func rubricTexts() []string {
	return []string{
		"A queue between threads", "scheduled by the run time", "a kind of function", "How do they end?", "expected",
		"points", "anchors", "criteria", "evaluation", "easy", "difficulty", "judgement", "remarks", "llm:words",
	}
}

func TestInterview_CandidateView(t *testing.T) {
	body := `{"freelancer_id":"f1","job_title":"Backend developer","view":"candidate"}`
	plain := call{path: interviewPath, body: body, status: 200, change: conducts(answers(evaluated()))}
	stream := streamed(conducts(tells(evaluated())))
	stream.body = body
	for name, c := range map[string]call{"response": plain, "stream": stream} {
		t.Run(name, func(t *testing.T) {
			w, _ := c.send(t)
			for _, secret := range rubricTexts() {
				if strings.Contains(w.Body.String(), secret) {
					t.Errorf("the candidate sees %q in %s", secret, w.Body)
				}
			}

			if !strings.Contains(w.Body.String(), "What is a <channel>?") {
				t.Errorf("no question in %s", w.Body)
			}
		})
	}

	w, _ := stream.send(t)
	events, _ := readEvents(t, w.Body.String())
	if got := names(events); got != "session question question result" {
		t.Errorf("events %s", got)
	}

	var last wire.CandidateAnswer
	err := json.Unmarshal([]byte(events[len(events)-1].data), &last)
	if err != nil || len(last.Data.InterviewData.Answers) != 2 {
		t.Errorf("%+v, %v", last, err)
	}

	unknown := call{
		path: interviewPath, body: `{"freelancer_id":"f1","view":"all"}`, status: 422, code: matching.CodeInvalid,
		want: []string{`"view"`},
	}

	unknown.send(t)
}
