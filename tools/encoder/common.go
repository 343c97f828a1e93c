package encoder

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/encoder"
	"github.com/freelancer-matching/service/taxonomy"
)

// commonSkills is the number of skills whose mean vector is the common direction. With 400 or 1,000, the order of the
// judged briefs is as good.
const commonSkills = 100

// common returns the file of encoder.Common.
func common(ctx context.Context) ([]byte, error) {
	skills, err := taxonomy.Load()
	if err != nil {
		return nil, err
	}
	model, err := encoder.New()
	if err != nil {
		return nil, err
	}

	mean := make([]float32, encoder.Dimensions)
	for _, name := range mostCommon(skills, commonSkills) {
		v, err := model.Encode(ctx, encoder.QueryPrefix+name)
		if err != nil {
			return nil, err
		}
		for i, x := range v.Values {
			mean[i] += x / commonSkills
		}
	}

	file := make([]byte, encoder.Dimensions)
	for i, x := range embedding.Round(mean) {
		file[i] = byte(x)
	}
	return file, nil
}

// mostCommon returns the names of the n most common skills that say something about a brief.
func mostCommon(t *taxonomy.Taxonomy, n int) []string {
	var skills []taxonomy.Skill
	for skill := range t.Skills() {
		if !skill.Generic {
			skills = append(skills, skill)
		}
	}
	slices.SortFunc(skills, func(a, b taxonomy.Skill) int {
		return cmp.Or(cmp.Compare(b.Use, a.Use), cmp.Compare(a.ID, b.ID))
	})

	names := make([]string, n)
	for i := range names {
		names[i] = skills[i].Name
	}
	return names
}

func commonFile(ctx context.Context, output string, stdout io.Writer) error {
	file, err := common(ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(output, file, 0o644); err != nil { //nolint:gosec // a file of the repository
		return err
	}
	fmt.Fprintf(stdout, "%s: the direction of the %d most common skills\n", output, commonSkills)
	return nil
}
