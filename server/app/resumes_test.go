package app_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"os"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/resume"
)

// Two resumes of one person have the same ID, which doesn't tell whose it is: a hash of the address would.
func TestParse_IDOfAPerson(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	s := start(t, c)
	t.Cleanup(func() { _ = s.Close() })
	id := func(file string) string {
		t.Helper()
		content, err := os.ReadFile("../../tools/resumes/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}

		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreateFormFile("file", file)
		if err != nil {
			t.Fatal(err)
		}

		_, _ = part.Write(content) // to memory: can't fail
		_ = form.Close()
		var answer struct {
			Data struct{ Freelancer struct{ ID string } }
		}
		text := s.send(t, http.StatusOK, http.MethodPost, "/api/v1/parse", body.String(),
			"Content-Type", form.FormDataContentType())
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}

		return answer.Data.Freelancer.ID
	}

	first := id("en-1.plain.docx")
	second := id("en-1.columns.docx")
	if first == "" || first != second {
		t.Errorf("two resumes of one person have the IDs %q and %q, want the same", first, second)
	}

	if first == resume.EmailID("rorick.wexcombe@example.org") {
		t.Error("the ID is a hash of the address")
	}
}
