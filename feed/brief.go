package feed

import (
	"github.com/freelancer-matching/service/internal/matching"
)

// A Cause says why the list of a saved brief has changed.
type Cause string

// The causes.
const (
	ByChange  Cause = "change"  // a freelancer was stored, patched or erased
	ByRefresh Cause = "refresh" // the brief was matched again, such as after a load
)

// A BriefMessage is the data of BriefEntered, BriefLeft and BriefAvailable.
type BriefMessage struct {
	Entries []BriefNews `json:"entries"`
}

// BriefNews says what is new in the list of a saved brief.
type BriefNews struct {
	Brief      string `json:"brief_id"`
	Name       string `json:"brief_name"`
	Freelancer string `json:"freelancer_id"`
	Cause      Cause  `json:"cause"`

	// Standing is nil for somebody who has left the list.
	Standing *BriefStanding `json:"standing,omitempty"`

	// Replaced is the freelancer who has left the list for somebody who entered, and ReplacedBy is the reverse.
	Replaced   string `json:"replaced,omitempty"`
	ReplacedBy string `json:"replaced_by,omitempty"`
}

// A BriefStanding is the place of somebody on the list of a saved brief, and why.
type BriefStanding struct {
	Rank          int                `json:"rank"` // in the ranking of all freelancers, from 1
	Score         float64            `json:"score"`
	Level         matching.Level     `json:"level"`
	MatchedSkills []string           `json:"matched_skills"`
	MissingSkills []string           `json:"missing_skills"`
	Explanation   []matching.Feature `json:"explanation"`
}

// sampleNews returns invented data of an event about a saved brief.
func sampleNews(e Event) BriefMessage {
	news := BriefNews{
		Brief: "brf_0123456789abcdef", Name: "Online shop", Freelancer: "f1859", Cause: ByChange,
		Standing: &BriefStanding{
			Rank: 3, Score: .71, Level: matching.LevelStrong, MatchedSkills: []string{"React", "Node.js"},
			MissingSkills: []string{"Kubernetes"},
			Explanation: []matching.Feature{{
				Name: "skills", Value: .7, Weight: .5, Contribution: .35,
				Summary: "2 of 3 required skills (listed: React, Node.js; no evidence: Kubernetes)",
			}},
		},
	}

	if e == BriefEntered {
		news.Replaced = "f77"
	}
	if e == BriefLeft {
		news.Freelancer = "f77"
		news.ReplacedBy = "f1859"
		news.Standing = nil
	}
	return BriefMessage{[]BriefNews{news}}
}
