package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/freelancers/freelancerstest"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard"
)

// peyan returns an option whose data has the freelancer of the stored match, as they are now.
func peyan(description string) option {
	return func(c *dashboard.Config, _ *account.Config) {
		c.Freelancers = freelancerstest.New(matching.Freelancer{ID: "f530", Name: "Peyan Canden", Description: description})
	}
}

// played returns a member's browser and the page of a match.
func played(t *testing.T, w *world, body string) (*browser, string) {
	t.Helper()
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, body
	return b, b.post("/dashboard/playground", "key", key.ID, "description", "Shops in React. Design a checkout.").location
}

// The page about a person has the description, with the words of the brief in any form, and says why the score is what
// it is. Only people of the answer have one, and only in the account.
func TestProfile(t *testing.T) {
	w := newWorld(t, peyan("I design <b>shops</b>.\n\nCheckouts are my thing: C++, too."))
	b, path := played(t, w, storedMatch(t))
	person := path + "/freelancers/f530"
	if list := b.get(path); !strings.Contains(list.body, `href="`+person+`"`) {
		t.Error("the matches have no link to the page")
	}

	a := b.get(person).expect(t, http.StatusOK, "Peyan Canden", "Expert MERN Stack Developer", "place 1", "0.63",
		"Checkouts are my thing: C++, too.", "Why this score", "Words of the brief are marked.")
	for _, want := range []string{"<mark>design</mark>", "<mark>shops</mark>", "<mark>Checkouts</mark>"} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for unwanted, why := range map[string]string{
		"<b>": "markup of the description", "<mark>are</mark>": "a word that says nothing",
		"/admin/freelancers/": "the form with the record, which members can't open",
	} {
		if strings.Contains(a.body, unwanted) {
			t.Errorf("the page has %s: %s", unwanted, why)
		}
	}

	b.get(path+"/freelancers/f531").expect(t, http.StatusNotFound)
	b.get("/dashboard/playground/r/unknown/freelancers/f530").expect(t, http.StatusNotFound)
	w.as(w.stranger).get(person).expect(t, http.StatusNotFound)
}

// An answer outlives the people in it.
func TestProfile_OfSomebodyErased(t *testing.T) {
	w := newWorld(t)
	b, path := played(t, w, storedMatch(t))
	const gone = "Nothing is stored about this person any more"
	b.get(path+"/freelancers/f530").expect(t, http.StatusOK, "Peyan Canden", gone)
}

// A match without a title shows what the person writes instead.
func TestMatch_WithoutATitle(t *testing.T) {
	text := "Potter with a love of glazes. " + strings.Repeat("Much more. ", 30)
	w := newWorld(t, peyan(text))
	body := strings.Replace(storedMatch(t), `"Expert MERN Stack Developer | React, Node"`, `""`, 1)
	b, path := played(t, w, body)
	a := b.get(path).expect(t, http.StatusOK, "Potter with a love of glazes.", "…")
	_, row, _ := strings.Cut(a.body, `<li class="person-row`)
	row, _, _ = strings.Cut(row, "</li>")
	if !strings.Contains(row, "Potter") || strings.Contains(row, strings.TrimSpace(text)) {
		t.Errorf("the row has not the first words of the description: %s", row)
	}
}
