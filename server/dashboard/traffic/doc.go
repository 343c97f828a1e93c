// Package traffic serves the pages about the requests of one account or of all accounts.
package traffic
