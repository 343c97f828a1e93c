package webhooks

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/feeds"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

const (
	// webhooksPath is the page with the endpoints of an account.
	webhooksPath = page.Root + "/webhooks"
	// perPage is how many deliveries a page shows.
	perPage = 25
)

// A Handler serves the pages about an account's webhook endpoints.
type Handler struct{ Endpoints feeds.Endpoints }

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	return []page.Route{
		page.Get("/webhooks", account.Member, h.showAll),
		page.Get("/webhooks/new", account.Owner, h.showForm),
		page.Post("/webhooks/new", account.Owner, h.create),
		page.Get("/webhooks/{id}", account.Member, h.showOne),
		page.Get("/webhooks/{id}/secret", account.Owner, h.showSecret),
		page.Post("/webhooks/{id}", account.Owner, h.change),
		page.Post("/webhooks/{id}/rotate", account.Owner, h.rotate),
		page.Post("/webhooks/{id}/test", account.Owner, h.test),
		page.Post("/webhooks/{id}/retry", account.Owner, h.retry),
		page.Post("/webhooks/{id}/delete", account.Owner, h.remove),
	}
}

// allView is the data of the page with all endpoints.
type allView struct {
	Endpoints []feed.Endpoint
	Max       int
}

func (h *Handler) showAll(v *page.Visit) error {
	endpoints, err := h.Endpoints.List(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	return v.OK(page.Page{
		Template: "webhooks", Title: "Webhooks", Section: "webhooks", Data: allView{endpoints, feed.MaxEndpoints},
	})
}

// An eventChoice is an event to ask for.
type eventChoice struct {
	Event   feed.Event
	Meaning string
	Chosen  bool
}

// meaning says when an event happens.
func meaning(e feed.Event) string {
	switch e {
	case feed.FreelancerChanged:
		return "Freelancers were stored or patched"
	case feed.FreelancerErased:
		return "Freelancers were erased"
	case feed.LoadLive:
		return "New data is live, or a load was rolled back"
	case feed.LoadRefused:
		return "A file you uploaded was refused"
	case feed.QuotaNearlyExhausted:
		return "A key has used 80% of its 30-day limit"
	case feed.KeyExpiring:
		return "A key expires in 7 days, and again in 1 day"
	case feed.BriefEntered:
		return "Somebody is new on the list of a saved brief"
	case feed.BriefLeft:
		return "Somebody is no longer on such a list"
	case feed.BriefAvailable:
		return "Somebody on such a list has become available"
	default:
		return ""
	}
}

// choices returns all events, with those that a form has chosen.
func choices(form url.Values) (list []eventChoice) {
	chosen := map[string]bool{}
	for _, name := range form["events"] {
		chosen[name] = true
	}
	for _, e := range feed.Events() {
		list = append(list, eventChoice{e, meaning(e), chosen[string(e)]})
	}
	return list
}

// formView is the data of the page with the form for a new endpoint.
type formView struct{ Events []eventChoice }

func formPage(form url.Values) page.Page {
	return page.Page{
		Template: "newwebhook", Title: "New webhook", Section: "webhooks", Form: form, Data: formView{choices(form)},
	}
}

func (h *Handler) showForm(v *page.Visit) error { return v.OK(formPage(url.Values{})) }

// settings returns what a form says about an endpoint.
func settings(v *page.Visit) feed.Settings {
	n := feed.Settings{Name: v.Value("name"), URL: v.Value("url"), Off: v.Value("state") == "off"}
	for _, name := range v.Request.PostForm["events"] {
		n.Events = append(n.Events, feed.Event(name))
	}
	return n
}

// checkURL returns an error for a form without a URL. Endpoints without one are for programs that use the API.
func checkURL(n feed.Settings) error {
	if n.URL != "" {
		return nil
	}
	return matching.Invalid([]matching.FieldError{{
		Field: "url", Code: "required", Message: "enter the URL that receives the messages",
	}})
}

// secretView is what the page of a new secret shows only once.
type secretView struct {
	Secret string // "" if it was shown before
	Until  time.Time
}

// revealView is the data of the page that shows a new secret.
type revealView struct {
	secretView
	Endpoint feed.Endpoint
}

func secretPath(id string) string { return onePath(id) + "/secret" }

func onePath(id string) string { return webhooksPath + "/" + url.PathEscape(id) }

func secretPage(e feed.Endpoint, shown secretView) page.Page {
	title := "Your signing secret"
	if shown.Secret == "" {
		title = "This secret was already shown"
	}
	return page.Page{Template: "webhooksecret", Title: title, Section: "webhooks", Data: revealView{shown, e}}
}

func (h *Handler) create(v *page.Visit) error {
	n := settings(v)
	if err := checkURL(n); err != nil {
		return v.Reject(err, formPage(v.Request.PostForm))
	}
	e, secret, err := h.Endpoints.Create(v.Context(), v.By(), v.Account.ID, n)
	if err != nil {
		return v.Reject(err, formPage(v.Request.PostForm))
	}
	shown := secretView{Secret: secret.Text()}
	return v.ShowOnce(secretPath(e.ID), shown, secretPage(e, shown))
}

// endpointOf returns the endpoint in the URL if it belongs to the account.
func (h *Handler) endpointOf(v *page.Visit) (feed.Endpoint, error) {
	e, err := h.Endpoints.Get(v.Context(), v.Account.ID, v.Request.PathValue("id"))
	if matching.CodeOf(err) == feed.CodeEndpointUnknown {
		err = page.ErrNotFound
	}
	return e, err
}

func (h *Handler) showSecret(v *page.Visit) error {
	e, err := h.endpointOf(v)
	if err != nil {
		return err
	}
	var shown secretView
	v.TakeSecret(secretPath(e.ID), &shown)
	return v.OK(secretPage(e, shown))
}

// A deliveryRow is a delivery in the list.
type deliveryRow struct {
	feed.Delivery
	Badge page.Option // CSS class and label
	Text  string      // the body, indented
}

// oneView is the data of the page of an endpoint.
type oneView struct {
	Endpoint   feed.Endpoint
	Events     []eventChoice
	States     []page.Option
	Tests      []page.Option
	Deliveries []deliveryRow
	Next       string // URL of the next page; "" on the last one
	First      string // URL of the first page; "" if this is it
	Days       int    // for which deliveries are kept
}

// badge returns the look of a state.
func badge(s feed.DeliveryState) page.Option {
	class := map[feed.DeliveryState]string{
		feed.Delivered: "on", feed.Failed: "bad", feed.Retrying: "warn", feed.Waiting: "off", feed.Held: "off",
	}[s]
	return page.Option{Value: class, Label: page.Title(string(s))}
}

// placeOf returns the place in the list that a URL names, or the beginning.
func placeOf(v *page.Visit) (feed.Place, error) {
	id := v.Request.FormValue("after")
	if id == "" {
		return feed.Place{}, nil
	}
	created, err := strconv.ParseInt(v.Request.FormValue("created"), 10, 64)
	if err != nil {
		return feed.Place{}, page.ErrNotFound
	}
	return feed.Place{Created: time.UnixMicro(created), ID: id}, nil
}

// onePage returns the page of an endpoint with its settings in the form.
func (h *Handler) onePage(v *page.Visit, e feed.Endpoint, after feed.Place) (page.Page, error) {
	_, deliveries, err := h.Endpoints.Deliveries(v.Context(), v.Account.ID, e.ID, after, perPage+1)
	if err != nil {
		return page.Page{}, err
	}

	form := url.Values{"name": {e.Name}, "url": {e.URL}, "state": {"on"}}
	if !e.On() {
		form.Set("state", "off")
	}
	for _, event := range e.Events {
		form.Add("events", string(event))
	}

	view := oneView{
		Endpoint: e, Events: choices(form), States: page.Options("on", "On", "off", "Off"),
		Days: int(feed.KeepDeliveries.Hours() / 24),
	}
	for _, event := range feed.Events() {
		view.Tests = append(view.Tests, page.Option{Value: string(event), Label: string(event)})
	}
	if after.ID != "" {
		view.First = onePath(e.ID)
	}
	if len(deliveries) > perPage {
		deliveries = deliveries[:perPage]
		last := &deliveries[perPage-1]
		view.Next = onePath(e.ID) + "?" + url.Values{
			"created": {strconv.FormatInt(last.Created.UnixMicro(), 10)}, "after": {last.ID},
		}.Encode()
	}
	for _, d := range deliveries {
		var text bytes.Buffer
		if json.Indent(&text, d.Body, "", "  ") != nil {
			text.Write(d.Body)
		}
		view.Deliveries = append(view.Deliveries, deliveryRow{d, badge(d.State()), text.String()})
	}

	return page.Page{Template: "webhook", Title: e.Name, Section: "webhooks", Form: form, Data: view}, nil
}

func (h *Handler) showOne(v *page.Visit) error {
	e, err := h.endpointOf(v)
	if err != nil {
		return err
	}
	after, err := placeOf(v)
	if err != nil {
		return err
	}
	p, err := h.onePage(v, e, after)
	if err != nil {
		return err
	}
	return v.OK(p)
}

// confirm redirects to the page of an endpoint, which shows a confirmation.
func confirm(v *page.Visit, id, notice string) error {
	v.Notice(notice)
	return v.Redirect(onePath(id))
}

func (h *Handler) change(v *page.Visit) error {
	e, err := h.endpointOf(v)
	if err != nil {
		return err
	}
	n := settings(v)
	if e.URL != "" {
		err = checkURL(n)
	}
	if err == nil {
		_, err = h.Endpoints.Change(v.Context(), v.By(), v.Account.ID, e.ID, func(to *feed.Settings) error {
			*to = n
			return nil
		})
	}
	if err == nil {
		return confirm(v, e.ID, "Settings saved.")
	}

	// A rejected form keeps what was entered, so that only the faulty field has to be corrected.
	p, pageErr := h.onePage(v, e, feed.Place{})
	if pageErr != nil {
		return pageErr
	}
	p.Form = v.Request.PostForm
	view, _ := p.Data.(oneView)
	view.Events = choices(p.Form)
	p.Data = view
	return v.Reject(err, p)
}

func (h *Handler) rotate(v *page.Visit) error {
	e, err := h.endpointOf(v)
	if err != nil {
		return err
	}
	e, secret, err := h.Endpoints.Rotate(v.Context(), v.By(), v.Account.ID, e.ID)
	if err != nil {
		return err
	}
	shown := secretView{Secret: secret.Text(), Until: e.PreviousUntil}
	return v.ShowOnce(secretPath(e.ID), shown, secretPage(e, shown))
}

func (h *Handler) test(v *page.Visit) error {
	e, err := h.endpointOf(v)
	if err != nil {
		return err
	}
	event := v.Value("event")
	if _, err := h.Endpoints.Test(v.Context(), v.Account.ID, e.ID, feed.Event(event)); err != nil {
		return err
	}
	return confirm(v, e.ID, "Test event queued. Its delivery is below.")
}

func (h *Handler) retry(v *page.Visit) error {
	e, err := h.endpointOf(v)
	if err != nil {
		return err
	}
	err = h.Endpoints.Retry(v.Context(), v.Account.ID, e.ID, v.Value("delivery"))
	switch matching.CodeOf(err) {
	case "":
		return confirm(v, e.ID, "The message will be sent again now.")
	case feed.CodeDeliveryUnknown, feed.CodeSending:
		p, pageErr := h.onePage(v, e, feed.Place{})
		if pageErr != nil {
			return pageErr
		}
		p.Faults = &page.Faults{Message: err.Error()}
		return v.Show(http.StatusConflict, p)
	default:
		return err
	}
}

func (h *Handler) remove(v *page.Visit) error {
	e, err := h.endpointOf(v)
	if err != nil {
		return err
	}
	if err := h.Endpoints.Delete(v.Context(), v.By(), v.Account.ID, e.ID); err != nil {
		return err
	}
	v.Notice("Webhook “" + e.Name + "” deleted.")
	return v.Redirect(webhooksPath)
}
