package people

import "testing"

func TestMapTexts(t *testing.T) {
	subject := tracesOf("ada@example.com")
	for data, want := range map[string]string{
		`{"a":["\u003cada@example.com\u003e","line\nada@example.com"],"n":18446744073709551615,"x":null}`: `{` +
			`"a":["\u003c[erased]\u003e","line\n[erased]"],"n":18446744073709551615,"x":null}`,
		`broken ada@example.com`: `broken [erased]`,
	} {
		if !anyText([]byte(data), subject.hasEmail) {
			t.Errorf("%s: the address was not found", data)
		}
		got, err := mapTexts([]byte(data), subject.redact)
		if err != nil || string(got) != want {
			t.Errorf("%s becomes %s, want %s (%v)", data, got, want, err)
		}
		if anyText(got, subject.hasEmail) {
			t.Errorf("%s still has the address", got)
		}
	}
}
