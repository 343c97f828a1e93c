// Package languages reads which human languages a person speaks, and how well.
package languages
