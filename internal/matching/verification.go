package matching

// Verification is the result of verifying a word: the skills or job titles it names, or similar terms. Lists are never
// nil.
type Verification struct {
	Exists       bool             `json:"exists"`
	Type         Optional[string] `json:"type"`          // TypeSkill or TypeJobTitle; unknown if neither
	Matches      []string         `json:"matches"`       // the skills, or the job titles if there are no skills
	Skills       []string         `json:"skills"`        // canonical names of the skills the word names
	JobTitles    []string         `json:"job_titles"`    // job titles the word names
	SimilarTerms []string         `json:"similar_terms"` // up to 5, best first; empty for a word in the taxonomy
	// FreelancerCount is the number of freelancers with the skill, or with the job in their title. For several skills or
	// titles, it is the largest of their numbers.
	FreelancerCount int `json:"freelancer_count"`
	// Skill describes the skill that the word names or that the job is about; nil if there is none, or more than one.
	Skill      *SkillFacts      `json:"skill"`
	Source     Optional[string] `json:"source"`     // where the word was found; unknown if nowhere
	Confidence float64          `json:"confidence"` // of Type, 0 to 1; 0 if the word doesn't exist
	NoVerdict  Optional[string] `json:"no_verdict"` // why a language model gave no verdict on an unknown word
}

// The values of Verification.Type.
const (
	TypeSkill    = "skill"
	TypeJobTitle = "job_title"
)

// The values of Verification.Source.
const (
	SourceTaxonomy = "taxonomy"
	SourceIndex    = "index" // freelancers use the word
	SourceLLM      = "llm"   // a language model's verdict
)

// The values of Verification.NoVerdict.
const (
	NoVerdictLimit  = "limit_reached" // the account reached its daily limit of words
	NoVerdictFailed = "llm_failed"    // the model failed or took too long
)

// SkillFacts describes a skill of the taxonomy. Lists are never nil.
type SkillFacts struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	Synonyms        []string `json:"synonyms"`
	Category        string   `json:"category"`
	Broader         []string `json:"broader"` // names of broader skills
	Related         []string `json:"related"` // names of skills often needed together with it
	FreelancerCount int      `json:"freelancer_count"`
}
