// Package fields extracts the fields of a resume.Resume from the text of a resume: name, contact, experience,
// education, skills and so on. It reads a resume.Document, which is text with its layout, and does no I/O. The same
// document gives the same result on the same day.
//
// Extractor.Extract lists the steps in their order. Each is a package:
//
//   - page cleans the lines of the document and divides them into cells
//   - sections divides the page into sections
//   - person, entries, languages, achievements and skills read the fields in the sections
//
// They share the words of all languages (lexicon), the forms of short texts (wording), dates, and odds, which explains
// how a field is chosen among candidates and where its confidence comes from.
//
// This package puts their results together, and adds the language of the document (language.go), the quality
// (quality.go, unread.go) and a draft of the record (package draft). data/calibration.txt has the tables of
// confidences. "go run ./tools resumes calibrate" fits them; it must run again after a change of weights. Fields that
// were not found stay empty.
package fields
