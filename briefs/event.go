package briefs

import "github.com/freelancer-matching/service/feed"

// An Event is something new in the list of a brief.
type Event struct {
	Kind feed.Event // feed.BriefEntered, feed.BriefLeft or feed.BriefAvailable
	News feed.BriefNews
}
