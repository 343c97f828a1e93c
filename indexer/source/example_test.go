package source_test

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
)

func ExampleOpen() {
	f, err := source.Open(input.FromPath(filepath.Join("testdata", "european.csv")), source.Options{
		Map:   map[string]string{"job_title": "Berufsbezeichnung"},
		Rates: map[string]float64{"EUR": 1.1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()

	for row, err := range f.Rows(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		p := row.Freelancer
		fmt.Printf("%d: %s, %s, %q, %v an hour\n", row.Line, p.Name, p.JobTitle, p.Skills, p.HourlyRate)
	}
	// Output:
	// 2: Jörg Müller, Entwickler, ["PHP" "MySQL"], 1375.55 an hour
	// 3: Zoë, Texterin, ["Texte"], 28.05 an hour
}
