package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/server/app"
)

// tamper runs a statement as somebody does who can write to the database.
func (x terminal) tamper(t *testing.T, statement string) {
	t.Helper()
	x.open(t, func(s *app.Access) {
		if _, err := s.DB.Pools.Write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	})
}

func writeText(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAudit_VerifiesDatabaseAndExport(t *testing.T) {
	x := newTerminal(t)
	u := x.signUp(t)
	x.ok(t, "keys", "create", "-account", u.Account, "-name", "Website")
	heads := writeText(t, x.ok(t, "audit", "head"))
	wantWords(t, x.ok(t, "audit", "verify", "-heads", heads), "Chain main holds", "Chain freelancers holds: 0 records",
		"1 equal to a head kept elsewhere")

	// The export has an entry of its own, and needs no database.
	export := filepath.Join(t.TempDir(), "audit.ndjson")
	wantWords(t, x.ok(t, "audit", "export", "-o", export), export)
	wantWords(t, x.ok(t, "accounts", "events"), string(audit.LogExported))
	text, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	wantWords(t, string(text), `"action":"audit.exported"`, u.ID)

	elsewhere := newTerminal(t)
	wantWords(t, elsewhere.ok(t, "audit", "verify", export, "-heads", heads), "Chain main holds", "equal to a head")
	if _, err := os.Stat(elsewhere.config.Data); !os.IsNotExist(err) {
		t.Errorf("verifying an export created a data folder: %v", err)
	}

	changed := writeText(t, strings.Replace(string(text), u.ID, "usr_somebodyelse", 1))
	cut := writeText(t, strings.Join(strings.SplitAfter(string(text), "\n")[:3], ""))
	x.tamper(t, "UPDATE audit_events SET actor = 'system' WHERE action = 'key.created'")
	x.failing(t, map[string][]string{
		"was changed":                  {"audit", "verify"},
		"breaks at record":             {"audit", "verify", changed},
		"a part of the export is miss": {"audit", "verify", cut},
		"no such file":                 {"audit", "verify", filepath.Join(t.TempDir(), "nothing")},
		"line 1":                       {"audit", "verify", export, "-heads", export},
		"file exists":                  {"audit", "export", "-o", export},
	})
}

// failing runs commands that must fail, by a part of the message.
func (x terminal) failing(t *testing.T, commands map[string][]string) {
	t.Helper()
	for want, args := range commands {
		if stdout, stderr, code := x.run(t, args...); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d, want 1 with %q:\n%s%s", args, code, want, stdout, stderr)
		}
	}
}

// Nothing in the database shows that its end was cut off together with the head.
func TestAudit_HeadsKeptElsewhereRevealCut(t *testing.T) {
	x := newTerminal(t)
	u := x.signUp(t)
	x.ok(t, "keys", "create", "-account", u.Account, "-name", "Website")
	heads := writeText(t, x.ok(t, "audit", "head"))
	x.tamper(t, "DELETE FROM audit_events WHERE action = 'key.created'")
	x.tamper(t, `UPDATE audit_chains SET sequence = (SELECT max(sequence) FROM audit_events WHERE chain = 'main'),
		hash = (SELECT hash FROM audit_events WHERE chain = 'main' ORDER BY sequence DESC LIMIT 1) WHERE chain = 'main'`)

	wantWords(t, x.ok(t, "audit", "verify"), "Chain main holds")
	x.failing(t, map[string][]string{"the end of the chain was cut off": {"audit", "verify", "-heads", heads}})
}

// Erasing an account leaves a chain that holds, and an export without the person.
func TestAudit_SurvivesErasure(t *testing.T) {
	x := newTerminal(t)
	x.signUp(t)
	u := x.join(t, "ada@zorblax.example", "Zorblax")
	heads := writeText(t, x.ok(t, "audit", "head"))
	wantWords(t, x.ok(t, "audit", "export"), u.ID)
	x.ok(t, "accounts", "delete", u.Account, "-yes")

	wantWords(t, x.ok(t, "audit", "verify", "-heads", heads), "Chain main holds", "erased: ", "equal to a head")
	export := x.ok(t, "audit", "export")
	if strings.Contains(export, u.ID) || strings.Contains(export, "192.0.2.7") || !strings.Contains(export, `"erased":"`) {
		t.Errorf("the export after the erasure:\n%s", export)
	}
}

func TestAudit_Refusals(t *testing.T) {
	newTerminal(t).refused(t, []refusedCase{
		{"no command", []string{"audit"}, 2, "head, verify or export"},
		{"unknown command", []string{"audit", "check"}, 2, "unknown command"},
		{"operand of head", []string{"audit", "head", "x"}, 2, "wrong number of arguments"},
		{"two files", []string{"audit", "verify", "a", "b"}, 2, "wrong number of arguments"},
		{"flag of another command", []string{"audit", "head", "-o", "x"}, 2, "does not accept -o"},
		{"missing heads", []string{"audit", "verify", "-heads", "nothing.txt"}, 1, "no such file"},
	})
}
