package spelling

import "testing"

func TestSlipOf(t *testing.T) {
	for _, c := range []struct {
		right, word string
		want        Slip
	}{
		{"docker", "dokcer", Swapped},
		{"docker", "dockker", Doubled},
		{"docker", "dockerr", Doubled},
		{"docker", "doker", Dropped},
		{"docker", "dovker", Replaced},
		{"docker", "dacker", Replaced},
		{"docker", "dozker", NoSlip},
		{"docker", "locker", NoSlip},
		{"scala", "scalar", NoSlip},
		{"docker", "docke", NoSlip},
	} {
		if got := SlipOf(c.right, c.word); got != c.want {
			t.Errorf("%s for %s: slip %d, want %d", c.word, c.right, got, c.want)
		}
	}
}
