package playground

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

const (
	rankingsPath = page.Root + "/rankings"
	// defaultProfile is the shipped profile that ranks without a published ranking.
	defaultProfile = "default"
)

// A rankingHandler serves the page with the versions of the account's ranking.
type rankingHandler struct{ *tuneHandler }

// rankingsView is the page with the versions.
type rankingsView struct {
	Published *matching.Ranking // nil before the first publication, and after a withdrawal
	Versions  []versionRow      // the newest first
	Max       int
	Learning  learningView

	Compared *comparedVersion // nil unless the query asks for it
}

// versionRow is a version in the list.
type versionRow struct {
	rankings.Version
	Author  string
	Current bool   // published
	Earlier bool   // than the published one
	Weights string // those that differ from the shipped profile
}

// comparedVersion says what publishing a version would do to stored briefs.
type comparedVersion struct {
	Name, Now string
	Briefs    []tunedBrief
	Late      int
}

// published returns the published ranking of the account, or nil if the account has published nothing.
func (h *client) published(v *page.Visit) (*matching.Ranking, error) {
	return h.Rankings.Published(v.Context(), v.Account.ID)
}

// versionName returns how pages name a version.
func versionName(r *matching.Ranking) string {
	return fmt.Sprintf("%s (version %d)", r.Name, r.Version)
}

// listPage returns the page with all versions. With compare in the query, it compares one with what ranks requests now.
func (h *rankingHandler) listPage(v *page.Visit) (page.Page, error) {
	list, published, err := h.Rankings.List(v.Context(), v.Account.ID)
	if err != nil {
		return page.Page{}, err
	}
	users, err := h.Users.List(v.Context(), v.Account.ID)
	if err != nil {
		return page.Page{}, err
	}

	view := rankingsView{Published: published, Max: rankings.MaxVersions}
	for i := range list {
		row := versionRow{Version: list[i], Author: "a former member", Weights: changedWeights(&list[i].Ranking)}
		row.Current = published != nil && published.Version == list[i].Version
		row.Earlier = published != nil && published.Version > list[i].Version
		if row.MadeBy == audit.Learning {
			row.Author = "the service, by learning"
		}
		if i := slices.IndexFunc(users, func(u account.User) bool { return u.ID == row.MadeBy }); i >= 0 {
			row.Author = users[i].Email
		}
		view.Versions = append(view.Versions, row)
	}

	if view.Learning, err = h.learning(v); err != nil {
		return page.Page{}, err
	}

	if text := v.Request.URL.Query().Get("compare"); text != "" {
		i := slices.IndexFunc(list, func(l rankings.Version) bool { return strconv.Itoa(l.Version) == text })
		if i < 0 {
			return page.Page{}, page.ErrNotFound
		}
		if view.Compared, err = h.compareVersion(v, &list[i].Ranking, published); err != nil {
			return page.Page{}, err
		}
	}

	return page.Page{Template: "rankings", Title: "Rankings", Section: "playground", Data: view}, nil
}

// changedWeights returns the profile of a ranking and the weights that differ from it, in words.
func changedWeights(r *matching.Ranking) string {
	text := page.Title(r.Profile)
	profile, err := ranking.Load(r.Profile)
	if err != nil { // a profile of an earlier release
		return text
	}
	for _, f := range featureFields() {
		weight, has := r.Weights[f.Feature]
		if has && weight != profile.Weights[f.Feature] {
			text += ", " + f.Label + " " + plainNumber(weight)
		}
	}
	return text
}

// compareVersion compares the first places of stored briefs by a version with those that requests get now.
func (h *rankingHandler) compareVersion(v *page.Visit, r, published *matching.Ranking) (*comparedVersion, error) {
	ctx, cancel := context.WithTimeout(v.Context(), tuneTime)
	defer cancel()
	leave, err := h.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()

	stored, err := h.storedBriefs(v, "")
	if err != nil {
		return nil, err
	}
	compared := &comparedVersion{Name: versionName(r), Now: "the shipped default"}
	if published != nil {
		compared.Now = versionName(published)
	}
	compared.Briefs, compared.Late, err = h.compareBriefs(ctx, v, stored,
		&matching.Brief{Ranking: published}, &matching.Brief{Ranking: r})
	return compared, err
}

// publish stores the weights of a form as a new version, and publishes it.
func (h *rankingHandler) publish(v *page.Visit) error {
	f := page.FormReader{Visit: v}
	version := rankings.Version{Ranking: matching.Ranking{
		Name: f.Value("name"), Profile: cmp.Or(f.Value("profile"), defaultProfile), Weights: map[string]float64{},
	}}
	for _, field := range featureFields() {
		if n := f.Decimal(field.Name); n != nil {
			version.Weights[field.Feature] = *n
		}
	}
	if err := matching.Invalid(f.Faults); err != nil {
		return h.reject(v, err)
	}

	saved, err := h.Rankings.Publish(v.Context(), v.By(), v.Account.ID, version)
	return h.finishChange(v, &saved.Ranking, err)
}

// finishChange answers a change of what is published.
func (h *rankingHandler) finishChange(v *page.Visit, now *matching.Ranking, err error) error {
	switch {
	case errors.Is(err, rankings.ErrNotFound):
		return page.ErrNotFound
	case matching.CodeOf(err) == matching.CodeInvalid:
		return h.reject(v, err)
	case err != nil:
		return err
	}
	v.Notice(versionName(now) + " ranks the matches of your keys from now on.")
	return v.Redirect(rankingsPath)
}

// reject shows the page with the faults of a ranking.
func (h *rankingHandler) reject(v *page.Visit, fault error) error {
	p, err := h.listPage(v)
	if err != nil {
		return err
	}
	return v.Reject(fault, p)
}

// rollBack publishes an earlier version, or none.
func (h *rankingHandler) rollBack(v *page.Visit) error {
	text := v.Value("version")
	if text == "" {
		err := h.Rankings.Withdraw(v.Context(), v.By(), v.Account.ID)
		if err != nil && !errors.Is(err, rankings.ErrNotFound) { // nothing was published
			return err
		}
		v.Notice("The shipped default ranks the matches of your keys from now on.")
		return v.Redirect(rankingsPath)
	}

	version, err := strconv.Atoi(text)
	if err != nil {
		return page.ErrBadForm
	}
	saved, err := h.Rankings.RollBack(v.Context(), v.By(), v.Account.ID, version)
	return h.finishChange(v, &saved.Ranking, err)
}
