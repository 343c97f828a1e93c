package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/lastload"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/uploads"
)

const loadsPath = "/api/v1/loads"

// team returns a CSV file with people a0 to a(n-1) and what else its last column has.
func team(n int, extra ...string) string {
	lines := []string{"id,Full name,job_title,skills,hourly_rate"}
	for i := range n {
		lines = append(lines, fmt.Sprintf("a%d,Person %c,Go developer,\"Go, SQL\",%d", i, 'A'+i, 50+i))
	}
	return strings.Join(append(lines, extra...), "\n") + "\n"
}

// upload sends a file and returns the load once it was read.
func (s service) upload(t *testing.T, query, file string) wire.Load {
	t.Helper()
	sent := s.send(t, http.StatusAccepted, http.MethodPost, loadsPath+query, file, "Content-Type", "text/csv")
	return s.settled(t, decodeLoad(t, sent).ID)
}

// settled waits until no work on a load runs or waits, and returns it.
func (s service) settled(t *testing.T, id string) wire.Load {
	t.Helper()
	for {
		l := decodeLoad(t, s.send(t, http.StatusOK, http.MethodGet, loadsPath+"/"+id, ""))
		if l.State != uploads.Reading && l.State != uploads.Publishing {
			return l
		}
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func decodeLoad(t *testing.T, text string) wire.Load {
	t.Helper()
	var answer wire.Answer[wire.Load]
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return answer.Data
}

func (s service) publish(t *testing.T, id, query string) wire.Load {
	t.Helper()
	s.send(t, http.StatusAccepted, http.MethodPost, loadsPath+"/"+id+"/publish"+query, "")
	l := s.settled(t, id)
	if l.State != uploads.Live {
		t.Fatalf("load %+v, want it live", l)
	}
	return l
}

// finds reports whether a match finds a freelancer.
func (s service) findsID(t *testing.T, id string) bool {
	t.Helper()
	brief := fmt.Sprintf(`{"job_title":"Go developer","required_skills":["Go"],"filters":{"ids":[%q]}}`, id)
	return strings.Contains(s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", brief), fmt.Sprintf(`"id":%q`, id))
}

// A file goes live as its preview says, and a rollback takes it back. Nothing of the file stays.
func TestUploads_PublishAndRollBack(t *testing.T) {
	c := newData(t)
	s := startWriting(t, c)
	defer s.stop(t)

	l := s.upload(t, "?name=team.csv", team(4, `,,,,`, `bob,Bob Example,Go developer,Go,cheap`))
	p := l.Preview
	if l.State != uploads.Ready || !l.Publishable || p.Changes.New != 4 || p.Changes.Changed != 1 || p.Changes.Gone != 0 {
		t.Fatalf("state %s, changes %+v", l.State, p.Changes)
	}
	if p.After.Freelancers != 5 || p.Before.Freelancers != 1 || p.After.Known["hourly_rate"] != 4 {
		t.Errorf("before %+v, after %+v", p.Before, p.After)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Examples[0] != (uploads.Example{Line: 7, Value: "cheap"}) {
		t.Errorf("warnings %+v, want the rate in line 7", p.Warnings)
	}
	if s.findsID(t, "a0") {
		t.Error("a preview loaded the file")
	}

	live := s.publish(t, l.ID, "")
	if !s.findsID(t, "a0") || live.Index == "" || live.Previous != "freelancers-v1-1" {
		t.Errorf("load %+v is live, and a0 is found: %v", live, s.findsID(t, "a0"))
	}
	if _, err := os.Stat(filepath.Join(c.Data, "uploads", l.ID, "content")); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	history, err := lastload.ReadHistory(c.Data)
	if err != nil || len(history.Entries) != 1 || history.Entries[0].Files[0].Name != "team.csv" {
		t.Errorf("history %+v, %v", history, err)
	}

	s.send(t, http.StatusOK, http.MethodPost, loadsPath+"/"+l.ID+"/rollback", "")
	if s.findsID(t, "a0") {
		t.Error("a0 is found after the rollback")
	}
	refused := s.send(t, http.StatusConflict, http.MethodPost, loadsPath+"/"+l.ID+"/rollback", "")
	wantCode(t, refused, uploads.CodeState)
	s.wantEvents(t, audit.LoadUploaded, audit.LoadPublished, audit.LoadRolledBack)
}

func wantCode(t *testing.T, body string, code any) {
	t.Helper()
	if !strings.Contains(body, fmt.Sprintf(`"code":"%v"`, code)) {
		t.Errorf("%s, want the code %v", body, code)
	}
}

// wantEvents checks how often the audit log has each action: once.
func (s service) wantEvents(t *testing.T, actions ...audit.Action) {
	t.Helper()
	for _, action := range actions {
		events, err := s.AuditLog.Events(t.Context(), audit.Query{Action: action, Limit: 10})
		if err != nil || len(events) != 1 {
			t.Errorf("the audit log has %d entries of %s (%v), want 1", len(events), action, err)
		}
	}
}

// An upsert keeps everyone else and can be rolled back, too.
func TestUploads_Upsert(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	l := s.upload(t, "?mode=upsert", team(2))
	if c := l.Preview.Changes; c.New != 2 || c.Unchanged != 1 || c.Gone != 0 || l.Mode != "upsert" {
		t.Errorf("load %+v, changes %+v", l, c)
	}
	s.publish(t, l.ID, "")
	if !s.findsID(t, "a0") || !s.findsID(t, "bob") {
		t.Error("an upsert lost somebody")
	}
	s.send(t, http.StatusOK, http.MethodPost, loadsPath+"/"+l.ID+"/rollback", "")
	if s.findsID(t, "a0") || !s.findsID(t, "bob") {
		t.Error("the rollback of an upsert did not take it back")
	}
}

// A column that the reader doesn't know is used as the client chooses, and the file is read again.
func TestUploads_Mapping(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	l := s.upload(t, "", "id,Full name,job_title,skills,zzz\nbob,Bob Example,Go developer,Go,42\n")
	if c := l.Preview.Columns[4]; c.Header != "zzz" || c.Field != "" || c.Examples[0] != "42" {
		t.Fatalf("column %+v, want one that isn't used", c)
	}

	path := loadsPath + "/" + l.ID + "/mapping"
	s.send(t, http.StatusAccepted, http.MethodPut, path, `{"columns":[{"column":"zzz","field":"hourly_rate"}]}`)
	l = s.settled(t, l.ID)
	c := l.Preview.Columns[4]
	if c.Field != "hourly_rate" || l.Preview.After.Known["hourly_rate"] != 1 || l.State != uploads.Ready {
		t.Errorf("column %+v, known %v", c, l.Preview.After.Known)
	}

	s.send(t, http.StatusAccepted, http.MethodPut, path, `{"columns":[{"column":"Full name","field":""}]}`)
	l = s.settled(t, l.ID)
	if c := l.Preview.Columns[1]; c.Field != "" || l.Preview.After.Known["name"] != 0 {
		t.Errorf("column %+v, known %v", c, l.Preview.After.Known)
	}

	s.send(t, http.StatusAccepted, http.MethodPut, path, `{"columns":[{"column":"zzz","field":"nonsense"}]}`)
	if l = s.settled(t, l.ID); l.State != uploads.Refused || !strings.Contains(l.Error.Message, `no field "nonsense"`) {
		t.Errorf("load %+v, want it refused", l)
	}
	wantCode(t, s.send(t, http.StatusUnprocessableEntity, http.MethodPut, path, `{"mode":"patch"}`), "validation_failed")
}

// Clients of the server have no flags of the indexer, so a warning names a setting of the server instead.
func TestUploads_AdviseTheOperator(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	l := s.upload(t, "?mode=upsert", team(2, "carl,Carl Example,Go developer,Go,£40"))
	warnings := l.Preview.Warnings
	if len(warnings) != 1 || !strings.HasSuffix(warnings[0].Reason, "can set one with -exchange-rates") {
		t.Errorf("warnings %+v, want the setting of the server", warnings)
	}
}

// A load that would lose much of the live data needs permission.
func TestUploads_Shrink(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	s.publish(t, s.upload(t, "", team(10)).ID, "")
	l := s.upload(t, "", team(5))
	if len(l.Preview.Losses) == 0 || l.Preview.Changes.Gone != 5 {
		t.Fatalf("preview %+v, want a loss", l.Preview)
	}
	path := loadsPath + "/" + l.ID + "/publish"
	wantCode(t, s.send(t, http.StatusConflict, http.MethodPost, path, ""), uploads.CodeShrink)
	s.publish(t, l.ID, "?allow_shrink=true")
	if s.findsID(t, "a9") {
		t.Error("a9 is still found")
	}
}

// What is no list of freelancers is refused with a reason, whatever it is. Nothing of it goes live.
func TestUploads_HostileFiles(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	for name, file := range map[string]string{
		"binary":          "\x00\x01\x02\xff\xfe" + strings.Repeat("\x00", 2000),
		"a database":      "SQLite format 3\x00" + strings.Repeat("\x00", 4000),
		"a word":          "hello",
		"broken zip":      "PK\x03\x04" + strings.Repeat("x", 100),
		"broken JSON":     `[{"id":"a","name":`,
		"unknown columns": "qqq,www\n1,2\n3,4\n",
		"rows of nothing": "id,name,job_title\n" + strings.Repeat(",,\n", 50),
		"job postings": "job_id,title,company,salary_min,salary_max,posted_at,apply_url\n" +
			"1,Dev,Acme,1,2,2024-01-01,https://example.com\n",
		"a page of HTML": "<!doctype html><html><body><script>alert(1)</script></body></html>",
		"deeply nested":  strings.Repeat("[", 100_000),
	} {
		l := s.upload(t, "", file)
		if l.State != uploads.Refused || l.Error == nil || l.Publishable {
			t.Errorf("%s: state %s, error %+v", name, l.State, l.Error)
		}
		wantCode(t, s.send(t, http.StatusConflict, http.MethodPost, loadsPath+"/"+l.ID+"/publish", ""), uploads.CodeState)
		s.send(t, http.StatusOK, http.MethodDelete, loadsPath+"/"+l.ID, "")
	}
	if !s.findsID(t, "bob") {
		t.Error("the live data is gone")
	}
}

// Requests that don't fit get an answer that names the next step.
func TestUploads_Refusals(t *testing.T) {
	c := newData(t)
	c.UploadMaxMB = 1
	s := startWriting(t, c)
	defer s.stop(t)
	post := func(status int, query, file string, header ...string) string {
		t.Helper()
		return s.send(t, status, http.MethodPost, loadsPath+query, file, header...)
	}

	wantCode(t, post(422, "?mode=patch", "x"), "validation_failed")
	for _, currency := range []string{"dollars", "QQQ", "xxx", "XTS", "%E2%82%AC", ""} {
		got := post(422, "?currency="+currency, "x")
		wantCode(t, got, "validation_failed")
		if !strings.Contains(got, "must be a code of ISO 4217, such as EUR") {
			t.Errorf("currency %q: %s", currency, got)
		}
	}
	wantCode(t, post(422, "", ""), "validation_failed")
	wantCode(t, post(413, "", strings.Repeat("x", 1_000_001)), "body_too_large")
	wantCode(t, post(413, "", strings.Repeat("x", 3_000_000)), "body_too_large")
	wantCode(t, post(400, "", "--b\r\n", "Content-Type", "multipart/form-data; boundary=b"), "malformed_multipart")
	if left, err := os.ReadDir(filepath.Join(c.Data, "uploads")); err != nil || len(left) > 0 {
		t.Errorf("refused files left %v, %v", left, err)
	}

	l := s.upload(t, "", team(3))
	wantCode(t, post(409, "", team(3)), uploads.CodePending)
	other := s.withNewKey(t)
	wantCode(t, other.send(t, 403, http.MethodGet, loadsPath, ""), apikey.CodePermission)
	other.allow(t)
	wantCode(t, other.send(t, 404, http.MethodGet, loadsPath+"/"+l.ID, ""), uploads.CodeNotFound)
	elsewhere := loadsPath + "/load_0123456789ab_k3vq7f5zt2mnab6c"
	wantCode(t, s.send(t, 409, http.MethodGet, elsewhere, ""), uploads.CodeElsewhere)

	list := s.send(t, 200, http.MethodGet, loadsPath, "")
	if !strings.Contains(list, l.ID) || strings.Contains(list, "Person") {
		t.Errorf("list %s", list)
	}
	s.send(t, 200, http.MethodDelete, loadsPath+"/"+l.ID, "")
	wantCode(t, s.send(t, 404, http.MethodGet, loadsPath+"/"+l.ID, ""), uploads.CodeNotFound)
}

// allow gives the key all permissions.
func (s service) allow(t *testing.T) {
	t.Helper()
	_, err := s.Keys.SetPermissions(t.Context(), audit.By{Actor: audit.CommandLine}, "", s.key, apikey.Permissions())
	if err != nil {
		t.Fatal(err)
	}
}

// A form has the options before the file.
func TestUploads_Form(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	form := func(parts ...string) (body, contentType string) {
		for i := 0; i < len(parts); i += 2 {
			body += "--b\r\nContent-Disposition: form-data; " + parts[i] + "\r\n\r\n" + parts[i+1] + "\r\n"
		}
		return body + "--b--\r\n", "multipart/form-data; boundary=b"
	}
	file := `name="file"; filename="C:\\people\\te` + "\u202e" + `am.csv"`
	body, media := form(`name="request"`, `{"mode":"upsert"}`, file, team(3))
	sent := s.send(t, 202, http.MethodPost, loadsPath, body, "Content-Type", media)
	l := s.settled(t, decodeLoad(t, sent).ID)
	if l.State != uploads.Ready || l.Mode != "upsert" || l.File != "team.csv" || l.Bytes != uint64(len(team(3))) {
		t.Errorf("load %+v", l)
	}
	s.send(t, 200, http.MethodDelete, loadsPath+"/"+l.ID, "")

	body, media = form(file, team(3), `name="request"`, `{"mode":"upsert"}`)
	wantCode(t, s.send(t, 400, http.MethodPost, loadsPath, body, "Content-Type", media), "malformed_multipart")
	body, media = form(`name="request"`, `{"mood":"upsert"}`, file, team(3))
	wantCode(t, s.send(t, 422, http.MethodPost, loadsPath, body, "Content-Type", media), "unknown_field")
	body, _ = form(file, team(3))
	cut := strings.TrimSuffix(body, "--b--\r\n")
	wantCode(t, s.send(t, 400, http.MethodPost, loadsPath, cut, "Content-Type", media), "malformed_multipart")
}

// A pending upload survives a restart, and so does what is known about one that is live.
func TestUploads_Restart(t *testing.T) {
	c := newData(t)
	s := startWriting(t, c)
	live := s.upload(t, "", team(3))
	s.publish(t, live.ID, "")
	pending := s.upload(t, "?name=pending.csv", team(4))
	token := s.token
	s.stop(t)
	if err := os.MkdirAll(filepath.Join(c.Data, "uploads", "load_half"), 0o700); err != nil {
		t.Fatal(err)
	}

	s = restart(t, c, token)
	defer s.stop(t)
	if l := s.settled(t, pending.ID); l.State != uploads.Ready || l.File != "pending.csv" || l.Preview.Changes.New != 1 {
		t.Errorf("load %+v after a restart", l)
	}
	if l := s.settled(t, live.ID); l.State != uploads.Live || len(l.Preview.Columns[0].Examples) > 0 {
		t.Errorf("load %+v after a restart", l)
	}
	if _, err := os.Stat(filepath.Join(c.Data, "uploads", "load_half")); !os.IsNotExist(err) {
		t.Errorf("half an upload is still there: %v", err)
	}
	s.publish(t, pending.ID, "")
}

// restart starts a server on the data of an earlier one, with its key.
func restart(t *testing.T, c config.Config, token string) service {
	t.Helper()
	s := start(t, c)
	s.token = token
	return s
}
