package lexicon

import (
	"testing"

	"github.com/freelancer-matching/service/internal/wordbook"
)

// Every language needs these lists at least, and newDictionary panics if a file has one of an unknown name.
func TestDataFiles_AreComplete(t *testing.T) {
	all := readLists()
	languages := wordbook.Languages()
	if len(languages) < 11 {
		t.Errorf("%d languages have data files, want 11 or more", len(languages))
	}

	for _, name := range []string{"heading experience", "heading skills", "title", "school", "degree"} {
		have := make(map[string]bool)
		for _, l := range all[name] {
			have[l.language.String()] = len(l.items) > 0
		}

		for _, tag := range languages {
			if !have[tag.String()] {
				t.Errorf("data/languages/%v.txt has no list %q", tag, name)
			}
		}
	}
}

func TestVocabulary(t *testing.T) {
	d := New()
	for word, want := range map[string]bool{
		"engineer": true, "engineers": true, "softwareentwicklerin": true, "高级工程师": true, "has": false, "engine": false,
	} {
		if got := d.Titles.Has(word); got != want {
			t.Errorf("has(%q) = %v, want %v", word, got, want)
		}
	}
}
