package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

// oddCSV has a rate under an unknown header, rupees in a column of their own, and ratings to 10.
const oddCSV = "Name;Skills;Col 3;Currency;Rating;Shoe size;Price\n" +
	"Mira Talden;Go, SQL;1500/hr;INR;9.1;38;$900\n" +
	"Oren Vask;Figma;40/hr;USD;8.0;44;$400\n" +
	"Talia Reth;SEO;30/hr;EUR;10;40;$700\n"

// TestMappingFile_RoundTrip writes a mapping, loads with it, and gets the same freelancers as without.
func TestMappingFile_RoundTrip(t *testing.T) {
	s := newSession(t)
	file := s.file("odd.csv", oddCSV)
	mapping := filepath.Join(s.files, "mapping.yaml")
	out := s.must("validate", "-o", mapping, "-rate", "INR=0.012", file)
	if !strings.Contains(out, "mapping written to "+mapping) {
		t.Errorf("validate -o printed\n%s", out)
	}

	export := func(args ...string) string {
		t.Helper()
		s.must(append([]string{"load", "-rate", "INR=0.012", file}, args...)...)
		path := filepath.Join(s.files, "export.ndjson")
		s.must("export", "-o", path)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		return string(content)
	}

	without := export()
	with := export("-mapping", mapping)
	if without != with {
		t.Errorf("without the mapping file:\n%s\nwith it:\n%s", without, with)
	}

	for _, want := range []string{`"hourly_rate":18,`, `"hourly_rate":40,`, `"hourly_rate":null,`, `"rating":5,`} {
		if !strings.Contains(with, want) {
			t.Errorf("want %s in\n%s", want, with)
		}
	}

	text, err := os.ReadFile(mapping)
	if err != nil {
		t.Fatal(err)
	}
	s.file("mapping.yaml", strings.Replace(string(text), "column: Rating", "column: Ratng", 1))
	s.wantError(1, []string{"load", "-mapping", mapping, file}, "line ", `no column "Ratng"; did you mean "Rating"?`)
	s.file("mapping.yaml", strings.Replace(string(text), "field: rating", "field: ratng", 1))
	s.wantError(1, []string{"validate", "-mapping", mapping, file}, mapping, "line ", `"ratng"; did you mean "rating"?`)
	s.wantError(1, []string{"validate", "-mapping", filepath.Join(s.files, "none.yaml"), file}, "read the mapping file")
	s.wantError(2, []string{"validate", "-o", mapping, "-resumes", s.files}, "-o writes the mapping of columns")
}

// TestLoad_StoresTheMapping checks that the provenance of an index has the mapping of its columns.
func TestLoad_StoresTheMapping(t *testing.T) {
	s := newSession(t)
	s.must("load", s.file("odd.csv", oddCSV))
	x, err := setup.OpenIndex(config.Config{Data: s.data}, (&cli{stderr: t.Output()}).log())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()

	infos, err := x.Engine.Indexes(t.Context())
	if err != nil || len(infos) != 1 {
		t.Fatalf("indexes %v, %v", infos, err)
	}
	p := infos[0].Provenance
	for _, want := range []string{"file: odd.csv\n", "column: Col 3\n", "field: hourly_rate", "scale: 10\n"} {
		if !strings.Contains(p.Mapping, want) {
			t.Errorf("want %q in\n%s", want, p.Mapping)
		}
	}

	if strings.Contains(p.Mapping, "Mira") || strings.Contains(p.Mapping, s.files) {
		t.Errorf("the mapping has values or a path of this machine:\n%s", p.Mapping)
	}
}

// TestColumnReport checks that the report lists columns by how they are used, and how to confirm one that is used with
// doubt.
func TestColumnReport(t *testing.T) {
	s := newSession(t)
	file := s.file("odd.csv", strings.NewReplacer("Col 3", "Price", "Price", "Cost in total").Replace(oddCSV))
	out := s.must("validate", file)
	for _, want := range []string{
		`the largest of 3 values is 10`,
		"  unknown and not used; use them with -map FIELD=COLUMN:\n    Shoe size ",
		"    Price as hourly_rate: the header does not say so\n" +
			`      values "1500/hr", "40/hr", "30/hr"; to confirm: -map hourly_rate=Price` + "\n",
		"an amount in INR without an exchange rate; set one with -rate INR=AMOUNT",
	} {
		if !strings.Contains(out, want) && !strings.Contains(unwrap(out), want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	out = s.must("validate", "-map", "hourly_rate=Price", file)
	if strings.Contains(out, "with doubt") || !strings.Contains(out, "hourly_rate  -map") {
		t.Errorf("the report with -map is\n%s", out)
	}
}
