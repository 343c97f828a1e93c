// Package signin serves the pages on which users sign in, sign up, and use one-time links.
package signin
