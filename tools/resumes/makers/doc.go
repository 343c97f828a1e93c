// Package makers writes resumes of invented people in many layouts that are unlike each other, with the truth about
// each: how a reader does on a layout that it wasn't fitted to is known only with many of them.
package makers
