// Package entries reads the sections about experience and education.
//
//   - entry.go divides a section into entries: a date marks an entry (datelines.go), and the lines around it are its
//     header; undated.go does without dates
//   - piece.go cuts a header at every plausible separator, window.go assigns the pieces to roles (title, employer,
//     place, degree, school) by the signs in signs.go and the weights in header.go, and order.go picks one order for
//     the whole section
//   - group.go finds employers above several positions, and schools above several degrees, by the looks of the lines
//   - position.go and degree.go make positions and degrees of the result
package entries
