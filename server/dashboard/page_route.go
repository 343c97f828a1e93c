package dashboard

import (
	"net/http"

	"freelancer-matching/access/account"
)

// A handlerFunc serves one route. Its error is rendered as a page.
type handlerFunc func(v *visit) error

// A route is one page or one form.
type route struct {
	Method    string       // "" for all
	Path      string       // a pattern of http.ServeMux
	Access    account.Role // lowest role that may use the route
	handle    handlerFunc
	maxBody   int64        // bytes
	file      bool         // the form contains a file, so it is multipart; all others are URL-encoded
	confirmed account.Role // lowest role whose users must have proved recently who they are; "" for none
	enrolling bool         // open to administrators who still need a second factor
}

// anyone is the access of routes that need no sign-in.
const anyone account.Role = ""

// get returns the route of a page. Its path is relative to root.
func get(path string, access account.Role, handle handlerFunc) route {
	return newRoute(http.MethodGet, root+path, access, handle)
}

// post returns the route of a form. Its path is relative to root.
func post(path string, access account.Role, handle handlerFunc) route {
	return newRoute(http.MethodPost, root+path, access, handle)
}

// everythingElse returns the route of paths that no other route serves.
func everythingElse() route {
	return newRoute("", root+"/", anyone, func(*visit) error { return errNotFound })
}

func newRoute(method, path string, access account.Role, handle handlerFunc) route {
	return route{Method: method, Path: path, Access: access, handle: handle, maxBody: maxForm}
}

// limit returns the route with another size limit for its body.
func (r route) limit(maxBody int64) route {
	r.maxBody = maxBody
	return r
}

// withFile returns the route for a form with a file, with another size limit for its body.
func (r route) withFile(maxBody int64) route {
	r.maxBody = maxBody
	r.file = true
	return r
}

// confirmedBy returns the route for a dangerous change: users with at least a role must have proved recently who they
// are.
func (r route) confirmedBy(role account.Role) route {
	r.confirmed = role
	return r
}

// whileEnrolling returns the route open to administrators who still need a second factor.
func (r route) whileEnrolling() route {
	r.enrolling = true
	return r
}

// redirectTo returns a handler that redirects to a path relative to root.
func redirectTo(path string) handlerFunc {
	return func(v *visit) error { return v.redirect(root + path) }
}

// showing returns a handler that renders the page that build returns.
func showing(build func(*visit) (page, error)) handlerFunc {
	return func(v *visit) error {
		p, err := build(v)
		if err != nil {
			return err
		}
		return v.ok(p)
	}
}

// may reports whether a role is sufficient for an access.
func may(role, access account.Role) bool { return access == anyone || role.Includes(access) }
