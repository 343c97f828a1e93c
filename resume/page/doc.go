// Package page cleans the lines of a document, divides them into cells, and measures how its running text looks, so
// that other packages see which lines stand out.
package page
