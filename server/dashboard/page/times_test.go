package page

import (
	"testing"
	"time"
)

// A time is an element with the time in UTC for scripts and as its title, whatever zone it was in.
func TestTimes(t *testing.T) {
	tokyo := time.FixedZone("", 9*60*60)
	at := time.Date(2030, 5, 21, 1, 30, 0, 0, tokyo)
	s := &site{Config: Config{Now: func() time.Time { return at.Add(3 * time.Hour) }}}
	const start = `<time datetime="2030-05-20T16:30:00Z" data-shows="`
	for _, c := range []struct{ got, want string }{
		{string(moment(at)), start + `moment" title="May 20, 2030, 16:30 UTC">May 20, 2030, 16:30 UTC</time>`},
		{string(date(at)), start + `date" title="May 20, 2030, 16:30 UTC">May 20, 2030</time>`},
		{string(clock(at)), start + `clock" title="May 20, 2030, 16:30 UTC">16:30</time>`},
		{string(s.ago(at)), start + `relative" title="May 20, 2030, 16:30 UTC">3 hours ago</time>`},
		{string(s.until(at.Add(5 * time.Hour))), `<time datetime="2030-05-20T21:30:00Z" data-shows="relative" ` +
			`title="May 20, 2030, 21:30 UTC">in 2 hours</time>`},
		{day(at), "May 20, 2030"},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}
