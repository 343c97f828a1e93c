package setup

import (
	"fmt"
	"os"

	"freelancer-matching/taxonomy"
)

// LoadTaxonomy is the taxonomy of the program with the operator's own skills, where a file of them is named.
func LoadTaxonomy(skillsFile string) (*taxonomy.Taxonomy, error) {
	t, err := taxonomy.Load()
	if err != nil {
		return nil, fmt.Errorf("load the skill taxonomy: %w", err)
	}
	if skillsFile == "" {
		return t, nil
	}
	file, err := os.ReadFile(skillsFile)
	if err != nil {
		return nil, fmt.Errorf("read the own skills: %w", err)
	}
	own, err := taxonomy.ParseOwn(file)
	if err == nil {
		t, err = t.With(own)
	}
	if err != nil {
		return nil, fmt.Errorf("the own skills in %s are refused:\n%w", skillsFile, err)
	}
	return t, nil
}
