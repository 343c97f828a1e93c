// Package fields finds in the text of a resume what it says about a person: name, contact, experience, education, skills
// and the rest of resume.Resume. It reads a resume.Document, that is text with its layout, does no I/O, and gives the
// same answer for the same document and day.
//
// The way of a document:
//
//   - lines: compatibility forms are replaced, icons dropped, cells told apart
//   - sections: headings are recognised by a dictionary in ten languages and by how they look; what stands before the
//     first is the head, with name, title and contact
//   - entries: in the sections of experience and education a date range is the anchor of an entry; the lines around it
//     are its header, whose parts are told to be title, organisation, place or degree by their words, and by the order
//     that the other entries of the section have
//
// What was not found stays empty. The words of all languages are data, in the folder data.
package fields
