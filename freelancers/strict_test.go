package freelancers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrongTypes(t *testing.T) {
	for object, want := range map[string][]string{
		`{"id":"f1","name":"Ada","skills":["Go"],"experience":6,"rating":4.9,"hourly_rate":-1,"availability":true,
			"total_sales":7,"languages":[{"language":"de","level":"B2"}],"verified":false,"deleted":false}`: nil,
		`{"skills":null,"experience":null,"languages":null,"availability":null}`: nil,
		`[1]`: nil, // not an object, which Parse reports

		`{"id":7}`:                   {"id"},
		`{"hourly_rate":"$25/hr"}`:   {"hourly_rate"},
		`{"total_sales":"1.2K+"}`:    {"total_sales"},
		`{"availability":"now"}`:     {"availability"},
		`{"verified":1}`:             {"verified"},
		`{"skills":"Go, SQL"}`:       {"skills"},
		`{"languages":"German B2"}`:  {"languages"},
		`{"languages":["German"]}`:   {"languages"},
		`{"deleted":"yes"}`:          {"deleted"},
		`{"rating":"5","skills":""}`: {"skills", "rating"},
	} {
		var got []string
		for _, fault := range WrongTypes([]byte(object)) {
			got = append(got, fault.Field)
			if fault.Code != codeWrongType {
				t.Errorf("%s: code %s, want %s", object, fault.Code, codeWrongType)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", object, diff)
		}
	}
}

func TestWrongTypes_SaysHowToSendTheValue(t *testing.T) {
	faults := WrongTypes([]byte(`{"hourly_rate":"$25/hr"}`))
	const want = `hourly_rate must be a number; got "$25/hr". Send lenient=true to have values parsed as those of files.`
	if len(faults) != 1 || faults[0].Message != want {
		t.Errorf("got %v, want %q", faults, want)
	}
}
