package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"github.com/freelancer-matching/service/indexer/source/repair"
)

// Cells as pandas, Excel and wrong encodings leave them are read as what they were.
func TestRows_UndoesWhatProgramsDid(t *testing.T) {
	type row struct{ ID, FormerID, Name, Title string }

	for _, test := range []struct {
		name, file string
		want       []row
		remarks    []string
	}{
		{
			name: "IDs that pandas wrote as decimals",
			file: "id,name,job_title,skills\n1001.0,Ann,Dev,Go\n,Bo,Dev,Go\n1004.0,Cy,Dev,Go\n",
			want: []row{
				{"1001", "1001.0", "Ann", "Dev"}, {"*", "", "Bo", "Dev"}, {"1004", "1004.0", "Cy", "Dev"},
			},
			remarks: []string{},
		},
		{
			name: "IDs of which some have decimals",
			file: "id,name,job_title,skills\n1.0,Ann,Dev,Go\n1.5,Bo,Dev,Go\n",
			want: []row{{"1.0", "", "Ann", "Dev"}, {"1.5", "", "Bo", "Dev"}},
		},
		{
			name: "IDs with a letter",
			file: "id,name,job_title,skills\n1.0,Ann,Dev,Go\nv2.0,Bo,Dev,Go\n",
			want: []row{{"1.0", "", "Ann", "Dev"}, {"v2.0", "", "Bo", "Dev"}},
		},
		{
			name: "texts for Excel",
			file: "\"=\"\"id\"\"\",name,job_title,skills\n\"=\"\"007\"\"\",\"=\"\"Ann\"\"\",Dev,Go\n'008,Bo,Dev,Go\n",
			want: []row{{"007", "", "Ann", "Dev"}, {"008", "", "Bo", "Dev"}},
		},
		{
			name: "UTF-8 decoded as Windows-1252, also in a header",
			file: "id,name,job_title,CompÃ©tences\n1,ZoÃ« MÃ¼ller,RÃ©dactrice,Go\n2,Ann,Dev,Go\n",
			want: []row{{"1", "", "Zoë Müller", "Rédactrice"}, {"2", "", "Ann", "Dev"}},
			remarks: []string{
				"name: " + repair.RemarkDecoded, "job_title: " + repair.RemarkDecoded,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, err := read(t, write(t, test.file), Options{})
			if err != nil {
				t.Fatal(err)
			}

			var got []row
			remarks := []string{}
			for i, r := range list {
				f := r.Freelancer
				got = append(got, row{f.ID, r.FormerID, f.Name, f.JobTitle})
				if i < len(test.want) && test.want[i].ID == "*" {
					got[i].ID = "*" // a hash
				}
				for _, w := range r.Warnings {
					remarks = append(remarks, w.Column+": "+w.Reason)
				}
				if diff := cmp.Diff([]string{"Go"}, f.Skills); diff != "" {
					t.Errorf("skills of row %d: -want +got:\n%s", i+1, diff)
				}
			}

			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if test.remarks == nil {
				test.remarks = []string{}
			}
			if diff := cmp.Diff(test.remarks, remarks); diff != "" {
				t.Errorf("warnings: -want +got:\n%s", diff)
			}
		})
	}
}

// Spreadsheets store whole numbers up to 2^53 exactly, and show 15 digits.
func TestRows_KeepsLongIDsOfWorkbooks(t *testing.T) {
	file := book(t, func(f *excelize.File) error {
		for cell, number := range map[string]int64{
			"A2": 1590018106294571, "A3": 9007199254740992, "A4": 9007199254740994, "A5": 123456789012345,
		} {
			if err := f.SetCellInt("People", cell, number); err != nil {
				return err
			}
		}
		return nil
	}, bookSheet{"People", [][]any{
		{"id", "name", "job_title"}, {"", "Ann", "Dev"}, {"", "Bo", "Dev"}, {"", "Cy", "Dev"}, {"", "Di", "Dev"},
	}})

	list, err := read(t, write(t, file), Options{})
	if err != nil {
		t.Fatal(err)
	}

	var ids []string
	for _, r := range list {
		ids = append(ids, r.Freelancer.ID)
	}
	if len(ids) != 4 {
		t.Fatalf("IDs %v, want 4", ids)
	}
	if ids[2] == "9007199254740994" || len(list[2].Warnings) != 1 {
		t.Errorf("a number above 2^53 became %s with the warnings %v; want one about a rounded ID", ids[2], list[2].Warnings)
	}

	ids[2] = "*" // a hash
	if diff := cmp.Diff([]string{"1590018106294571", "9007199254740992", "*", "123456789012345"}, ids); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
