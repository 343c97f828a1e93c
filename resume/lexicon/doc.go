// Package lexicon has the words of resumes in all languages, by subject, and recognizes short texts by them: headings,
// places, degrees, job titles, organizations, and human languages. The words are data files, which data/README.md
// describes.
package lexicon
