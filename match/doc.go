// Package match is the service behind /match. It resolves what a brief asks for, and turns the engine's hits into
// ranked and explained matches.
package match
