package value

import (
	"slices"
	"testing"
)

// TestSkills_Objects reads the names of skills in JSON objects, and reports levels and objects without a name. It also
// reads lists of PHP.
func TestSkills_Objects(t *testing.T) {
	for _, tt := range []struct {
		cell   string
		want   []string
		remark string
	}{
		{`[{"name": "Go", "level": 5}, {"name": "SQL"}]`, []string{"Go", "SQL"}, remarkLevels},
		{`[{"name": "Go"}, {"skill": {"name": "SQL"}, "years": "3"}]`, []string{"Go", "SQL"}, remarkLevels},
		{`[{"name": "Go", "level": null}, {"name": "SQL", "level": ""}]`, []string{"Go", "SQL"}, ""},
		{`[{"skill": {"name": "Scala"}}, {"node": {"title": "Akka"}}]`, []string{"Scala", "Akka"}, ""},
		{`[{"uuid": "7"}]`, nil, remarkNotSkill},
		{`a:2:{i:0;s:3:"PHP";i:1;s:4:"A; b";}`, []string{"PHP", "A; b"}, ""},
		{`a:1:{s:3:"one";s:5:"Käse";}`, []string{"Käse"}, ""},
		{`a:0:{}`, nil, ""},
	} {
		if got, remark := Skills(tt.cell, false); !slices.Equal(got, tt.want) || remark != tt.remark {
			t.Errorf("Skills(%s) = %q, %q; want %q, %q", tt.cell, got, remark, tt.want, tt.remark)
		}
	}
}
