package app_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
)

// crmMapping is the mapping of records in the shape of another program.
const crmMapping = `
version: 1
files:
  - file: export.csv
    where: status != Rejected
    columns:
      - {column: person.nr, field: id}
      - {column: person.mail, field: email}
      - {column: Name, field: name}
      - {column: Job, field: job_title}
      - {column: Skills, field: skills}
      - {column: TJM, field: hourly_rate, per: day}
      - {column: Ort, field: location}
      - {column: weg, field: deleted}
`

// writeMapping writes a mapping file into the data folder.
func writeMapping(t *testing.T, c config.Config, name, content string) {
	t.Helper()
	folder := filepath.Join(c.Data, "mappings")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sendMapped sends lines that a mapping reads.
func (s service) sendMapped(t *testing.T, status int, query, lines string) string {
	t.Helper()
	return s.send(t, status, http.MethodPost, "/api/v1/freelancers/bulk?mapping="+query, lines,
		"Content-Type", "application/x-ndjson")
}

// A stream in the shape of another program is stored as a load with the mapping would store it, line by line.
func TestMapping(t *testing.T) {
	c := newData(t)
	writeMapping(t, c, "crm.yaml", crmMapping)
	s := startWriting(t, c)
	defer s.stop(t)

	const zoe = `{"person":{"nr":1},"Name":"Zoe","Skills":["Go"],"TJM":"480","Ort":"Porto, Portugal","weg":null}`
	lines := zoe + `
{"person":{"nr":2},"Name":"Yan","Skills":"Go; SQL","status":"Rejected"}
{"person":{"nr":3},"Skills":"Go, SQL","TJM":"many"}
{"Name":"Nobody"}
{"person":{"nr":"bob"},"weg":true}
` + zoe + `
[]
`
	got := strings.Split(strings.TrimSpace(s.sendMapped(t, http.StatusOK, "crm", lines)), "\n")
	for i, want := range [][]string{
		{`"line":1,"id":"1","outcome":"created"`, `"field":"TJM","code":"remark"`, `"field":"Job","code":"missing_column"`},
		{`"line":2,"id":null,"outcome":"skipped"`, `"code":"left_out"`},
		{`"line":3,"id":"3","outcome":"created"`, `"field":"Name","code":"missing_column"`, `got \"many\"`},
		{`"line":4,"id":null,"outcome":"failed"`, "no id, profile URL or e-mail address", `"field":"body"`},
		{`"line":5,"id":"bob","outcome":"deleted"`},
		{`"line":6,"id":"1","outcome":"unchanged"`},
		{`"line":7,"id":null,"outcome":"failed"`, "not a JSON object"},
		{`"lines":7,"changed":3,"unchanged":1,"failed":2,"skipped":1`},
	} {
		for _, text := range want {
			if i >= len(got) || !strings.Contains(got[i], text) {
				t.Errorf("result %d lacks %s: %s", i+1, text, got[min(i, len(got)-1)])
			}
		}
	}

	list := s.send(t, http.StatusOK, http.MethodGet, "/api/v1/freelancers", "")
	if !strings.Contains(list, `"hourly_rate":60,`) || !strings.Contains(list, `"country":"PT"`) {
		t.Errorf("stored %s", list)
	}

	// A patch keeps what its line doesn't have.
	s.sendMapped(t, http.StatusOK, "crm&patch=true", `{"person":{"nr":1},"TJM":400}`)
	list = s.send(t, http.StatusOK, http.MethodGet, "/api/v1/freelancers", "")
	if !strings.Contains(list, `"hourly_rate":50,`) || !strings.Contains(list, `"name":"Zoe"`) {
		t.Errorf("patched %s", list)
	}
}

// A mapping is found by its name alone: no name leads out of the folder, and an error lists those that there are.
func TestMapping_Names(t *testing.T) {
	c := newData(t)
	s := startEmpty(t, c)
	defer s.stop(t)
	got := s.sendMapped(t, http.StatusUnprocessableEntity, "crm", "{}")
	if !strings.Contains(got, "The server has none") {
		t.Errorf("without mappings: %s", got)
	}

	writeMapping(t, c, "crm.yaml", crmMapping)
	writeMapping(t, c, "ats.yaml", "version: 1\nfiles: []\n")
	writeMapping(t, c, "notes.txt", crmMapping)
	writeMapping(t, c, "not a name.yaml", crmMapping)
	if err := os.WriteFile(filepath.Join(c.Data, "outside.yaml"), []byte(crmMapping), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{
		"", "CRM2", "../outside", "..%2Foutside", "crm.yaml", "./crm", "notes.txt", "%00", "crm%00", "not%20a%20name",
		strings.Repeat("a", 5000), "C:outside", "crm%2F..%2Fcrm",
	} {
		got := s.sendMapped(t, http.StatusUnprocessableEntity, name, `{"person":{"nr":1},"Name":"Zoe"}`)
		isListed := strings.Contains(got, "The mappings are ats, crm.") && strings.Contains(got, `"field":"mapping"`)
		if !isListed || len(got) > 1000 {
			t.Errorf("%.100q: %s", name, got)
		}
	}
	s.wantNoIndex(t)

	if got := s.sendMapped(t, http.StatusUnprocessableEntity, "ats", "{}"); !strings.Contains(got, "there are no files") {
		t.Errorf("a damaged mapping: %s", got)
	}
	got = s.sendMapped(t, http.StatusUnprocessableEntity, "crm&lenient=true", "{}")
	if !strings.Contains(got, `"field":"lenient"`) {
		t.Errorf("with lenient: %s", got)
	}
	s.sendMapped(t, http.StatusUnprocessableEntity, "crm&mapping=ats", "{}")

	// The control: the same line is stored with the right name, and a change of the file needs no restart.
	s.sendMapped(t, http.StatusOK, "crm&currency=EUR", `{"person":{"nr":1},"Name":"Zoe"}`)
	s.wantOneIndex(t, "EUR")
	writeMapping(t, c, "crm.yaml", strings.Replace(crmMapping, "Name", "Wer", 1))
	got = s.sendMapped(t, http.StatusOK, "crm", `{"person":{"nr":2},"Wer":"Yan"}`)
	if !strings.Contains(got, `"created"`) {
		t.Errorf("with a changed mapping: %s", got)
	}
}

// Somebody who was erased doesn't return under the ID that a prefix or an address makes.
func TestMapping_Erased(t *testing.T) {
	c := newData(t)
	writeMapping(t, c, "crm.yaml", crmMapping)
	writeMapping(t, c, "prefixed.yaml", strings.Replace(crmMapping, "    where", "    id_prefix: crm-\n    where", 1))
	s := startWriting(t, c)
	defer s.stop(t)

	line := `{"person":{"nr":1,"mail":"zoe@example.com"},"Name":"Zoe","Job":"Cook"}`
	s.sendMapped(t, http.StatusOK, "crm", line)
	s.send(t, http.StatusOK, http.MethodDelete, "/api/v1/freelancers/1", "")
	got := s.sendMapped(t, http.StatusOK, "prefixed", line)
	if !strings.Contains(got, "freelancer_erased") {
		t.Errorf("with a prefix: %s", got)
	}
	got = s.sendMapped(t, http.StatusOK, "prefixed&readmit=true", line)
	if !strings.Contains(got, `"id":"crm-1","outcome":"created"`) {
		t.Errorf("readmitted: %s", got)
	}

	// The same person is admitted now, and a stranger was never refused.
	for i, line := range []string{line, `{"person":{"nr":9},"Name":"Yan","Job":"Cook"}`} {
		if got := s.sendMapped(t, http.StatusOK, "prefixed", line); strings.Contains(got, "freelancer_erased") {
			t.Errorf("line %s: %s", fmt.Sprint(i), got)
		}
	}
}
