//go:build integration

package postgres

import (
	"strings"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	address := newSchema(t)
	if _, err := Check(t.Context(), address, nil); err == nil || !strings.Contains(err.Error(), "not a database of this") {
		t.Errorf("Check of an empty schema: %v, want that it is not a database of this service", err)
	}
	openAt(t, address)
	report, err := Check(t.Context(), address, nil)
	if err != nil || report.Version != report.Latest || !strings.HasPrefix(report.Product, "PostgreSQL ") ||
		time.Since(report.Clock).Abs() > time.Hour {
		t.Errorf("Check = %+v, %v", report, err)
	}
}
