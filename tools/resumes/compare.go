package resumes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/taxonomy"
)

// judgeLabels compares what the parser found in a file with its labels.
func judgeLabels(s sample, l labels, d resume.Document, r resume.Resume, t *taxonomy.Taxonomy) verdict {
	v := verdict{sample: s, tallies: make(map[string]tally), columns: l.Columns > 1, quality: r.Quality.Score}
	c := r.Confidence
	v.single(l, "name", l.Name, r.Name, c.Name, matches)
	v.single(l, "email", l.Email, r.Contact.Email, c.Email, matches)
	v.single(l, "phone", l.Phone, r.Contact.Phone, c.Phone, matchesPhone)
	v.single(l, "job_title", l.JobTitle, r.JobTitle, c.JobTitle, matches)
	v.single(l, "location", l.Location, r.Contact.Location, c.Location, matches)
	v.single(l, "summary", l.Summary, r.Summary, c.Summary, func(truth, found string) bool {
		return letters(truth) == letters(found)
	})

	// Labels that leave a list out say nothing about it, whereas an empty list says that there is nothing to find.
	if l.stated["experience"] {
		v.jobs(l.Experience, r.Experience)
	}

	if l.stated["education"] {
		v.degrees(l.Education, r.Education)
	}

	if l.stated["languages"] {
		v.languages(l.Languages, r.Languages)
	}

	if l.stated["certifications"] {
		v.certifications(l.Certifications, r.Certifications)
	}

	if l.stated["skills"] {
		v.skills(l, r.Skills, t)
	}

	v.checkOrder(d)

	return v
}

// alternatives returns the texts that are right, which the labels separate by two bars.
func alternatives(truth string) []string { return strings.Split(truth, "||") }

// loose returns the form in which texts of labeled files are compared: as fold, without spaces and dashes, and without
// quotes at the ends.
func loose(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Dash, r) || unicode.IsSpace(r) || r == '\u00ad' {
			return -1
		}
		return r
	}, strings.Trim(fold(text), `"“”„«».,;:|•·- `))
}

// matches reports whether a text is one of the true alternatives.
func matches(truth, found string) bool {
	return truth == "*" || slices.ContainsFunc(alternatives(truth), func(a string) bool {
		return loose(a) == loose(found)
	})
}

// resembles reports whether a text is one of the true alternatives, contains one, or is part of one.
func resembles(truth, found string) bool {
	const least = 4 // characters of a part
	return matches(truth, found) || slices.ContainsFunc(alternatives(truth), func(a string) bool {
		long := loose(a)
		short := loose(found)
		if len(long) < len(short) {
			long, short = short, long
		}
		return utf8.RuneCountInString(short) >= least && strings.Contains(long, short)
	})
}

// matchesPhone reports whether a number is one of the true alternatives by samePhone. A number without a country that
// starts with a zero is not American.
func matchesPhone(truth, found string) bool {
	return slices.ContainsFunc(alternatives(truth), func(a string) bool {
		if found == "" || a == "" {
			return found == a
		}
		american := strings.HasPrefix(a, "0") && strings.HasPrefix(found, "+1")
		return samePhone(a, found) && !american
	})
}

// single judges a field that has one value. A field that the file lacks counts only if something was found.
func (v *verdict) single(l labels, name, truth, found string, confidence float64, same func(string, string) bool) {
	if !l.stated[name] || truth == "" && found == "" {
		return
	}
	c := tally{wanted: 1, found: 1}
	if same(truth, found) {
		c.right = 1
	} else {
		v.note(name, truth, found)
	}
	v.tallies[name] = v.tallies[name].plus(c)
	if found != "" {
		v.estimate(name, confidence, c.right == 1)
	}
}

// note notes a true text that was missed, and what was found instead; both may be empty.
func (v *verdict) note(field, truth, found string) {
	i := slices.IndexFunc(v.misses, func(m miss) bool { return m.field == field })
	if i < 0 {
		i = len(v.misses)
		v.misses = append(v.misses, miss{field: field})
	}
	if truth != "" {
		v.misses[i].missing = append(v.misses[i].missing, truth)
	}
	if found != "" {
		v.misses[i].extra = append(v.misses[i].extra, found)
	}
}

