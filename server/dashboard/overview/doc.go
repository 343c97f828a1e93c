// Package overview serves the home page and the page about the loaded data.
package overview
