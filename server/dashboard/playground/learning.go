package playground

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/events/learning"
	"github.com/freelancer-matching/service/ranking/learn"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// Learning learns rankings from what clients choose.
type Learning interface {
	State(ctx context.Context, account string) (learning.State, error)
	// AllowSwaps begins or ends it for an account, and reports whether that changed anything.
	AllowSwaps(ctx context.Context, by audit.By, account string, allow bool) (bool, error)
}

// learningView is the part of the page Rankings about learning.
type learningView struct {
	learning.State
	Needs   []need          // what was counted, and how much is needed; nil before the first run
	Effects []labeledFigure // of what was learned; nil if too little is known
	Groups  []labeledFigure // their exposure
	Weights []weightPair    // before and after
}

// need is something of which enough is needed.
type need struct {
	What       string
	Have, Need int
}

// labeledFigure is a figure with its meaning.
type labeledFigure struct{ Label, Value string }

// weightPair is the weight of a feature that ranks, and the one that was learned.
type weightPair struct{ Label, Current, Learned string }

// learning returns what the page shows about learning.
func (h *rankingHandler) learning(v *page.Visit) (view learningView, err error) {
	if view.State, err = h.Learning.State(v.Context(), v.Account.ID); err != nil || !view.Allowed || view.Last == nil {
		return view, err
	}

	run := view.Last
	o := learn.DefaultOptions()
	view.Needs = []need{
		{"People chosen before the last week", run.Choices, o.MinGains},
		{"People chosen in the last week, which decides", run.Decisive, o.MinHeldOut},
		{"People chosen before it at ranks whose order a coin decided", run.Swapped, o.MinSwapped},
	}
	if run.Learned == nil {
		return view, nil
	}

	view.Needs = append(view.Needs, need{"Choices that tell the two rankings apart", run.Neighbors.N, o.MinDecided})
	view.Effects = []labeledFigure{
		{"Of two neighbors, the one whom the learned ranking prefers was chosen more often by", estimateText(run.Neighbors)},
		{"Gain of whole lists, estimated", estimateText(run.Better)},
	}
	for _, g := range run.Exposure {
		view.Groups = append(view.Groups, labeledFigure{g.Group, fmt.Sprintf("%+.1f %%", 100*g.Change)})
	}
	for _, f := range featureFields() {
		view.Weights = append(view.Weights, weightPair{
			f.Label, plainNumber(run.Current[f.Feature]), plainNumber(run.Learned[f.Feature]),
		})
	}
	return view, nil
}

// estimateText returns an estimate in points of 100, with its interval.
func estimateText(e learn.Estimate) string {
	point := func(x float64) string { return strconv.FormatFloat(math.Round(1000*x)/10, 'f', -1, 64) }
	return fmt.Sprintf("%s points of 100 (95 %% interval: %s to %s)", point(e.Mean), point(e.Low), point(e.High))
}

// setLearning turns learning on or off.
func (h *rankingHandler) setLearning(v *page.Visit) error {
	allow := false
	switch v.Value("learn") {
	case "yes":
		allow = true
	case "no":
	default:
		return page.ErrBadForm
	}

	if _, err := h.Learning.AllowSwaps(v.Context(), v.By(), v.Account.ID, allow); err != nil {
		return err
	}
	v.Notice("The service learns from what your clients choose from now on.")
	if !allow {
		v.Notice("Nothing is learned any more. The values stored for it are deleted.")
	}
	return v.Redirect(rankingsPath)
}
