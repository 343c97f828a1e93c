package documents

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJobTitles(t *testing.T) {
	tax := knownSkills(t)
	for _, tt := range []struct {
		headline string
		want     []string
	}{
		{"", nil},
		{"React Developer", []string{"React Developer"}},
		{"Senior React Developer | Node.js, AWS", []string{"React Developer"}},
		{"Expert MERN Stack Developer (React) – C++ / Go", []string{"MERN Stack Developer"}},
		{"UI/UX Designer • Front-End Developer", []string{"UI/UX Designer", "Front-End Developer"}},
		{"C++ Developer - .NET Developer; R&D Engineer", []string{"C++ Developer", ".NET Developer", "R&D Engineer"}},
		{"Lead Generation Specialist", []string{"Lead Generation Specialist"}},
		{"Translator, translator, TRANSLATOR", []string{"Translator"}},
		{"Adobe Illustrator, Illustrator", []string{"Illustrator"}},
		{"Photographer | Photography", []string{"Photographer"}},
		{"***Video Editor!!!***", []string{"Video Editor"}},
		{"Senior", []string{"Senior"}},
		{"5.0 | 100% | ★★★", nil},
		{"I will make you a website that your customers will love", nil},
		{strings.Repeat("x", 101), nil},
		{"フリーランス翻訳者", []string{"フリーランス翻訳者"}},
	} {
		t.Run(tt.headline[:min(len(tt.headline), 40)], func(t *testing.T) {
			if diff := cmp.Diff(tt.want, jobTitles(tax, tt.headline)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
