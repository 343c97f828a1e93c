package taxonomy

import "strings"

// This file holds the everyday words that Resolve, ResolveAll, Extract and JobTitle treat specially, in normal form.

// wordSet returns the set of the words in text.
func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

var (
	// fillers add nothing to the skill before them: "Python expert".
	fillers = wordSet(`expert experts specialist specialists skill skills professional guru experience knowledge service
		services work project projects job jobs tasks certified proficiency`)

	// toolWords after the name of a tool or craft say only that somebody works with it: "Photoshop design".
	toolWords = wordSet(`development developer developers programming programmer programmers design designer designing
		coding coder engineer engineers consultant consulting software language framework library tool tools app apps
		application applications script scripts scripting plugin plugins theme themes customization setup implementation
		administration administrator integration technology technologies platform system systems capabilities`)

	// qualifiers add nothing to the skill after them: "advanced Excel".
	qualifiers = wordSet(`advanced basic basics core expert professional freelance senior junior modern certified custom
		pure`)

	// seniorityWords before a job title say how long somebody has held it, or how they are employed.
	seniorityWords = wordSet(`senior sr junior jr lead principal staff mid midlevel level entry freelance expert
		experienced professional certified associate remote`)

	// jobNouns end a job title of several words although they are no titles by themselves: "SEO specialist".
	jobNouns = wordSet("specialist expert manager coordinator strategist technician officer director lead")

	// listConnectors keep the names on either side of them in one list: "Python and R", "PDF to Excel".
	listConnectors = wordSet("and or with using plus via to into ms microsoft adobe google apache y et")

	// usePrepositions stand between a piece of work and the tool it is made with: "a forecast in Excel".
	usePrepositions = wordSet("in using via to into from on")

	// translationWords say that a name with languages in it describes translating.
	translationWords = wordSet(`translation translations translator translators translate translating
		traduccion traducciones traductor traductora traduction traductions traducteur traductrice
		ubersetzung ubersetzungen ubersetzer ubersetzerin traducao traducoes tradutor tradutora
		traduzione traduzioni traduttore traduttrice`)

	// translationConnectors may appear in the description of a translation without changing its meaning.
	translationConnectors = wordSet(`to into from and in y e et und a al de do del della dal du l vers nach ins aus para da
		o il lo el vice versa native professional qualified freelance experienced senior expert service services language
		pair document documents`)

	// regions after a language say where it is spoken: "Portuguese (Brazil)".
	regions = wordSet(`us usa uk gb au ca br mx be ch at tw hk cn latam brazil brasil portugal mexico spain canada france
		germany austria switzerland taiwan china`)
)

// abbreviations maps abbreviated words to the words in full: "community mgmt", "software eng.".
var abbreviations = map[string]string{
	"mgmt": "management", "mgt": "management", "mngmt": "management", "mgmnt": "management",
	"mgr": "manager", "mngr": "manager",
	"dev": "development", "devt": "development", "dvlpmt": "development", "devs": "developers",
	"eng": "engineering", "engg": "engineering", "engr": "engineering", "engrg": "engineering",
	"mktg": "marketing", "mkt": "marketing", "mktng": "marketing", "mkting": "marketing",
	"acctg": "accounting", "acctng": "accounting", "acct": "accounting",
	"mfg": "manufacturing", "mftg": "manufacturing",
	"biz": "business", "comms": "communications", "ops": "operations", "asst": "assistant", "exec": "executive",
	"admin": "administration", "svc": "services", "svcs": "services", "sys": "systems", "mech": "mechanical",
	"elec": "electrical", "elect": "electrical", "cust": "customer", "doc": "document", "docs": "document",
	"prog": "programming", "graf": "graphic", "gfx": "graphic", "illus": "illustration", "illo": "illustration",
	"ecom": "ecommerce",
}

// activities maps what somebody is, or a variant spelling, to the activity that skills are named after.
var activities = map[string]string{
	"designer": "design", "designing": "design", "developer": "development", "developing": "development",
	"programmer": "programming", "engineer": "engineering", "writer": "writing", "editor": "editing",
	"translator": "translation", "analyst": "analysis", "manager": "management", "marketer": "marketing",
	"consultant": "consulting", "tutor": "tutoring", "animator": "animation", "illustrator": "illustration",
	"photographer": "photography", "scraper": "scraping", "artist": "art", "tester": "testing",
	"administrator": "administration", "scientist": "science", "modeler": "modeling",
	"modelling": "modeling", //nolint:misspell // the British spelling is what the map replaces
}
