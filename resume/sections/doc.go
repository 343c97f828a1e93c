// Package sections divides a page into its sections. The lines before the first heading have the name, the job title
// and the contact.
//
//   - heading.go recognizes headings by the words of the lexicon and by their looks
//   - subheading.go leaves headings within the description of a job to the job
//   - content.go finds the kind of a section whose heading the lexicon doesn't know, by what its lines are like
//   - paragraphs.go divides a page without headings in the same way
package sections
