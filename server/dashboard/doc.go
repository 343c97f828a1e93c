// Package dashboard serves the pages under /dashboard: people sign in, make keys, see what was used and what is left, and try
// a brief; administrators keep accounts, plans and invitations.
//
// Pages are rendered on the server and work without JavaScript; the little script there is copies texts and carries a link's
// secret from the address into its form. Everything is embedded. A request passes, in this order: security headers, the
// cross-origin check of unsafe methods, the session, the access that its route asks for, and its handler, whose error is
// rendered in one place. What is shown and changed is always looked up by the account of who is signed in, so that the id of
// another account's key finds nothing.
package dashboard
