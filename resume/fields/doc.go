// Package fields extracts the fields of a resume.Resume from the text of a resume: name, contact, experience,
// education, skills and so on. It reads a resume.Document, which is text with its layout, and does no I/O. The same
// document gives the same result on the same day.
//
// A document passes through these steps:
//
//   - page.go cleans its lines and divides them into cells
//   - section.go divides it into sections by their headings, which heading.go recognizes by a dictionary of all
//     languages with a data file and by their looks; the lines before the first heading have the name, the job title
//     and the contact
//   - content.go finds the kind of a section whose heading no dictionary knows, and headless.go divides a page without
//     headings, by what their lines are like
//   - entry.go divides the sections about experience and education into entries: a date marks an entry, and the lines
//     around it are its header
//   - piece.go cuts a header at every plausible separator, window.go assigns the pieces to roles (title, employer,
//     place, degree, school) by the signs and weights in header.go, and order.go picks one order for the whole section
//   - position.go and degree.go make positions and degrees of the result
//
// # Candidates, scores and confidence
//
// A field that can be read in more than one way is chosen among candidates (candidate.go). A candidate has a value, the
// source where it was found, and features: statements such as "is in the email address" with a weight each. Its score
// is the sum of the weights of those that apply, and the highest score wins. The weights are next to the code that
// collects the candidates: nameReader in name.go, for example.
//
// The strength of the choice is the score, or the margin to the best candidate with another value if that is smaller.
// The table of the field in data/calibration.txt converts it to the Confidence: the share of the fields of this
// strength that was right in the development files (calibration.go). An entry of a list has one strength for all its
// parts, because it counts as right only if all are. "go run ./tools resumes calibrate" fits the tables; it must run
// again after a change of weights.
//
// Fields that were not found stay empty. The words of all languages are data: data/README.md describes them.
package fields
