package inputs

import "testing"

// Messages name inputs without the secrets of URLs.
func TestDisplayName(t *testing.T) {
	for path, want := range map[string]string{
		"-":                                   "standard input",
		"a?b=c/people.csv":                    "a?b=c/people.csv",
		"https://u:s3cret@h/a/b.csv?x=s3cret": "https://h/a/b.csv?x=…",
		"https://u:s3cret%zz@h/a":             "https://…",
		"s3://bucket/a/b.csv":                 "s3://bucket/a/b.csv",
		"Postgres://u:s3cret@db/people":       "postgres://db:5432/people",
		"postgres://u:s3cret@db:x/people":     "postgres://…",
		"ftp://u:s3cret@h/a":                  "ftp://…",
	} {
		if got := DisplayName(path); got != want {
			t.Errorf("DisplayName(%q) = %q, want %q", path, got, want)
		}
	}
}

// Flags can name an input as messages do.
func TestIdentity_PrefixOfURL(t *testing.T) {
	o := identityOptions{prefixes: map[string]string{"b.csv": "b-"}}
	a := "https://u:s3cret@h/a.csv?x=s3cret"
	b := "https://u:s3cret@h/b.csv?x=s3cret"
	if o.of(b) != "b-" || o.of(a) != "" {
		t.Errorf("prefixes %q and %q", o.of(a), o.of(b))
	}
}
