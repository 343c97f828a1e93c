package vector

import (
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestColumn_Check(t *testing.T) {
	rotations := NewRotations([]matching.VectorSpace{{Dimensions: 3}})
	intact := func() *Column { return &NewSizedColumns(rotations, 5)[0] }
	if err := intact().Check("vectors", 5, 3); err != nil {
		t.Fatal(err)
	}

	for name, damage := range map[string]func(*Column){
		"short vector":   func(c *Column) { c.Values = c.Values[1:] },
		"without square": func(c *Column) { c.Squares = nil },
		"without sketch": func(c *Column) { c.low[0] = nil },
		"short sketch":   func(c *Column) { c.high[0] = c.high[0][1:] },
	} {
		c := intact()
		damage(c)
		if c.Check("vectors", 5, 3) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
