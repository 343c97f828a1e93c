package synthetic

import (
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// The proportions of details. Marketplaces know where almost everybody lives, and languages of most people.
const (
	knownPlace     = 0.95
	knownLanguages = 0.85
	speaksEnglish  = 0.8
	speaksAnother  = 0.25
	knownHours     = 0.6
	knownVerified  = 0.9
	verified       = 0.7
	startsLater    = 0.3
	latestStart    = 180 // days after firstStart
)

// firstStart is the first date from which somebody is available. It is fixed, so that records depend on the seed only.
var firstStart = time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)

// A place is where freelancers live.
type place struct {
	Location string `json:"location"`
	Country  string `json:"country"` // ISO 3166-1
	TimeZone string `json:"time_zone"`
	Currency string `json:"currency"`
	Language string `json:"language"` // BCP 47
}

// foreignLevels are the levels of languages that people have learned.
var foreignLevels = []matching.LanguageLevel{"", "A2", "B1", "B2", "B2", "C1", "C1", "C2"}

// details draws the details of a freelancer.
func (c *composer) details() (d matching.Details) {
	// Country, zone, currency and language come from one place, so that a record doesn't contradict itself.
	home := oneOf(c, c.places)
	if c.chance(knownPlace) {
		d.Location = home.Location
		d.Country = home.Country
		d.TimeZone = home.TimeZone
		d.Currency = home.Currency
	}

	if c.chance(knownLanguages) {
		d.Languages = append(d.Languages, matching.SpokenLanguage{Tag: home.Language, Level: matching.LevelNative})
		if home.Language != "en" && c.chance(speaksEnglish) {
			d.Languages = append(d.Languages, matching.SpokenLanguage{Tag: "en", Level: oneOf(c, foreignLevels)})
		}

		if other := oneOf(c, c.places).Language; other != home.Language && other != "en" && c.chance(speaksAnother) {
			d.Languages = append(d.Languages, matching.SpokenLanguage{Tag: other, Level: oneOf(c, foreignLevels)})
		}
	}

	if c.chance(startsLater) {
		d.AvailableFrom = firstStart.AddDate(0, 0, c.rng.IntN(latestStart)).Format(time.DateOnly)
	}

	if c.chance(knownHours) {
		d.HoursPerWeek = matching.Some(float64(10 + 10*c.rng.IntN(4)))
	}

	if c.chance(knownVerified) {
		d.Verified = matching.Some(c.chance(verified))
	}

	return d
}
