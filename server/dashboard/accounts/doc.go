// Package accounts serves the pages on which owners manage the members of their account, and administrators manage
// all accounts and invite new ones.
package accounts
