package entries

import (
	"math/bits"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/taxonomy"
)

// A headerReader reads the headers of entries.
type headerReader struct {
	words    *lexicon.Lexicon
	taxonomy *taxonomy.Taxonomy
}

// A role is what a fragment of a header is for. The same roles serve positions and degrees.
type role uint8

const (
	lead  role = iota // the job title, or the degree
	host              // the employer, or the institution
	where             // a place
	field             // of study
	note              // anything else
	numRoles
)

// A sign is a property of a fragment that speaks for or against its roles.
type sign uint8

const (
	always            sign = iota
	titleOutside           // its first or last word, or the head of a phrase, is a word of job titles
	titleInside            // another word of it is one
	seniorFirst            // it starts with a seniority, and has no word of job titles
	knownTitle             // the taxonomy has this job title
	legalForm              // it ends with a legal form
	organizationLast       // its last word is a word for organizations
	organizationWord       // another word of it is one
	schoolWord             // it has a word for schools
	schoolLater            // its first piece has none, but another piece has
	schoolFirst            // only its first piece has one
	onlyKind               // a word for organizations alone: "Academy"
	phraseAcross           // a line break divides its degree
	placeName              // it is a place by name
	placeForm              // it has the form of a place
	contractWord           // it is a kind of contract
	departmentName         // it is a part of companies: "HR"
	webPage                // it is a web address with a path
	gradeWord              // it starts like a grade
	duration               // it is a duration
	afterAt                // it follows "at"
	bracketed              // it is in brackets
	remark                 // it is in brackets right after a job title: "Engineer (Search, Ranking)"
	lowerFirst             // it starts with a small letter
	longText               // it has more than eight words
	sentenceLike           // it reads like running text
	numbered               // it has digits
	degreeFirst            // it starts with a degree
	degreeWord             // it has a degree elsewhere
	degreeField            // a degree and its field
	degreeLink             // a degree, a word such as "in", and its field
	degreeLater            // another piece than the first starts with a degree
	placeParts             // a place by name, in several parts
	labeled                // it has a label: "Technologies: Go"
	tail                   // a few words at the end of a line, after a comma, a dash or a gap
	subjectWord            // it ends with a word for fields of study
	allTitles              // each of its pieces has a word of job titles outside
	labelOnly              // it is a label without its value
	labelBefore            // it is a label, and its value follows a colon
	nameLater              // it follows a title, and starts with a word of job titles that is part of a name
	organizationLater      // its first piece has no word for organizations, but another piece has
	titleLabel             // it follows a label of job titles: "Position: Analyst"
	hostLabel              // it follows a label of employers or schools
	degreeLabel            // it follows a label of degrees: "Degree: BSc"
	fieldLabel             // it follows a label of fields of study: "Major: Physics"
	numSigns
)

// weights has the weights of the signs for each role, in log odds.
type weights [numSigns][numRoles]float64

// A grammar says how the header of an entry is read.
type grammar struct {
	weights *weights
	missing [numRoles]float64 // what it costs if no fragment has the role
	roles   []role
}

// positionGrammar reads the headers of positions. The weights are set by hand.
var positionGrammar = grammar{
	roles:   []role{lead, host, where, note},
	missing: [numRoles]float64{lead: -1.5, host: -1},
	weights: &weights{
		//                 title employer place field  note
		always:            {0, .4, -2.5, 0, -.8},
		titleOutside:      {2.5, -2.8, -3, 0, -1.8},
		titleInside:       {1.2, -.6, -1, 0, -.3},
		seniorFirst:       {1, -.3, 0, 0, 0},
		knownTitle:        {1.2, -1, -1, 0, -.5},
		legalForm:         {-5, 4, -4, 0, -2},
		organizationLast:  {-1.5, 1.6, -1, 0, -.4},
		organizationWord:  {-.4, .7, -.5, 0, -.1},
		schoolWord:        {-1.5, 2, -2, 0, -.5},
		onlyKind:          {0, -2, 0, 0, 0},
		placeName:         {-4, -2.5, 5, 0, 0},
		placeForm:         {-1, -.8, 3.2, 0, 0},
		contractWord:      {-3, -2, 0, 0, 2.5},
		departmentName:    {0, -2.5, -2, 0, 1.5},
		webPage:           {-4, -2, -4, 0, 1.5},
		gradeWord:         {-1, -1, -1, 0, 1},
		duration:          {-5, -5, -5, 0, 2},
		afterAt:           {-2, 2.5, 0, 0, 0},
		bracketed:         {-1.5, -.8, 0, 0, .5},
		remark:            {0, 0, -3.5, 0, .5},
		lowerFirst:        {-1, -.7, -2, 0, .3},
		longText:          {-1, -.8, -2, 0, .4},
		sentenceLike:      {-4, -4, -5, 0, .2},
		numbered:          {-.5, -.3, 0, 0, .2},
		labeled:           {-2, -2, -2, 0, -.5},
		placeParts:        {0, 0, 1, 0, 0},
		tail:              {-.2, -.4, 1.6, 0, 0},
		labelOnly:         {-3, -3, -3, 0, 1},
		labelBefore:       {-2, -2, 0, 0, 0},
		allTitles:         {1.5, 0, 0, 0, 0},
		nameLater:         {-1.5, 2.2, 0, 0, 0},
		organizationLater: {0, -.8, 0, 0, 0},
		titleLabel:        {3, -3, -3, 0, -2},
		hostLabel:         {-3, 3, -3, 0, -2},
	},
}

