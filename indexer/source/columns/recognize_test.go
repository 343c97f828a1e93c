package columns

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/table"
)

// A header of one letter is the name of a column in a spreadsheet, but a header of one Chinese character is a word.
func TestMap_HeadersOfOneCharacter(t *testing.T) {
	people := table.Table{
		Headers: []string{"氏名", "国", "h"},
		Sample:  []table.Record{{Cells: []string{"Ada", "日本", "x"}}, {Cells: []string{"Grace", "アメリカ", "y"}}},
	}
	m, err := Map(people, Options{}, "USD")
	if err != nil {
		t.Fatal(err)
	}

	want := []Use{
		{Field: field.Name, How: ByHeader},
		{Field: field.Country, How: ByHeader, Note: "also distinguishes people with the same name and no id"},
		{},
	}
	if diff := cmp.Diff(want, m.Columns); diff != "" {
		t.Error(diff)
	}
}
