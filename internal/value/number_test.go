package value

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestCount(t *testing.T) {
	tests := []struct {
		cell string
		want matching.Optional[int]
	}{
		{"838", matching.Some(838)},
		{"0", matching.Some(0)},
		{"0.0", matching.Some(0)},
		{"1,234", matching.Some(1234)},
		{"1,23,456", matching.Some(123456)},
		{"1.234.567", matching.Some(1234567)},
		{"1 234", matching.Some(1234)},
		{"1'234", matching.Some(1234)},
		{"1.2K+", matching.Some(1200)},
		{"(1k+)", matching.Some(1000)},
		{"3M", matching.Some(3_000_000)},
		{"100+", matching.Some(100)},
		{"1e3", matching.Some(1000)},
		{"443 hours worked", matching.Some(443)},
		{"8 hourly jobs", matching.Some(8)},
		{"1 fixed price job", matching.Some(1)},
		{"No fixed price jobs", matching.Some(0)},
	}
	for _, test := range tests {
		t.Run(test.cell, func(t *testing.T) {
			got, remark := Count(test.cell)
			if diff := cmp.Diff(test.want, got); diff != "" || remark != "" {
				t.Errorf("remark %q (-want +got)\n%s", remark, diff)
			}
		})
	}
}

func TestCount_InvalidIsUnknownWithRemark(t *testing.T) {
	for _, cell := range []string{
		"98%", "0.0244", "-3", "5 stars", "$20", "Joined on May 1, 2011", "1,2345,6", "1e99", "many", "12/15",
		"1.2.3", "Nobody",
	} {
		if got, remark := Count(cell); got.Known || remark == "" {
			t.Errorf("Count(%q) = %v, %q, want unknown with a remark", cell, got, remark)
		}
	}
}

func TestYears(t *testing.T) {
	tests := []struct {
		cell   string
		want   matching.Optional[float64]
		remark string
	}{
		{"5", matching.Some(5.0), ""},
		{"5 years", matching.Some(5.0), ""},
		{"5+ yrs", matching.Some(5.0), ""},
		{"5 Years of experience", matching.Some(5.0), ""},
		{"7 yrs. exp.", matching.Some(7.0), ""},
		{"2,5 years", matching.Some(2.5), ""},
		{"0", matching.Some(0.0), ""},
		{"6 months", matching.Some(0.5), ""},
		{"2 years 6 months", matching.Some(2.5), ""},
		{"2 years and 6 months", matching.Some(2.5), ""},
		{"over 10 years", matching.Some(10.0), ""},
		{"10-15", matching.Some(10.0), remarkYearsRange},
		{"10 – 15 years", matching.Some(10.0), remarkYearsRange},
		{"3 to 5 years", matching.Some(3.0), remarkYearsRange},
		{"less than 1 year", matching.Some(0.0), remarkYearsRange},
		{"<1 yr", matching.Some(0.0), remarkYearsRange},
		{"2011", matching.Optional[float64]{}, remarkYearsOutOfRange},
		{"six", matching.Optional[float64]{}, remarkNotYears},
		{"Expert", matching.Optional[float64]{}, remarkNotYears},
		{"5 projects", matching.Optional[float64]{}, remarkNotYears},
		{"-1", matching.Optional[float64]{}, remarkNotYears},
		{"5 years in 3 firms", matching.Optional[float64]{}, remarkNotYears},
		{"NaN", matching.Optional[float64]{}, ""},
		{"1e999", matching.Optional[float64]{}, remarkNotYears},
	}
	for _, test := range tests {
		t.Run(test.cell, func(t *testing.T) {
			got, remark := Years(test.cell)
			if diff := cmp.Diff(test.want, got); diff != "" || remark != test.remark {
				t.Errorf("remark %q, want %q (-want +got)\n%s", remark, test.remark, diff)
			}
		})
	}
}

func TestStartYear(t *testing.T) {
	for cell, want := range map[string]int{
		"since 2009": 2009, "Seit 2009": 2009, " depuis 1998 ": 1998, "desde el año 2011": 2011, "dal 2015": 2015,
		"sinds 2020": 2020, "od 2018": 2018, "с 2012": 2012,
		"2009": 0, "since 5 years": 0, "since 1890": 0, "since 20095": 0, "since May 2009": 0, "seither 2009": 0, "since": 0,
	} {
		year, ok := StartYear(cell)
		if ok != (want > 0) || ok && year != want {
			t.Errorf("StartYear(%q) = %d, %t, want %d", cell, year, ok, want)
		}
	}
}

func TestNumber(t *testing.T) {
	tests := []struct {
		text string
		want float64
		rest string
	}{
		{"25", 25, ""},
		{"25.50/hr", 25.5, "/hr"},
		{"1,200.50", 1200.5, ""},
		{"1.200,50 €", 1200.5, "€"},
		{"1 200,50", 1200.5, ""},
		{"1'200.50", 1200.5, ""},
		{"1,234", 1234, ""},
		{"1,5", 1.5, ""},
		{"0,125", 0.125, ""},
		{"1.234", 1.234, ""}, // programs write a decimal point before any number of digits
		{"12345,678", 12345.678, ""},
		{"1.2K+ earned", 1200, "earned"},
		{"5 kids", 5, "kids"},
		{"5kids", 5, "kids"},
		{"8.5e-05", 8.5e-05, ""},
		{"2 eggs", 2, "eggs"},
		{"10-15", 10, "-15"},
	}
	for _, test := range tests {
		got, rest, ok := number(test.text)
		if !ok || got != test.want || rest != test.rest {
			t.Errorf("number(%q) = %v, %q, %t, want %v, %q", test.text, got, rest, ok, test.want, test.rest)
		}
	}
}