// degreeGrammar reads the headers of degrees. The weights are set by hand.
var degreeGrammar = grammar{
	roles:   []role{lead, host, where, field, note},
	missing: [numRoles]float64{lead: -1.2, host: -1.2},
	weights: &weights{
		//                 degree school place field  note
		always:           {-1.8, .2, -2.5, 0, -.8},
		titleOutside:     {-.3, -.5, 0, -.3, 0},
		legalForm:        {-3, 3, -4, -3, 0},
		organizationLast: {-.5, 1, -1, 0, 0},
		organizationWord: {0, .3, 0, 0, 0},
		schoolWord:       {-2.5, 3.5, -2, -3, -1},
		schoolLater:      {0, -1.5, 0, 0, 0},
		onlyKind:         {0, -2, 0, 0, 0},
		phraseAcross:     {4, 0, 0, 0, 0},
		placeName:        {-4, -1.5, 5, -4, 0},
		placeForm:        {-1, -.5, 2, -.5, 0},
		contractWord:     {-3, -2, 0, -3, 1.5},
		webPage:          {-4, -2, -4, -4, 1.5},
		gradeWord:        {-3.5, -3, -3, -3.5, 2.5},
		duration:         {-5, -5, -5, -5, 2},
		afterAt:          {-2, 2.5, 0, -2, 0},
		bracketed:        {-.5, -1.5, 0, .3, .3},
		lowerFirst:       {-1, -1, -2, -1, .3},
		longText:         {0, -.8, -2, -.5, .2},
		sentenceLike:     {-2, -4, -5, -4, .2},
		numbered:         {-.3, -.5, 0, -1, .3},
		degreeFirst:      {5, -3.5, -3, -2, -1.5},
		degreeWord:       {3.2, -3, -2, -1, -1},
		degreeField:      {.8, 0, 0, 1.2, 0},
		degreeLink:       {1.2, 0, 0, -2, 0},
		degreeLater:      {-2, -4, 0, -2, 0},
		schoolFirst:      {0, -.3, 0, 0, 0},
		tail:             {0, 0, 1, 0, 0},
		subjectWord:      {.3, -1.5, -2, 1.5, -.4},
		labelOnly:        {-3, -3, -3, -3, 1},
		placeParts:       {0, 0, 1, 0, 0},
		labeled:          {-1, -2, -2, -1, .5},
		hostLabel:        {-3, 3, -3, -3, -2},
		degreeLabel:      {3, -3, -3, -1, -2},
		fieldLabel:       {-1, -3, -3, 3, -2},
	},
}

// A signSet is a set of signs.
type signSet uint64

func (s *signSet) add(x sign, ok bool) {
	if ok {
		*s |= 1 << x
	}
}

func (s signSet) has(x sign) bool { return s>>x&1 != 0 }

// score returns what the signs of a fragment say about a role.
func (w *weights) score(s signSet, r role) float64 {
	total := 0.0
	for ; s != 0; s &= s - 1 {
		total += w[bits.TrailingZeros64(uint64(s))][r]
	}
	return total
}
