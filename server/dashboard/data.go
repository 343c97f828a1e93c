package dashboard

import "freelancer-matching/server/api"

// part is one component of the service as the page shows it.
type part struct {
	Name, Status, Detail string
	Good                 bool
	Idle                 bool // neither good nor bad: not set up
}

// dataView is what freelancers are searched, and how the parts of the service are.
type dataView struct {
	Source  api.DataSource
	Loaded  bool
	Parts   []part
	Version string
	API     string // address of the API's description
}

func (d *dashboard) dataPage(v *visit) error {
	c := d.Health.Check(v.r.Context())
	return d.ok(v, page{Template: "data", Title: "Data", Section: "data", Data: dataView{
		Source: c.DataSource, Loaded: c.DataSource.Index != "", Version: d.Version, API: originOf(d.PublicURL) + "/openapi.yaml",
		Parts: []part{
			{Name: "Freelancers", Status: c.DataSource.Status, Detail: c.DataSource.Error, Good: c.DataSource.Status == api.StatusHealthy},
			{
				Name: "Skill taxonomy", Status: c.SkillExtractor.Status, Detail: c.SkillExtractor.Error,
				Good: c.SkillExtractor.Status == api.StatusReady,
			},
			{
				Name: "Database (" + c.Database.Type + ")", Status: c.Database.Status, Detail: c.Database.Error,
				Good: c.Database.Status == api.StatusConnected,
			},
			{
				Name: "Language model", Status: c.LLM.Status, Detail: c.LLM.Error,
				Good: c.LLM.Status == api.StatusConfigured, Idle: c.LLM.Status == api.StatusOffline,
			},
		},
	}})
}
