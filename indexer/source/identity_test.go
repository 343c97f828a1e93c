package source

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/columns"
)

func TestRows_Identity(t *testing.T) {
	const table = "ID,name,site,e-mail,country,member since,skills\n" +
		"7,Mira,north,Mira <Mira@A.example>,Peru,\"May 3, 2019\",Go\n" +
		",Mira,south,m***@a.example,Peru,May 2019,Go\n" +
		"1.2E+18,Mira,n/a,n/a,n/a,12/05/2019,Go\n"

	type row struct {
		id, former, location, email, joined string
		key                                 rows.Key
	}

	address := "resume-97067ec7e2c0d2f6e001"
	place := "fl-0e616e0d3e9fc9f0"
	for _, test := range []struct {
		name string
		o    Options
		want []row
	}{
		{"default", Options{}, []row{
			{"7", "", "", "mira@a.example", "", rows.ByID},
			{place, "", "Peru", "", "", rows.ByPlace},
			{"*", "", "", "", "12/05/2019", rows.ByRow},
		}},
		{"prefix", Options{IDPrefix: "n-"}, []row{
			{"n-7", "7", "", "mira@a.example", "", rows.ByID},
			{place, "", "Peru", "", "", rows.ByPlace},
			{"*", "", "", "", "12/05/2019", rows.ByRow},
		}},
		{"columns", Options{ID: []string{" site", "NAME"}, IDPrefix: "x-"}, []row{
			{"x-north:Mira", "7", "Peru", "mira@a.example", "may 3, 2019", rows.ByID},
			{"x-south:Mira", "", "Peru", "", "", rows.ByID},
			{"*", "", "", "", "12/05/2019", rows.ByRow},
		}},
		{"addresses", Options{ID: []string{"e-mail"}}, []row{
			{"*", "7", "Peru", "mira@a.example", "may 3, 2019", rows.ByID},
			{place, "", "Peru", "", "", rows.ByPlace},
			{"*", "", "", "", "12/05/2019", rows.ByRow},
		}},
		{"position", Options{ID: []string{columns.PositionID}}, []row{
			{"row-1", "7", "Peru", "mira@a.example", "may 3, 2019", rows.ByID},
			{"row-2", "", "Peru", "", "", rows.ByID},
			{"row-3", "", "", "", "12/05/2019", rows.ByID},
		}},
		{"without an id column", Options{Map: map[string]string{"id": ""}}, []row{
			{address, "", "Peru", "mira@a.example", "may 3, 2019", rows.ByEmail},
			{place, "", "Peru", "", "", rows.ByPlace},
			{"*", "", "", "", "12/05/2019", rows.ByRow},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, err := read(t, write(t, table), test.o)
			if err != nil || len(list) != len(test.want) {
				t.Fatalf("%d rows (%v)", len(list), err)
			}

			for i, r := range list {
				got := row{r.Freelancer.ID, r.FormerID, r.Location, r.Email, r.Joined, r.Key}
				if test.want[i].id == "*" && // a hash
					len(got.id) == len("fl-0123456789abcdef") {
					got.id = "*"
				}

				if got != test.want[i] {
					t.Errorf("row %d: %+v, want %+v", i+1, got, test.want[i])
				}
			}
		})
	}
}

// The ID of a row that only its content identifies doesn't depend on the order of columns.
func TestRows_WholeRowAsID(t *testing.T) {
	var ids []string
	for _, table := range []string{
		"name,skills,phone\nMira,Go,1\nMira,Go,2\nMira,Go,1\n", "phone,name,skills\n1,Mira,Go\n2,Mira,Go\n",
	} {
		list, err := read(t, write(t, table), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			ids = append(ids, r.Freelancer.ID)
		}
	}
	if want := []string{ids[0], ids[1], ids[0], ids[0], ids[1]}; !slices.Equal(ids, want) || ids[0] == ids[1] {
		t.Errorf("ids %q", ids)
	}
}

// Rows that nothing identifies name the columns whose values are all different.
func TestRows_AdviseID(t *testing.T) {
	for _, test := range []struct{ name, table, want string }{
		{
			"one column differs", "col 7,title,skills,col 8\np/ann,Painter,Oil,x\np/bo,Tailor,Sewing,x\n,Cook,Pasta,y\n" +
				"p/cy,Baker,Bread,y\n",
			`of the first 4 such rows, -id "col 7" would identify 3, and -id row all`,
		},
		{
			"only rows without a name count", "name,col 7,title\nMira,a1,Painter\nOla,a2,Tailor\n,a3,Cook\n,a4,Baker\n",
			`of the first 2 such rows, -id "col 7" would identify 2, and -id row all`,
		},
		{"no column differs", "title,col 7\nPainter,x\nTailor,x\nCook,y\n", "-id row loads such rows"},
		{"too few rows", "title,col 7\nPainter,x\nTailor,y\n", "-id row loads such rows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, err := read(t, write(t, test.table), Options{})
			if err != nil {
				t.Fatal(err)
			}

			last := list[len(list)-1]
			if len(last.Faults) != 1 || !strings.HasSuffix(last.Faults[0].Reason, "; "+test.want) {
				t.Errorf("faults %+v, want %q", last.Faults, test.want)
			}
		})
	}
}
