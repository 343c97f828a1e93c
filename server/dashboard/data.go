package dashboard

import "freelancer-matching/server/api"

// part is one component of the service as the page shows it.
type part struct {
	Name, Status, Detail string
	Good                 bool
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
			{"Freelancers", c.DataSource.Status, c.DataSource.Error, c.DataSource.Status == api.StatusHealthy},
			{"Skill taxonomy", c.SkillExtractor.Status, c.SkillExtractor.Error, c.SkillExtractor.Status == api.StatusReady},
			{"Database (" + c.Database.Type + ")", c.Database.Status, c.Database.Error, c.Database.Status == api.StatusConnected},
			{"Language model", c.LLM.Status, c.LLM.Error, c.LLM.Status == api.StatusConfigured || c.LLM.Status == api.StatusOffline},
		},
	}})
}
