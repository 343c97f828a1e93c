package dashboard_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/uploads"
)

// fakeUploads has one upload, and keeps what pages ask for.
type fakeUploads struct {
	upload  uploads.Upload // without an ID: none
	created uploads.New
	content string
	calls   []string
	err     error
}

func (f *fakeUploads) Create(_ context.Context, n uploads.New, body io.Reader) (uploads.Upload, error) {
	if f.err != nil {
		return uploads.Upload{}, f.err
	}
	content, err := io.ReadAll(body)
	f.created = n
	f.content = string(content)
	f.upload = uploads.Upload{ID: "load_1", File: n.File, Account: n.Account, State: uploads.Reading}
	return f.upload, err
}

func (f *fakeUploads) Get(_, id string) (uploads.Upload, error) {
	if id != f.upload.ID {
		return uploads.Upload{}, &matching.Error{Code: uploads.CodeNotFound, Message: "There is no such load."}
	}
	return f.upload, nil
}

func (f *fakeUploads) List(string, string, int) (list []uploads.Upload, more bool) {
	if f.upload.ID != "" {
		list = append(list, f.upload)
	}
	return list, false
}

func (f *fakeUploads) Limit() int64 { return 5_000_000 }

func (f *fakeUploads) Choose(_, id string, change func(*uploads.Options) error) (uploads.Upload, error) {
	f.calls = append(f.calls, "choose "+id)
	err := change(&f.upload.Options)
	return f.upload, err
}

func (f *fakeUploads) Publish(_ context.Context, by audit.By, _, id string, shrink bool) (uploads.Upload, error) {
	f.calls = append(f.calls, "publish "+id)
	if shrink {
		f.calls = append(f.calls, "shrink")
	}
	return f.upload, f.err
}

func (f *fakeUploads) Rollback(_ context.Context, _ audit.By, _, id string) (uploads.Upload, error) {
	f.calls = append(f.calls, "roll back "+id)
	return f.upload, f.err
}

func (f *fakeUploads) Cancel(_ context.Context, _ audit.By, _, id string) error {
	f.calls = append(f.calls, "cancel "+id)
	return f.err
}

// hostileCell is what a cell of a file may have.
const hostileCell = `<script>alert("x")</script>`

// readyUpload returns an upload that was read, whose texts are hostile.
func readyUpload() uploads.Upload {
	return uploads.Upload{
		ID: "load_1", Account: "acc", File: hostileCell + ".csv", State: uploads.Ready, Publishable: true,
		Created: time.Date(2030, 5, 20, 11, 0, 0, 0, time.UTC), Expires: time.Date(2030, 5, 21, 11, 0, 0, 0, time.UTC),
		Options: uploads.Options{Mode: "load", Columns: []uploads.Choice{{Column: "Price", Number: 2, Field: "hourly_rate"}}},
		Preview: &uploads.Preview{
			Format: "csv", Currency: "USD", Notes: []string{hostileCell},
			Columns: []uploads.Column{
				{Header: hostileCell, Number: 1, Field: "name", Examples: []string{hostileCell, "=1+1"}},
				{Header: "Price", Number: 2, Field: "hourly_rate", Doubt: "the header is not known", Examples: []string{"40"}},
				{Header: "Notes", Number: 3},
			},
			Rows:    uploads.Rows{Read: 10, Freelancers: 9, Rejected: 1},
			Changes: uploads.Changes{New: 3, Changed: 2, Unchanged: 4, Gone: 1, GoneIDs: []string{hostileCell}},
			Before:  &uploads.Figures{Freelancers: 7, Known: map[string]int{"skills": 7}},
			After:   &uploads.Figures{Freelancers: 9, Known: map[string]int{"skills": 6}},
			Losses:  []string{"skills known for 67% of the freelancers instead of 100%"},
			Warnings: []uploads.Reason{
				{Column: hostileCell, Reason: "not a number", Count: 1, Examples: []uploads.Example{{Line: 3, Value: hostileCell}}},
			},
			Rejected: []uploads.Row{
				{Line: 12, Faults: []uploads.Fault{{Column: hostileCell, Value: hostileCell, Reason: hostileCell}}},
			},
		},
	}
}

