package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
)

// The public Python client of the previous service, version 1.0.4, works after its URL and key are changed. This test
// sends its headers (it sends the media type even with GET) and checks the fields that it reads.
func TestOlderClient(t *testing.T) {
	header := http.Header{
		"Accept":          {"application/json"},
		"Accept-Encoding": {"gzip, deflate"},
		"Content-Type":    {"application/json"},
		"User-Agent":      {"sjm-python-client/1.0.4"},
		"Connection":      {"keep-alive"},
	}

	tests := []struct {
		call
		check func(t *testing.T, body map[string]any)
	}{
		{
			call{name: "health()", method: http.MethodGet, path: healthPath, status: 200},
			func(t *testing.T, body map[string]any) {
				t.Helper()
				if body["status"] != "healthy" {
					t.Errorf("status %v", body["status"])
				}

				for name, part := range body["components"].(map[string]any) {
					if part.(map[string]any)["status"] == "" {
						t.Errorf("%s has no status", name)
					}
				}
			},
		},
		{
			call{
				name: "match() with defaults", path: matchPath, status: 200,
				body: `{"description": "An online shop", "required_skills": ["React", "Node.js"], "budget_range": [5000, 10000], ` +
					`"complexity": "medium", "timeline": 30}`,
			},
			func(t *testing.T, body map[string]any) {
				t.Helper()
				first := body["matches"].([]any)[0].(map[string]any)
				if score := first["score"].(float64); score < 0 || score > 1 {
					t.Errorf("the client prints %v%%", score*100)
				}

				person := first["freelancer"].(map[string]any)
				if n := first["matching_skills"].(float64); int(n) > len(person["skills"].([]any)) {
					t.Errorf("matching_skills is %v, more than all skills", n)
				}

				for _, name := range []string{"id", "name", "job_title"} {
					if _, ok := person[name].(string); !ok {
						t.Errorf("%s is %v", name, person[name])
					}
				}

				for _, name := range []string{"experience", "rating", "hourly_rate", "total_sales"} {
					if _, ok := person[name].(float64); !ok {
						t.Errorf("%s is %v", name, person[name])
					}
				}
			},
		},
		{
			call{name: "verify_skill()", path: verifyPath, status: 200, body: `{"keyword": "C++"}`},
			func(t *testing.T, body map[string]any) {
				t.Helper()
				data := body["data"].(map[string]any)
				if data["exists"] != true || data["type"] != "skill" {
					t.Errorf("exists is %v, type %v", data["exists"], data["type"])
				}

				for _, name := range []string{"matches", "skills", "job_titles", "similar_terms"} {
					if _, ok := data[name].([]any); !ok {
						t.Errorf("%s is %v", name, data[name])
					}
				}
			},
		},
		{
			call{name: "generate_test_data()", method: http.MethodGet, path: dataPath + "?num_freelancers=100", status: 200},
			func(t *testing.T, body map[string]any) {
				t.Helper()
				records := body["data"].([]any)
				if len(records) != 100 || records[0].(map[string]any)["name"] == "" {
					t.Errorf("%d records, the first %v", len(records), records[0])
				}
			},
		},
		{
			call{
				name: "interview() with defaults", path: interviewPath, status: 200,
				body: `{"freelancer_id": "f1", "project_description": "An online shop", ` +
					`"required_skills": ["Go"], "job_title": "Developer", ` +
					`"mode": "ai_questions"}`,
				change: conducts(answers(begun())),
			},
			func(t *testing.T, body map[string]any) {
				t.Helper()
				data := body["data"].(map[string]any)
				if id, ok := data["session_id"].(string); !ok || len(id) != 32 {
					t.Errorf("session_id is %v", data["session_id"])
				}

				if _, ok := data["evaluation"]; ok {
					t.Error("evaluation is present without answers")
				}

				for _, q := range data["interview_data"].(map[string]any)["questions"].([]any) {
					q := q.(map[string]any)
					for _, name := range []string{"text", "expected_answer"} {
						if _, ok := q[name].(string); !ok {
							t.Errorf("%s is %v", name, q[name])
						}
					}

					for _, name := range []string{"technical", "experience", "communication"} {
						if _, ok := q["scoring_criteria"].(map[string]any)[name].(float64); !ok {
							t.Errorf("%s is %v", name, q["scoring_criteria"])
						}
					}

					if _, ok := q["follow_up"].([]any); !ok {
						t.Errorf("follow_up is %v", q["follow_up"])
					}
				}
			},
		},
		{
			call{
				name: "interview() with answers, questions and weights", path: interviewPath, status: 200,
				body: `{"freelancer_id": "f1", "project_description": "An online shop", ` +
					`"required_skills": ["Go"], "job_title": "Developer", ` +
					`"mode": "custom_full", "session_id": "` + testSession + `", "provided_answers": ["a", "b"], ` +
					`"custom_questions": [{"text": "c?", "expected_answer": "d", "scoring_criteria": {"technical_accuracy": 40, ` +
					`"experience_level": 30, "communication": 30}, "follow_up": []}, {"text": "e?"}], ` +
					`"scoring_criteria": {"technical_accuracy": 40, "experience_level": 30, "communication": 30}}`,
			},
			func(t *testing.T, body map[string]any) {
				t.Helper()
				data := body["data"].(map[string]any)
				answers := data["interview_data"].(map[string]any)["answers"].([]any)
				e := data["evaluation"].(map[string]any)
				for _, name := range []string{"scores", "feedback"} {
					if n := len(e[name].([]any)); n != len(answers) {
						t.Errorf("%d %s to %d answers", n, name, len(answers))
					}
				}

				if total := e["overall_score"].(float64); total < 0 || total > 100 {
					t.Errorf("overall_score is %v, want 0 to 100", total)
				}

				if _, ok := e["hiring_recommendation"].(bool); !ok {
					t.Errorf("hiring_recommendation is %v", e["hiring_recommendation"])
				}

				for _, name := range []string{
					"strengths", "areas_for_improvement", "ai_scores", "custom_scores", "ai_feedback",
					"custom_feedback",
				} {
					if _, ok := e[name].([]any); !ok {
						t.Errorf("%s is %v", name, e[name])
					}
				}
			},
		},
		{
			call{
				name: "match() with an invalid budget", path: matchPath, status: 422,
				code: matching.CodeInvalid,
				body: `{"description": "An online shop", "required_skills": [], "budget_range": [10, 5], ` +
					`"complexity": "medium", "timeline": 30}`,
			},
			func(t *testing.T, body map[string]any) {
				t.Helper()
				if detail, ok := body["detail"].(string); !ok || !strings.Contains(detail, "budget_range") {
					t.Errorf("detail is %v, want a message about budget_range", body["detail"])
				}
			},
		},
		{
			call{
				name: "invalid key", method: http.MethodGet, path: healthPath, status: 401, code: apikey.CodeInvalid,
				header: http.Header{"X-Api-Key": {"wrong"}},
			},
			func(*testing.T, map[string]any) {},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent := header.Clone()
			for name, values := range tt.header {
				sent[name] = values
			}
			tt.header = sent
			w, _ := tt.send(t)
			var body map[string]any // the client parses every response as JSON
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
				t.Fatal(err)
			}

			tt.check(t, body)
		})
	}
}
