package prompts

import "testing"

func TestLanguage(t *testing.T) {
	for code, want := range map[string]string{
		"es": "Spanish", "de": "German", "zh": "Chinese", "pt-BR": "Brazilian Portuguese",
		"": "English", "xx-no": "English", "und": "English",
	} {
		if got := Language(code); got != want {
			t.Errorf("Language(%q) = %s, want %s", code, got, want)
		}
	}
}
