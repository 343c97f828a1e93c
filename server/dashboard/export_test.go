package dashboard

import "github.com/freelancer-matching/service/access/account"

// Route describes a route.
type Route struct {
	Method, Path string
	Access       account.Role
}

// Routes returns all routes.
func Routes() []Route {
	var rows []Route
	for _, r := range routes(Config{Accounts: &account.Services{}}) {
		rows = append(rows, Route{r.Method, r.Path, r.Access})
	}
	return rows
}
