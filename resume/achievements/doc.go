// Package achievements reads certifications, projects and publications.
package achievements
