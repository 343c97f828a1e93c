package headline

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/taxonomy"
)

func TestOf(t *testing.T) {
	skills, err := taxonomy.Load()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, description, want string }{
		{"no greeting", "Logo for a café. We open in May.", "Logo for a café."},
		{
			"unknown greeting",
			"Wishing all of you a splendid week so far!\nLogo for a café",
			"Logo for a café",
		},
		{"story", "I came across this site by chance. We open in May. Logo for a café.", "Logo for a café."},
		{"demand in the first person", "I need a React developer. Logo for a café.", "I need a React developer."},
		{"only stories", "We open in May. I paint. You sing. All dance. Logo for a café.", "We open in May."},
		{"empty", " ", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Of(test.description, skills); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestFirstSentence(t *testing.T) {
	words := strings.Repeat("word ", maxWords)
	spaced := strings.Repeat("word \t ", maxWords)
	tests := []struct{ name, description, want string }{
		{"first line", "\n  Logo for a café\r\nWith details.", "Logo for a café"},
		{"first sentence", "Logo for a café. With details.", "Logo for a café."},
		{"period within a word", "A Node.js app! Soon.", "A Node.js app!"},
		{"long sentence", words + "more", strings.TrimSpace(words)},
		{"repeated spaces", spaced + "more", strings.TrimSpace(spaced)},
		{"ideographs", "我们需要一个标志。用React。\n还有网站。", "我们需要一个标志。用React。"},
		{"no spaces", strings.Repeat("日", 1000), strings.Repeat("日", maxBytes/3+1)},
		{"invalid UTF-8", "\xff\xfe logo\nmore", "\xff\xfe logo"},
		{"spaces", " \n\t", ""},
		{"empty", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := firstSentence(test.description); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
