package page

import (
	"net/http"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/server/api/receive"
)

// A HandlerFunc serves one route. Its error is rendered as a page.
type HandlerFunc func(v *Visit) error

// A Route is one page or one form.
type Route struct {
	Method    string       // "" for all
	Path      string       // a pattern of http.ServeMux
	Access    account.Role // lowest role that may use the route
	handle    HandlerFunc
	maxBody   int64        // bytes
	pace      receive.Pace // of a form with a file
	file      bool         // the form contains a file, so it is multipart; all others are URL-encoded
	confirmed account.Role // lowest role whose users must have proved recently who they are; "" for none
	enrolling bool         // open to administrators who still need a second factor
}

// Anyone is the access of routes that need no sign-in.
const Anyone account.Role = ""

// Get returns the route of a page. Its path is relative to root.
func Get(path string, access account.Role, handle HandlerFunc) Route {
	return newRoute(http.MethodGet, Root+path, access, handle)
}

// Post returns the route of a form. Its path is relative to root.
func Post(path string, access account.Role, handle HandlerFunc) Route {
	return newRoute(http.MethodPost, Root+path, access, handle)
}

// EverythingElse returns the route of paths that no other route serves.
func EverythingElse() Route {
	return newRoute("", Root+"/", Anyone, func(*Visit) error { return ErrNotFound })
}

func newRoute(method, path string, access account.Role, handle HandlerFunc) Route {
	return Route{Method: method, Path: path, Access: access, handle: handle, maxBody: maxForm}
}

// Limit returns the route with another size limit for its body.
func (r Route) Limit(maxBody int64) Route {
	r.maxBody = maxBody
	return r
}

// WithFile returns the route for a form with a file, with another size limit for its body.
func (r Route) WithFile(maxBody int64) Route {
	r.maxBody = maxBody
	r.file = true
	r.pace = receive.UploadPace()
	return r
}

// Paced returns the route of a form with a file that may take another time to arrive.
func (r Route) Paced(pace receive.Pace) Route {
	r.pace = pace
	return r
}

// ConfirmedBy returns the route for a dangerous change: users with at least a role must have proved recently who they
// are.
func (r Route) ConfirmedBy(role account.Role) Route {
	r.confirmed = role
	return r
}

// WhileEnrolling returns the route open to administrators who still need a second factor.
func (r Route) WhileEnrolling() Route {
	r.enrolling = true
	return r
}

// RedirectTo returns a handler that redirects to a path relative to root.
func RedirectTo(path string) HandlerFunc {
	return func(v *Visit) error { return v.Redirect(Root + path) }
}

// Showing returns a handler that renders the page that build returns.
func Showing(build func(*Visit) (Page, error)) HandlerFunc {
	return func(v *Visit) error {
		p, err := build(v)
		if err != nil {
			return err
		}
		return v.OK(p)
	}
}

// May reports whether a role is sufficient for an access.
func May(role, access account.Role) bool { return access == Anyone || role.Includes(access) }