// The page shows what a load would change. Nothing of the file can become a part of the page.
func TestUpload_ShowsPreview(t *testing.T) {
	w := newWorld(t)
	w.uploads.upload = readyUpload()
	answer := w.as(w.admin).get("/dashboard/data/uploads/load_1")
	answer.expect(t, http.StatusOK, "Ready to publish", "7 freelancers before, 9 after", "Skills 100% ▼ less: 67%",
		"line 3", "Line 12", "In doubt", "Much of the live data would be lost", "10 rows read, 1 rejected")
	if strings.Contains(answer.body, hostileCell) {
		t.Error("a text of the file is markup on the page")
	}
	if !strings.Contains(answer.body, "&lt;script&gt;") {
		t.Error("the texts of the file are not on the page, so the test proves nothing")
	}
}

// Only administrators see files and change them.
func TestUpload_IsForAdministrators(t *testing.T) {
	w := newWorld(t)
	w.uploads.upload = readyUpload()
	b := w.as(w.owner)
	b.get("/dashboard/data/uploads/load_1").expect(t, http.StatusForbidden)
	for _, action := range []string{"mapping", "publish", "rollback", "cancel"} {
		b.post("/dashboard/data/uploads/load_1/"+action).expect(t, http.StatusForbidden)
	}
	if len(w.uploads.calls) > 0 {
		t.Errorf("an owner did %v", w.uploads.calls)
	}
	if text := b.get("/dashboard/data").text(); strings.Contains(text, "Upload a file") {
		t.Error("an owner sees the form")
	}
	w.as(w.admin).get("/dashboard/data/uploads/load_2").expect(t, http.StatusNotFound)
}

// The forms do what they say.
func TestUpload_Actions(t *testing.T) {
	w := newWorld(t)
	w.uploads.upload = readyUpload()
	b := w.as(w.admin)
	path := "/dashboard/data/uploads/load_1"
	b.post(path+"/publish", "allow_shrink", "yes").expect(t, http.StatusSeeOther)
	b.post(path+"/rollback").expect(t, http.StatusSeeOther)
	b.post(path+"/cancel").expect(t, http.StatusSeeOther)
	if got := strings.Join(w.uploads.calls, ", "); got != "publish load_1, shrink, roll back load_1, cancel load_1" {
		t.Errorf("calls %s", got)
	}

	w.uploads.err = &matching.Error{Code: uploads.CodeShrink, Message: "Publishing would lose much."}
	b.post(path+"/publish").expect(t, http.StatusUnprocessableEntity, "Publishing would lose much.", "Ready to publish")
}

// Columns that a person changes become choices; earlier choices of other columns stay.
func TestUpload_Mapping(t *testing.T) {
	w := newWorld(t)
	w.uploads.upload = readyUpload()
	b := w.as(w.admin)
	path := "/dashboard/data/uploads/load_1/mapping"
	b.post(path, "column-1", "", "column-2", "hourly_rate", "column-3", "description", "mode", "upsert",
		"currency", "eur", "skip_lines", "2").expect(t, http.StatusSeeOther)
	o := w.uploads.upload.Options
	want := []uploads.Choice{
		{Column: hostileCell, Number: 1},
		{Column: "Price", Number: 2, Field: "hourly_rate"},
		{Column: "Notes", Number: 3, Field: "description"},
	}
	if len(o.Columns) != 3 || o.Columns[0] != want[0] || o.Columns[1] != want[1] || o.Columns[2] != want[2] {
		t.Errorf("choices %+v, want %+v", o.Columns, want)
	}
	if o.Mode != "upsert" || o.Currency != "EUR" || o.SkipLines != 2 {
		t.Errorf("options %+v", o)
	}
	b.post(path, "currency", "euros", "skip_lines", "many").expect(t, http.StatusUnprocessableEntity,
		"Currency", "Lines before the header")
}

