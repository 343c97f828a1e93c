package matching

// Verification is what is known of a word: whether it names a skill or a job, and what it may have been meant as where it
// does not. Lists are never nil.
type Verification struct {
	Exists       bool             `json:"exists"`
	Type         Optional[string] `json:"type"`          // TypeSkill or TypeJobTitle; unknown where it is neither
	Matches      []string         `json:"matches"`       // the skills, or the job titles where there are no skills
	Skills       []string         `json:"skills"`        // that the word names, by their canonical names
	JobTitles    []string         `json:"job_titles"`    // that the word names
	SimilarTerms []string         `json:"similar_terms"` // up to 5, best first; none for a word of the taxonomy
	// FreelancerCount is how many freelancers of the index have the skill, or name the job in their title: of several skills
	// or titles the most that one of them has.
	FreelancerCount int `json:"freelancer_count"`
	// Skill is what the taxonomy knows of the skill that the word names, or that the job is about; nil: of none, or of several.
	Skill      *SkillFacts      `json:"skill"`
	Source     Optional[string] `json:"source"`     // where the word was found, one of the sources; unknown where it was not
	Confidence float64          `json:"confidence"` // 0 to 1, in Type; 0 where the word does not exist
	NoVerdict  Optional[string] `json:"no_verdict"` // why a language model was not heard on a word that nobody knows
}

// What a word names.
const (
	TypeSkill    = "skill"
	TypeJobTitle = "job_title"
)

// Where a word was found.
const (
	SourceTaxonomy = "taxonomy"
	SourceIndex    = "index" // some freelancers use it
	SourceLLM      = "llm"   // a language model says so
)

// Why a language model was not heard: the answer is what it would be without one.
const (
	NoVerdictLimit  = "limit_reached" // the account has had as many words judged today as it may
	NoVerdictFailed = "llm_failed"    // none was to be had in time
)

// SkillFacts is what the taxonomy knows of one skill. Lists are never nil.
type SkillFacts struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	Synonyms        []string `json:"synonyms"`
	Category        string   `json:"category"`
	Broader         []string `json:"broader"` // names of what it is a kind of
	Related         []string `json:"related"` // names of what is often needed along with it
	FreelancerCount int      `json:"freelancer_count"`
}
