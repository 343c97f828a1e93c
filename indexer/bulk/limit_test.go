package bulk_test

import (
	"testing"

	"github.com/freelancer-matching/service/indexer/bulk"
)

func TestParseLimit(t *testing.T) {
	for _, text := range []string{"0", "50", "0%", "5%", "2.5%", "100%"} {
		l, err := bulk.ParseLimit(text)
		if err != nil || l.String() != text {
			t.Errorf("ParseLimit(%q) = %v, %v", text, l, err)
		}
	}
	for _, text := range []string{"", "%", "-1", "-1%", "101%", "NaN%", "1.5", "five", "5 %", "99999999999999999999"} {
		if l, err := bulk.ParseLimit(text); err == nil {
			t.Errorf("ParseLimit(%q) = %v, want an error", text, l)
		}
	}
}