func (v *verdict) estimate(field string, confidence float64, right bool) {
	if confidence > 0 {
		v.estimates = append(v.estimates, estimate{field, confidence, right})
	}
}

func (v *verdict) count(field string, wanted, found, right int) {
	v.tallies[field] = v.tallies[field].plus(tally{wanted, found, right})
}

// pair returns for each true entry the index of the found entry that belongs to it, or -1. Pairs of higher rank come
// first; entries of rank 0 are not paired.
func pair(wanted, found, highest int, rank func(i, j int) int) []int {
	partners := slices.Repeat([]int{-1}, wanted)
	taken := make([]bool, found)
	for level := highest; level > 0; level-- {
		for i := range partners {
			for j := 0; j < found && partners[i] < 0; j++ {
				if !taken[j] && rank(i, j) == level {
					partners[i] = j
					taken[j] = true
				}
			}
		}
	}
	return partners
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// entries counts the entries of a list that are right, and notes the others.
func (v *verdict) entries(field string, partners []int, found int, truth func(i int) string,
	got func(j int) (string, float64), right func(i, j int) bool,
) {
	rights := make([]bool, found)
	paired := make([]bool, found)
	n := 0
	for i, j := range partners {
		switch {
		case j < 0:
			v.note(field, truth(i), "")
		case right(i, j):
			rights[j] = true
			paired[j] = true
			n++

		default:
			paired[j] = true
			text, _ := got(j)
			v.note(field, truth(i), text)
		}
	}

	for j := range found {
		text, confidence := got(j)
		if !paired[j] {
			v.note(field, "", text)
		}
		v.estimate(field, confidence, rights[j])
	}

	v.count(field, len(partners), found, n)
}

// degrees judges the education. An entry is right if degree, institution and both dates are; a field of study that was
// returned as part of the degree, or the other way around, counts only against goalField.
func (v *verdict) degrees(truth []degree, found []resume.Degree) {
	// Degree and institution identify an entry; dates of different studies often coincide.
	partners := pair(len(truth), len(found), 3+3+1, func(i, j int) int {
		m := matchDegree(truth[i], found[j])
		return 3*number(m.degree) + 3*number(m.institution) + number(m.dates)
	})

	v.entries(goalEducation, partners, len(found),
		func(i int) string {
			d := truth[i]
			return entry(d.Degree, d.Field, d.Institution, period(d.Start, d.End, false))
		},
		func(j int) (string, float64) {
			d := found[j]
			return entry(d.Degree, d.Field, d.Institution, period(d.Start, d.End, false)), d.Confidence
		},
		func(i, j int) bool {
			m := matchDegree(truth[i], found[j])
			return m.degree && m.institution && m.dates
		})

	var degrees, institutions, periods, whole int
	for i, j := range partners {
		if j < 0 {
			continue // not found
		}

		m := matchDegree(truth[i], found[j])
		degrees += number(m.degree)
		institutions += number(m.institution)
		periods += number(m.dates)
		whole += number(m.field && m.institution && m.dates)
	}

	v.count(degreeNames, len(truth), len(found), degrees)
	v.count(degreeSchools, len(truth), len(found), institutions)
	v.count(degreeDates, len(truth), len(found), periods)
	v.count(goalField, len(truth), len(found), whole)
}

// A degreeMatch says which parts of a found entry are right.
type degreeMatch struct {
	degree      bool // together with the field at least: "BSc in Physics" for the degree BSc and the field Physics
	field       bool // and the degree by itself
	institution bool
	dates       bool
}

// matchDegree compares a true entry of the education with a found one.
func matchDegree(truth degree, found resume.Degree) degreeMatch {
	degreeAlone := matches(truth.Degree, found.Degree)
	m := degreeMatch{
		degree:      degreeAlone,
		field:       degreeAlone && matches(truth.Field, found.Field),
		institution: matches(truth.Institution, found.Institution),
		dates:       matches(truth.Start, found.Start) && matches(truth.End, found.End),
	}

	foundTogether := degreeWithField(found.Degree, found.Field)
	for _, degree := range alternatives(truth.Degree) {
		for _, field := range alternatives(truth.Field) {
			m.degree = m.degree || matches(degreeWithField(degree, field), foundTogether)
		}
	}

	return m
}

// degreeWithField joins a degree and its field in the same way as a text that has both: "BSc in Physics".
func degreeWithField(degree, field string) string {
	withoutPrepositions := strings.NewReplacer(" in ", " ", " of ", " ", " de ", " ", " en ", " ", ",", " ")
	return withoutPrepositions.Replace(fold(degree) + " " + fold(field))
}

func (v *verdict) languages(truth []spoken, found []resume.Language) {
	partners := pair(len(truth), len(found), 1, func(i, j int) int {
		return number(matches(truth[i].Name, found[j].Name))
	})
	v.named("languages", partners, func(i int) string { return truth[i].Name },
		len(found), func(j int) string { return found[j].Name })
	v.entries(goalLevel, partners, len(found),
		func(i int) string { return entry(truth[i].Name, truth[i].Level) },
		func(j int) (string, float64) { return entry(found[j].Name, found[j].Level), found[j].Confidence },
		func(i, j int) bool { return matches(truth[i].Level, found[j].Level) })
}

func (v *verdict) certifications(truth []certification, found []resume.Certification) {
	partners := pair(len(truth), len(found), 1, func(i, j int) int {
		return number(matches(truth[i].Name, found[j].Name))
	})
	v.named("certifications", partners, func(i int) string { return truth[i].Name },
		len(found), func(j int) string { return found[j].Name })
	v.entries(goalCertification, partners, len(found),
		func(i int) string { return entry(truth[i].Name, truth[i].Issuer, truth[i].Date) },
		func(j int) (string, float64) {
			return entry(found[j].Name, found[j].Issuer, found[j].Date), found[j].Confidence
		},
		func(i, j int) bool {
			return matches(truth[i].Issuer, found[j].Issuer) && matches(truth[i].Date, found[j].Date)
		})
}

// named counts the entries of a list whose names are right.
func (v *verdict) named(field string, partners []int, truth func(i int) string, found int, got func(j int) string) {
	right := 0
	for i, j := range partners {
		if j < 0 {
			v.note(field, truth(i), "")
		} else {
			right++
		}
	}
	for j := range found {
		if !slices.Contains(partners, j) {
			v.note(field, "", got(j))
		}
	}
	v.count(field, len(partners), found, right)
}

// skills judges the listed skills, and all returned ones. Skills of other text are judged only if the labels have them.
func (v *verdict) skills(l labels, found []resume.Skill, t *taxonomy.Taxonomy) {
	// A label may use another name of the skill than the parser, which returns the taxonomy's.
	names := func(label string, s resume.Skill) bool {
		if matches(label, s.Name) || s.Written != "" && matches(label, s.Written) {
			return true
		}
		return s.ID != "" && slices.ContainsFunc(alternatives(label), func(a string) bool {
			return slices.Contains(skillIDs(t, []string{a}), s.ID)
		})
	}

	for _, label := range l.Skills {
		wasFound := slices.ContainsFunc(found, func(s resume.Skill) bool { return names(label, s) })
		v.count(goalListed, 1, 1, number(wasFound))
		if !wasFound {
			v.note(goalListed, label, "")
		}
	}

	for _, s := range found {
		isListed := slices.ContainsFunc(l.Skills, func(label string) bool { return names(label, s) })
		isMentioned := slices.ContainsFunc(l.Mentioned, func(label string) bool { return names(label, s) })

		// The labels have every skill of a skills section, so one that they don't have there is wrong.
		isJudgedAsListed := isListed || s.Section == "skills" && !isMentioned
		if isJudgedAsListed {
			v.count(goalReturned, 1, 1, number(isListed))
		}

		// They have every skill of other text only if they say so.
		isRight := isListed || isMentioned
		isJudged := isRight || isJudgedAsListed || l.stated["skills_mentioned"]
		if !isJudged {
			continue
		}

		v.count(goalSkills, 0, 1, number(isRight))
		v.estimate("skills", s.Confidence, isRight)
		if !isRight {
			v.note("false skills", "", s.Name+" ("+s.Section+")")
		}
	}
}
