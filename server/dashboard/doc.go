// Package dashboard serves the pages under /dashboard. Users sign in, create API keys, see their usage and remaining
// quota, and try requests in a playground. Administrators manage accounts, plans and invitations.
//
// Pages are rendered on the server and work without JavaScript; the small script copies texts and moves the secret of a
// one-time link from the address into its form. All files are embedded. A request passes, in this order: security
// headers, the cross-origin check, the session, the role check of its route, and the handler; fail renders all errors.
// Everything is looked up within the account of the signed-in user, so that the ID of another account's key finds
// nothing.
package dashboard
