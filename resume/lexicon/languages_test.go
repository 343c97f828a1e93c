package lexicon

import (
	"testing"
)

func TestSpokenItem(t *testing.T) {
	d := New()
	for item, want := range map[string]bool{
		"Spanish": true, "fluent in German": true, "English (C1)": true, "英语": true, "Business English": true,
		"Spanish teaching": false, "Meta": false, "Python": false, "Basic": false, "": false,
	} {
		if got := d.SpokenItem(item); got != want {
			t.Errorf("spokenItem(%q) = %v, want %v", item, got, want)
		}
	}
}
