package dashboard_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// element is a start tag of a page.
type element struct {
	name  string
	attrs map[string]string
}

func elements(page string) []element {
	var all []element
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return all
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		token := tokens.Token()
		e := element{token.Data, map[string]string{}}
		for _, a := range token.Attr {
			e.attrs[a.Key] = a.Val
		}
		all = append(all, e)
	}
}

// Every page is usable with a keyboard and a screen reader: it has one h1 and one main element, a label for each field,
// and unique IDs; references lead to existing IDs.
func TestPages_AreWellFormed(t *testing.T) {
	w := newWorld(t)
	_, key := w.key(w.owner, "Website")
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	pages := everyPage(t, w, w.owner, key)
	keyID := currentKey(t, w, w.owner).ID
	w.api.body = fullResume(t)
	pages["resume with all fields"] = w.as(w.owner).upload(keyID, "resume.pdf", "%PDF")
	w.api.body = reportExample(t)
	pages["report with all fields"] = w.as(w.owner).play(interviewPath, "key", keyID, "step", "report")
	for at, a := range pages {
		if a.location != "" {
			continue
		}
		ids := map[string]int{}
		count := map[string]int{}
		labels := map[string]bool{}
		all := elements(a.body)
		for _, e := range all {
			count[e.name]++
			if id := e.attrs["id"]; id != "" {
				ids[id]++
			}

			if e.name == "label" {
				labels[e.attrs["for"]] = true
			}
		}

		if count["h1"] != 1 || count["main"] != 1 || count["title"] < 1 {
			t.Errorf("%s: %d h1, %d main", at, count["h1"], count["main"])
		}

		for id, n := range ids {
			if n > 1 {
				t.Errorf("%s: %d elements have the id %q", at, n, id)
			}
		}

		for i, e := range all {
			for _, attribute := range []string{"aria-describedby", "aria-labelledby", "for", "data-copy"} {
				for _, id := range strings.Fields(e.attrs[attribute]) {
					if ids[id] == 0 {
						t.Errorf("%s: %s of <%s> names %q, which doesn't exist", at, attribute, e.name, id)
					}
				}
			}

			if href := e.attrs["href"]; strings.HasPrefix(href, "#") && ids[href[1:]] == 0 && href != "#id" {
				t.Errorf("%s: a link leads to %s, which doesn't exist", at, href)
			}
			field := slices.Contains([]string{"input", "select", "textarea"}, e.name) && e.attrs["type"] != "hidden"
			_, hidden := e.attrs["hidden"]
			inLabel := i > 0 && all[i-1].name == "label"
			if field && !hidden && !inLabel && !labels[e.attrs["id"]] {
				t.Errorf("%s: the field %q has no label", at, e.attrs["name"])
			}
		}
	}
}

func TestPages_HaveNoDeadLinks(t *testing.T) {
	w := newWorld(t)
	_, key := w.key(w.owner, "Website")
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	browsers := map[string]*browser{"nobody": w.browser(), "owner": w.as(w.owner), "admin": w.as(w.admin)}
	followed := map[string]bool{}
	for at, a := range everyPage(t, w, w.owner, key) {
		who, _, _ := strings.Cut(at, " ")
		b := browsers[who]
		if b == nil {
			continue
		}

		for _, e := range elements(a.body) {
			for _, attribute := range []string{"href", "src"} {
				link := e.attrs[attribute]
				if !strings.HasPrefix(link, "/") || followed[who+link] {
					continue
				}
				followed[who+link] = true
				if target := b.get(link); target.status >= 400 {
					t.Errorf("%s: %s has status %d", at, link, target.status)
				}
			}
		}
	}

	if len(followed) < 20 {
		t.Errorf("only %d links found", len(followed))
	}
}
