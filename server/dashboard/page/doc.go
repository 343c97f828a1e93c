// Package page has what every page of the dashboard needs: routes with the roles that may use them, forms, sessions,
// security headers, and templates.
//
// A request passes, in this order: security headers, the cross-origin check, the session, the role check of its route,
// and the handler. Errors of all of them are rendered in one place. A handler gets a Visit: the request, the user who
// makes it, and what can be answered.
package page