// A file is streamed to the service with the options before it.
func TestUpload_Create(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.admin)
	b.get("/dashboard/data").expect(t, http.StatusOK, "Upload a file", "up to 5.0 MB")
	send := func(fields ...string) answer {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for i := 0; i < len(fields); i += 2 {
			if fields[i] == "file" {
				part, err := form.CreateFormFile("file", "team.csv")
				w.must(err)
				_, err = io.WriteString(part, fields[i+1])
				w.must(err)
				continue
			}
			w.must(form.WriteField(fields[i], fields[i+1]))
		}
		w.must(form.Close())
		return b.send(http.MethodPost, "/dashboard/data/uploads", &body, http.Header{
			"Content-Type": {form.FormDataContentType()},
		})
	}

	if a := send("mode", "upsert", "file", "id\n1\n"); a.location != "/dashboard/data/uploads/load_1" {
		t.Errorf("status %d, location %q", a.status, a.location)
	}
	if n := w.uploads.created; n.File != "team.csv" || n.Options.Mode != "upsert" || n.By.Actor != w.admin.ID ||
		n.Account != w.admin.Account || w.uploads.content != "id\n1\n" {
		t.Errorf("created %+v with %q", n, w.uploads.content)
	}
	b.get("/dashboard/data").expect(t, http.StatusOK, "team.csv", "Reading", "Publish or cancel the file above")

	send("file", "id\n", "mode", "upsert").expect(t, http.StatusBadRequest)
	send("mode", "patch", "file", "id\n").expect(t, http.StatusUnprocessableEntity)
	send("mode", "load").expect(t, http.StatusBadRequest)
	w.uploads.err = uploads.ErrTooLarge
	send("file", "id\n").expect(t, http.StatusUnprocessableEntity, "larger than this server allows")
	b.send(http.MethodPost, "/dashboard/data/uploads", strings.NewReader(url.Values{"mode": {"load"}}.Encode()),
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}).expect(t, http.StatusUnsupportedMediaType)
}

// Work in progress shows how far it is.
func TestUpload_ShowsProgress(t *testing.T) {
	w := newWorld(t)
	w.uploads.upload = uploads.Upload{
		ID: "load_1", File: "team.csv", State: uploads.Reading,
		Progress: uploads.Progress{Stage: "loading", Rows: 1200, Bytes: 40, Size: 80},
	}
	b := w.as(w.admin)
	a := b.get("/dashboard/data/uploads/load_1")
	a.expect(t, http.StatusOK, "Reading the file", "1,200 rows", "Check again", "Cancel this load")
	if !strings.Contains(a.body, `value="50"`) {
		t.Error("the bar is not half full")
	}

	w.uploads.upload.State = uploads.Refused
	w.uploads.upload.Failure = &uploads.Failure{Code: "x", Message: "No known column."}
	b.get("/dashboard/data/uploads/load_1").expect(t, http.StatusOK, "Refused", "No known column.", "How to read the file")
	w.uploads.upload.State = uploads.Live
	w.uploads.upload.Index = healthy().DataSource.Index
	w.uploads.upload.Previous, w.previous = "old", "old"
	b.get("/dashboard/data/uploads/load_1").expect(t, http.StatusOK, "This load is live", "Roll back")

	// Nothing is left to return to, or something else is live.
	for _, change := range []func(){func() { w.previous = "" }, func() { w.uploads.upload.Index = "other" }} {
		change()
		text := b.get("/dashboard/data/uploads/load_1").expect(t, http.StatusOK, "can't be rolled back any more").text()
		if strings.Contains(text, "Roll back") {
			t.Error("the page offers a rollback that can't be made")
		}
	}
}
