package source

import "testing"

// Rows that change or delete freelancers need little more than an ID.
func TestRows_Changes(t *testing.T) {
	for _, test := range []struct {
		name, file string
		options    Options
		faults     int
		deleted    bool
	}{
		{"deletion", `{"id": "7", "deleted": true}`, Options{}, 0, true},
		{"deletion in a table", "id,deleted\n7,yes\n", Options{}, 0, true},
		{"no deletion, and nothing else", `{"id": "7", "deleted": false}`, Options{}, 1, false},
		{"deletion of nobody", "id,name,deleted\n,,true\n", Options{}, 1, true},
		{"patch", "id,hourly_rate\n7,50\n", Options{Partial: true}, 0, false},
		{"patch of nobody", "id,hourly_rate\n,50\n", Options{Partial: true}, 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows, err := read(t, write(t, test.file), test.options)
			if err != nil || len(rows) != 1 || len(rows[0].Faults) != test.faults || rows[0].Deleted != test.deleted {
				t.Errorf("rows %+v, %v", rows, err)
			}
		})
	}

	if _, err := read(t, write(t, "id,hourly_rate\n7,50\n"), Options{}); err == nil {
		t.Error("a table without anything to match is loaded")
	}
}
