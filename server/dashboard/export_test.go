package dashboard

import "freelancer-matching/access/account"

// Route is one row of the table of routes.
type Route struct {
	Method, Path string
	Access       account.Role
}

// Routes is the table, for tests that go through all of it.
func Routes() []Route {
	var rows []Route
	for _, r := range (&dashboard{}).routes() {
		rows = append(rows, Route{r.method, r.path, r.access})
	}
	return rows
}
