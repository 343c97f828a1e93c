package sessions

import (
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/interview"
)

// hasNext reports whether the candidate can go on to a next question.
func hasNext(v *interview.Visit) bool { return v.Adaptive && v.Started && !v.Submitted && !v.Last() }

// maxTitle is the maximum number of characters of a project's title.
const maxTitle = 120

func (s *Candidates) visit(se *session) interview.Visit {
	i := se.Invited
	v := interview.Visit{
		SessionID: se.record.ID, Account: se.record.Account, Project: titleOf(&se.Subject),
		Language: i.Language, SpokenIn: se.Subject.Language, ConsentText: i.ConsentText, ReturnURL: i.ReturnURL,
		Adaptive: se.Kind == interview.Adaptive, Planned: len(se.Questions), Answered: len(se.Answers),
		TimeLimit: i.TimeLimit, Expires: i.Expires, Deadline: i.Deadline,
		Now: s.service.now(), Retention: s.service.config.Lifetime,
		Started: !i.Consented.IsZero(), Submitted: se.submitted(),
	}

	// A fixed form shows all its questions from the start; an adaptive one grows up to its plan.
	if v.Adaptive {
		v.Planned = max(se.Planned, len(se.Questions))
	}

	// The first questions may have final answers; the others have drafts at most.
	for n, q := range se.Questions {
		shown := interview.CandidateQuestion{ID: q.ID, Text: q.Text}
		if n < len(se.Answers) {
			shown.Answer = se.Answers[n].Text
			shown.Facts = se.Answers[n].Facts
		} else if d, ok := i.Drafts[q.ID]; ok {
			shown.Answer = d.Text
			shown.Facts = d.Facts
		}

		v.Questions = append(v.Questions, shown)
	}

	return v
}

// titleOf returns the job title, or else the first line of the project description if it is short enough for a title.
func titleOf(s *interview.Subject) string {
	line, _, _ := strings.Cut(s.Project, "\n")
	if line = strings.TrimSpace(line); s.JobTitle == "" && utf8.RuneCountInString(line) <= maxTitle {
		return line
	}
	return s.JobTitle
}
