// Package attacks attacks the built programs the way a stranger on the internet or a broken machine would: with slow,
// huge and malformed requests, and with damaged files. Every test once succeeded against a release. The tests have the
// build tag integration; `make integration-attacks` runs them.
package attacks
