package overview

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/internal/lastload"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/loads"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/upload"
	"github.com/freelancer-matching/service/server/uploads"
	"github.com/freelancer-matching/service/server/web"
)

// A DataHandler serves the page about the loaded freelancers and the service's components.
type DataHandler struct {
	Health    Health
	Loads     Loads
	Uploads   Uploads
	Rollback  upload.Rollback
	PublicURL *url.URL
	Version   string // of the program
	Log       *slog.Logger
}

// Routes returns the routes of the page.
func (h *DataHandler) Routes() []page.Route {
	return []page.Route{page.Get("/data", account.Member, h.showData)}
}

// Health reports the state of every component of the service.
type Health interface {
	Check(ctx context.Context) wire.Components
}

// Loads returns the last loads that were recorded in the data folder.
type Loads func() (lastload.History, error)

// Uploads lists the files that were uploaded, of all accounts for ""; see uploads.Service.
type Uploads interface {
	List(account, after string, limit int) (list []uploads.Upload, more bool)
	Limit() int64 // size of the largest file, in bytes
}

// An uploadLink leads to an upload.
type uploadLink struct {
	uploads.Upload
	URL, Badge, Class string
}

// maxUploads is the number of uploads on the data page.
const maxUploads = 20

// maxLoads is the number of loads on the data page.
const maxLoads = 20

// component is one component of the service as the page shows it.
type component struct {
	Name, Status, Detail string
	Class                string // CSS class of the badge
}

func newComponent(name, status, detail, healthy string) component {
	c := component{Name: name, Status: page.Title(status), Detail: detail, Class: "bad"}
	switch status {
	case healthy:
		c.Class = "on"
	case wire.StatusOffline:
		c.Status = "Not configured"
		c.Class = "off"
	}
	return c
}

// dataView is the data of the page about the loaded freelancers and the service's components.
type dataView struct {
	Source     wire.DataSource
	Loaded     bool
	Components []component
	Version    string
	API        string // URL of the OpenAPI description

	// The fields below are for administrators only.
	Live       *loads.LiveIndex // nil if its loads aren't recorded
	Previous   string           // the index that a rollback makes live; "" if it has nothing to return to
	Loads      []loads.Load
	Unreadable []string // damaged entries of the history
	NoHistory  bool     // the history can't be read

	Uploads    []uploadLink
	Pending    bool // the user's account has an upload with a file
	MaxUpload  int64
	UploadSize string // MaxUpload for people
	Modes      []page.Option
}

func (h *DataHandler) showData(v *page.Visit) error {
	c := h.Health.Check(v.Context())
	components := []component{
		newComponent("Freelancers", c.DataSource.Status, c.DataSource.Error, wire.StatusHealthy),
		newComponent("Skill taxonomy", c.SkillExtractor.Status, c.SkillExtractor.Error, wire.StatusReady),
		newComponent("Database ("+c.Database.Type+")", c.Database.Status, c.Database.Error, wire.StatusConnected),
		newComponent("Language model", c.LLM.Status, c.LLM.Error, wire.StatusConfigured),
	}

	if c.ExchangeRates != nil {
		components = append(components,
			newComponent("Exchange rates of "+c.ExchangeRates.Date, c.ExchangeRates.Status, "", wire.StatusCurrent))
	}

	if c.Encoder != nil {
		name := fmt.Sprintf("Sentence encoder (%d of %d profiles)", c.Encoder.Encoded, c.Encoder.Freelancers)
		components = append(components, newComponent(name, c.Encoder.Status, "", c.Encoder.Status))
	}

	if c.OCR != nil {
		components = append(components,
			newComponent("Text recognition ("+strings.Join(c.OCR.Languages, ", ")+")", wire.StatusReady, "", wire.StatusReady))
	}

	view := dataView{
		Source:     c.DataSource,
		Loaded:     c.DataSource.Index != "",
		Version:    h.Version,
		API:        web.Origin(h.PublicURL) + "/openapi.yaml",
		Components: components,
	}

	// The history names files and people who loaded them, which concerns only administrators.
	if page.May(v.User.Role, account.Administrator) {
		history, err := h.Loads()
		if err != nil {
			h.Log.WarnContext(v.Context(), "history of loads unreadable", "error", err)
		}
		view.Loads = loads.New(history, maxLoads)
		view.Unreadable = history.Unreadable
		view.NoHistory = err != nil
		view.Live = loads.Live(history, c.DataSource.Index)
		if _, view.Previous, err = h.Rollback(v.Context()); err != nil {
			h.Log.WarnContext(v.Context(), "previous index unknown", "error", err)
		}
		h.addUploads(v, &view)
	}

	return v.OK(page.Page{Template: "data", Title: "Data", Section: "data", Data: view})
}

// addUploads adds the uploads of all accounts, and what the form for another one needs.
func (h *DataHandler) addUploads(v *page.Visit, view *dataView) {
	list, _ := h.Uploads.List("", "", maxUploads)
	for _, u := range list {
		link := uploadLink{Upload: u, URL: upload.URL(u.ID)}
		link.Badge, link.Class = upload.Badge(&u)
		view.Uploads = append(view.Uploads, link)
		view.Pending = view.Pending || u.Account == v.Account.ID && u.State.HasFile()
	}

	view.MaxUpload = h.Uploads.Limit()
	view.UploadSize = humanize.Bytes(uint64(view.MaxUpload))
	view.Modes = upload.Modes()
}
