package setup

import (
	"fmt"
	"os"

	"github.com/freelancer-matching/service/taxonomy"
)

// LoadTaxonomy returns the built-in taxonomy, merged with the operator's own skills if skillsFile isn't empty.
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
		return nil, fmt.Errorf("read the skills file: %w", err)
	}

	// Faults of the file's form and of its references get the same message with the file's name.
	own, err := taxonomy.ParseOwn(file)
	if err == nil {
		t, err = t.With(own)
	}

	if err != nil {
		return nil, fmt.Errorf("the skills file %s has errors:\n%w", skillsFile, err)
	}

	return t, nil
}
