// Package fields extracts the fields of a resume.Resume from the text of a resume: name, contact, experience,
// education, skills and so on. It reads a resume.Document, which is text with its layout, and does no I/O. The same
// document gives the same result on the same day.
//
// A document passes through these steps:
//
//   - page.go cleans its lines and divides them into cells
//   - section.go divides it into sections by their headings, which heading.go recognizes by a dictionary of eleven
//     languages and by their looks; the lines before the first heading have the name, the job title and the contact
//   - entry.go divides the sections about experience and education into entries: a date marks an entry, and the lines
//     around it are its header
//   - position.go and degree.go decide which part of a header is the title, the company, the place, the degree or the
//     school, by their words and by the order that the other entries of the section have
//
// Fields that were not found stay empty. The words of all languages are data: data/README.md describes them.
package fields
