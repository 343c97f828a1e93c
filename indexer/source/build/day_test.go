package build

import "testing"

func TestIsDay(t *testing.T) {
	for text, want := range map[string]bool{
		"Joined on December 10, 2005": true, "2016-05-28": true, "28.5.2016": true, "10 grudnia 2005": true,
		"2016-05-28T10:20:30Z": true, "May 2016": false, "2016": false, "2016-05": false, "40%": false, "": false,
		"3 years ago": false,
	} {
		if got := isDay(text); got != want {
			t.Errorf("isDay(%q) = %v, want %v", text, got, want)
		}
	}
}
