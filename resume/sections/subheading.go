package sections

import (
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
)

// withinJobs reports whether the heading of a section may also stand within the description of a job.
func (r *Reader) withinJobs(s *Section) bool {
	switch s.Kind {
	case "awards", lexicon.Projects, lexicon.Courses, lexicon.Skills, lexicon.Other, "":
		return true
	case lexicon.Education:
		return r.words.WeakHeading(s.Heading) // "Training"
	default:
		return false
	}
}

// joinSubheadings joins sections about experience with those below whose heading is a part of a job: "Achievements".
// Such a heading is less prominent than the one above the jobs, and other sections have headings like that one, or
// more jobs follow below it.
func (r *Reader) joinSubheadings(all []*Section) []*Section {
	styles := make(map[page.Style]int)
	for _, s := range all {
		if s.line != nil && !s.guessed && s.Kind != "" {
			styles[s.line.Style()]++
		}
	}

	joined := all[:0]
	last := make(map[resume.Part]*Section)
	for _, s := range all {
		part := partOf(s)
		jobs := last[part]
		if jobs != nil && r.isSubheading(s, jobs, styles) {
			jobs.Lines = append(append(jobs.Lines, s.line), s.Lines...)
			continue
		}

		last[part] = s
		joined = append(joined, s)
	}
	return joined
}

// partOf returns the part of the page with a section.
func partOf(s *Section) resume.Part {
	if s.line != nil {
		return s.line.Part
	}
	return s.Lines[0].Part
}

// isSubheading reports whether the heading of a section belongs to a job in the section above it.
func (r *Reader) isSubheading(s, above *Section, styles map[page.Style]int) bool {
	hasHeadings := above.line != nil && s.line != nil && !s.beside && len(s.line.Cells) == 1
	if !hasHeadings || above.Kind != lexicon.Experience || !r.withinJobs(s) {
		return false
	}

	bySection := above.line.Style()
	lessProminent := s.line.Style().Prominence() < bySection.Prominence() ||
		above.line.Heading > 0 && (s.line.Heading == 0 || s.line.Heading > above.line.Heading)
	if !lessProminent {
		return false
	}

	c := r.ContentOf(s.Lines)
	jobsFollow := c.ranges > 0 && c.titles > 0 && c.titles >= c.Degrees+c.Schools
	if jobsFollow {
		return true
	}

	// A list of skills, and a section with degrees, may have a heading that differs by accident.
	likeOthers := styles[bySection] > 1 && styles[s.line.Style()] < styles[bySection]
	return likeOthers && s.Kind != lexicon.Skills && s.Kind != lexicon.Other && c.Degrees+c.Schools == 0
}
