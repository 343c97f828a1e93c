package match

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/plaintext"
	"github.com/freelancer-matching/service/match/headline"
	"github.com/freelancer-matching/service/match/suggest"
)

// An Advert is what the text of a job advert says, in the parts of a brief. It is a proposal: nothing was searched.
type Advert struct {
	Title            string // "" unless the first line is one
	RequiredSkills   []string
	NiceToHaveSkills []string
	Budget           suggest.Budget         // without one, High is 0
	Days             matching.Optional[int] // until the end of the work
	StartDay         matching.Optional[int] // in days since 1970-01-01
	// Filters holds the filters that the text asks for, as in an answer. A rate is part of the budget instead.
	Filters []matching.SuggestedFilter
}

// Read reads an advert as Match reads the description of a brief without any other field. Without data, it finds no
// skills and no filters. It returns the same errors as Match.
func (s *Service) Read(ctx context.Context, text string) (*Advert, error) {
	brief := &matching.Brief{Description: text}
	plain := plaintext.Of(text)
	asked := s.reader.suggester.ReadAdvert(plain)
	when := s.reader.schedules.Read(plain, matching.DayOf(s.reader.now()))
	advert := &Advert{
		Title:  titleOf(headline.Of(plain, s.taxonomy), plain),
		Budget: asked.Budget, Days: when.Days, StartDay: when.Start,
	}

	err := engine.ReadLive(ctx, s.engine, Alias, func(live engine.Snapshot) error {
		if live == nil {
			return nil
		}
		understood, err := s.understand(ctx, live, s.profiles[""], brief)
		if err != nil {
			return err
		}

		filters, err := dropUseless(ctx, live, s.reader.suggestedFilters(&brief.Filters, &understood))
		if err != nil {
			return err
		}
		advert.RequiredSkills = understood.demand.derivedSkills()
		advert.NiceToHaveSkills = understood.demand.niceToHave
		advert.Filters = nil // of an earlier attempt
		for _, filter := range filters {
			if filter.Filter != suggest.MaxHourlyRate {
				advert.Filters = append(advert.Filters, filter)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return advert, nil
}

// The longest first line that is a title. Longer ones are sentences.
const (
	maxTitleWords      = 12
	maxTitleCharacters = 100
)

// titleOf returns the headline of an advert if it is a line of its own, as titles are, or "".
func titleOf(head, plain string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(plain), "\n")
	first = strings.TrimSpace(first)
	isLine := first != "" && strings.TrimSpace(head) == first
	isShort := len(strings.Fields(first)) <= maxTitleWords && utf8.RuneCountInString(first) <= maxTitleCharacters
	isSentence := strings.HasSuffix(first, ".") || strings.HasSuffix(first, "!") || strings.HasSuffix(first, "?") ||
		strings.HasSuffix(first, ":") || strings.HasSuffix(first, ",")
	if !isLine || !isShort || isSentence {
		return ""
	}
	return first
}
