package dashboard

import (
	"strings"

	"freelancer-matching/server/api"
	"freelancer-matching/server/web"
)

// component is one component of the service as the page shows it.
type component struct {
	Name, Status, Detail string
	Class                string // CSS class of the badge
}

func newComponent(name, status, detail, healthy string) component {
	c := component{Name: name, Status: title(status), Detail: detail, Class: "bad"}
	switch status {
	case healthy:
		c.Class = "on"
	case api.StatusOffline:
		c.Status, c.Class = "Not configured", "off"
	}
	return c
}

// dataView is the data of the page about the loaded freelancers and the service's components.
type dataView struct {
	Source     api.DataSource
	Loaded     bool
	Components []component
	Version    string
	API        string // URL of the OpenAPI description
}

func (d *dashboard) showData(v *visit) error {
	c := d.Health.Check(v.r.Context())
	components := []component{
		newComponent("Freelancers", c.DataSource.Status, c.DataSource.Error, api.StatusHealthy),
		newComponent("Skill taxonomy", c.SkillExtractor.Status, c.SkillExtractor.Error, api.StatusReady),
		newComponent("Database ("+c.Database.Type+")", c.Database.Status, c.Database.Error, api.StatusConnected),
		newComponent("Language model", c.LLM.Status, c.LLM.Error, api.StatusConfigured),
	}
	if c.ExchangeRates != nil {
		components = append(components,
			newComponent("Exchange rates of "+c.ExchangeRates.Date, c.ExchangeRates.Status, "", api.StatusCurrent))
	}
	if c.OCR != nil {
		components = append(components,
			newComponent("Text recognition ("+strings.Join(c.OCR.Languages, ", ")+")", api.StatusReady, "", api.StatusReady))
	}
	return d.ok(v, page{Template: "data", Title: "Data", Section: "data", Data: dataView{
		Source:     c.DataSource,
		Loaded:     c.DataSource.Index != "",
		Version:    d.Version,
		API:        web.Origin(d.PublicURL) + "/openapi.yaml",
		Components: components,
	}})
}
