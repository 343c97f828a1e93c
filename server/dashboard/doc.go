// Package dashboard serves the pages under /dashboard. Users sign in, create API keys, see their usage and remaining
// quota, and try requests in a playground. Administrators manage accounts, plans and invitations.
//
// Pages are rendered on the server and work without JavaScript; the small script copies texts and moves the secret of a
// one-time link from the address into its form. All files are embedded. Package page has what every page needs, and
// each other package a group of pages with the services that it uses. Everything is looked up within the account of the
// signed-in user, so that the ID of another account's key finds nothing.
package dashboard
