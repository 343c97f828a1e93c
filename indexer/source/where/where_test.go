package where

import (
	"slices"
	"strings"
	"testing"
)

// The table of all tests.
var (
	headers = []string{"Name", " Application status ", "score", "Applied at", "country", "archived", "tags", "salary"}
	table   = map[string][]string{
		"ada": {"Ada", "Rejected", "9", "2026-01-31T10:00:00Z", "PT", "true", "VIP, remote", "40"},
		"bo":  {"Bo", "Phone screen", "10", "31.12.2025", "DE", "FALSE", "", "007"},
		"cem": {"Cem", " rejected ", "4.50", "Feb 1, 2026", "pt", "", "c/c++ & go", "n/a"},
		"dua": {"Dua", "", "", "1/2/2026", "O'Higgins", "no"}, // the row is short
	}
)

// kept returns the names of the rows that a clause keeps.
func kept(t *testing.T, clause string) string {
	t.Helper()
	c, err := Parse(clause)
	if err != nil {
		t.Fatalf("Parse(%q): %v", clause, err)
	}
	f, err := c.Bind(headers)
	if err != nil {
		t.Fatalf("Bind(%q): %v", clause, err)
	}
	var names []string
	for _, name := range []string{"ada", "bo", "cem", "dua"} {
		if f.Keeps(table[name]) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func TestKeeps(t *testing.T) {
	for _, test := range []struct{ clause, want string }{
		{"application status != Rejected", "bo dua"},
		{"APPLICATION STATUS <> 'rejected'", "bo dua"},
		{"\"Application status\" ≠ \"Rejected\"", "bo dua"},
		{"`Application status`!=Rejected", "bo dua"},
		{"not Application status = Rejected", "bo dua"},
		{"! (Application status == rejected)", "bo dua"},
		{"application status not in (Rejected, 'Withdrawn')", "bo dua"},
		{"application status = Phone screen", "bo"},
		{"application status in (phone screen, offer)", "bo"},
		{"application status = ''", "dua"},
		{"application status != '' AND score < 10", "ada cem"},
		{"application status ~ reject", "ada cem"},
		{"application status !~ reject", "bo dua"},
		{"score >= 9", "ada bo"},
		{"score>4.5 && score<=9", "ada"},
		{"score = 4.5", "cem"},
		{"score != 10", "ada cem dua"},
		{"applied at >= 2026-01-31", "ada cem"},
		{"applied at < 2026-01-01", "bo"},
		{"applied at = 2026-02-01", "cem"},
		{"applied at = '1/2/2026'", "dua"},
		{"country = PT or country = DE and score > 10", "ada cem"},
		{"(country = PT or country = DE) and score >= 10", "bo"},
		{"country = PT || archived = false", "ada bo cem"},
		{"country = O'Higgins", "dua"},
		{"country = 'O''Higgins'", "dua"},
		{"tags ~ vip", "ada"},
		{"tags ~ 'C/C++ & Go'", "cem"},
		{"salary = 7", ""}, // 007 is a code
		{"salary = 007", "bo"},
		{"salary > 1", "ada"},
		{"not not name = Ada", "ada"},
		{"name in (ada) or not (name = bo or name = cem or name = dua)", "ada"},
	} {
		if got := kept(t, test.clause); got != test.want {
			t.Errorf("%s keeps %q, want %q", test.clause, got, test.want)
		}
	}
}

func TestParse_Errors(t *testing.T) {
	for _, test := range []struct{ clause, want string }{
		{"", "the clause ends where the name of a column should follow"},
		{"status", `the clause ends where one of =, !=, <, <=, >, >=, ~ (contains) and in after "status" should follow`},
		{"status =", "the clause ends where a value should follow"},
		{"status = a b c and", "the clause ends where the name of a column should follow"},
		{"= Rejected", "want the name of a column, not \"=\""},
		{"status = 'Rejected", "the quote ' is not closed"},
		{"status = Rejected, Withdrawn", "want and, or, or the end, not \",\""},
		{"status in (Rejected", "the clause ends where , or ) should follow"},
		{"status in ()", "want a value, not \")\""},
		{"(status = a", "the clause ends where and, or, or ) should follow"},
		{"status = a)", "want and, or, or the end, not \")\""},
		{"status > Rejected", `> compares numbers and dates such as 2026-01-31, and "Rejected" is neither`},
		{"status like Rej", `the clause ends where one of`},
		{"' ' = a", "the name of a column is empty"},
		{"status = Research and Development", `the clause ends where one of`},
		{strings.Repeat("(", 30) + "a = b" + strings.Repeat(")", 30), "more than 20 nested parentheses"},
		{strings.Repeat("not ", 30) + "a = b", "more than 20 nested"},
		{"a = b" + strings.Repeat(" or a = b", 150), "more than 100 conditions"},
		{"a = " + strings.Repeat("b", 2000), "longer than 2000 bytes"},
	} {
		_, err := Parse(test.clause)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%.60q): %v, want %q", test.clause, err, test.want)
		}
	}
}

func TestBind_Errors(t *testing.T) {
	for _, test := range []struct{ clause, want string }{
		{"stat = a", `no column "stat"; the columns are "Name", " Application status "`},
		{"name = a and (score = 1 or stage = b)", `no column "stage"`},
		{"twice = a", `columns 9 and 10 are both named "twice"`},
	} {
		c, err := Parse(test.clause)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Bind(append(append([]string{}, headers...), "Twice", "twice"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Bind(%q): %v, want %q", test.clause, err, test.want)
		}
	}
}

// FuzzParse parses any text, and checks that a clause and its negation keep different rows.
func FuzzParse(f *testing.F) {
	for _, clause := range []string{
		"status != Rejected", "a in ('x', y) or not (b >= 2026-01-31 and c ~ \"d\")", "`a b`=''", "a<1&&b>2||!c=3", "((a=1)",
	} {
		f.Add(clause, "cell", "2026-01-31")
	}
	f.Fuzz(func(t *testing.T, clause, first, second string) {
		c, err := Parse(clause)
		if err != nil {
			return
		}
		var columns []string
		for _, name := range c.root.columns(nil) {
			if !slices.ContainsFunc(columns, func(other string) bool { return strings.EqualFold(other, name) }) {
				columns = append(columns, name)
			}
		}
		filter, err := c.Bind(columns)
		if err != nil {
			t.Fatalf("Bind to its own columns: %v", err)
		}

		negated, err := Parse("not (" + clause + ")")
		if err != nil {
			return // longer or deeper than the limits
		}
		other, err := negated.Bind(columns)
		if err != nil {
			t.Fatal(err)
		}
		for _, cells := range [][]string{nil, {first}, {first, second}, {second, first, second}} {
			if filter.Keeps(cells) == other.Keeps(cells) {
				t.Errorf("%q and its negation agree on %q", clause, cells)
			}
		}
	})
}
