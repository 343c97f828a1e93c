package dashboard_test

import (
	"net/http"
	"testing"
)

// Administrators see the requests of every account, and nobody else does.
func TestAccountsUsage(t *testing.T) {
	w := newWorld(t)
	const path = "/dashboard/admin/usage"
	w.as(w.admin).get(path).expect(t, http.StatusOK, "Usage of all accounts", "Kiln & Glaze", "Last 30 days, UTC")
	w.as(w.admin).get(path+"?range=7d").expect(t, http.StatusOK, "Last 7 days, UTC")
	w.as(w.admin).get(path+"?range=24h").expect(t, http.StatusOK, "Requests per hour", "Last 24 hours, UTC")
	w.as(w.owner).get(path).expect(t, http.StatusForbidden)
}
