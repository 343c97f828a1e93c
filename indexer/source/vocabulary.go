package source

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// field is a field that columns are mapped to: one of a freelancer, or location, which only tells people of the same
// name apart.
type field int

const (
	fieldNone field = iota
	fieldID
	fieldName
	fieldJobTitle
	fieldSkills
	fieldExperience
	fieldRating
	fieldHourlyRate
	fieldProfileURL
	fieldAvailability
	fieldTotalSales
	fieldDescription
	fieldLocation
	fieldCount
)

// String is the name of the field in options and in the table of columns; "" for none.
func (f field) String() string {
	return [fieldCount]string{
		"", "id", "name", "job_title", "skills", "experience", "rating", "hourly_rate", "profile_url", "availability",
		"total_sales", "description", "location",
	}[f]
}

func fieldNamed(name string) (field, bool) {
	for f := fieldID; f < fieldCount; f++ {
		if f.String() == name {
			return f, true
		}
	}
	return fieldNone, false
}

// meaning is what columns of certain headers hold.
type meaning struct {
	field     field
	keys      string // headers as headerKey writes them, the best first
	isPart    bool   // the columns are parts of one value: names to be joined, numbers to be added up
	isPercent bool   // of satisfied clients
	isDate    bool
	note      string
}

// vocabulary lists the headers that are known. Of several columns for one field, the one listed first counts, and the
// others where it says nothing.
var vocabulary = [...]meaning{
	{field: fieldID, keys: "id freelancerid profileid userid uid uuid sellerid contractorid expertid"},
	{field: fieldName, keys: "name fullname displayname publicname freelancername freelancer"},
	{field: fieldName, keys: "firstname lastname givenname familyname surname", isPart: true},
	{field: fieldName, keys: "username nickname handle login sellername contractorname expertname"},
	{
		field: fieldJobTitle,
		keys: "jobtitle title headline professionaltitle profiletitle currenttitle tagline role jobrole position " +
			"profession occupation designation",
	},
	{
		field: fieldSkills,
		keys: "skills skill skillset skilllist skillslist keyskills topskills mainskills primaryskills primaryskill " +
			"technicalskills secondaryskills secondaryskill otherskills technologies techstack expertise areasofexpertise " +
			"competencies tags",
	},
	{
		field: fieldExperience,
		keys: "experience experienceyears yearsofexperience yearsexperience yearsexp experienceinyears expyears yoe exp " +
			"totalexperience totalyearsofexperience yearsofexp workexperienceyears",
	},
	{
		field: fieldRating,
		keys:  "rating averagerating avgrating ratingaverage overallrating starrating stars feedbackscore ratingvalue feedback",
		note:  "on the scale of 0 to 5; 0 is nobody's rating and stays unknown",
	},
	{
		field: fieldRating, isPercent: true,
		keys: "feedbackpercent feedbackpercentage positivefeedback jobsuccess jobsuccessscore jobsuccessrate jss " +
			"successrate satisfaction satisfactionrate ratingpercent ratingpercentage",
		note: "percentages, read on the scale of 0 to 5: 98% is 4.9",
	},
	{
		field: fieldHourlyRate,
		keys: "hourlyrate hourrate rateperhour ratehour ratehr hourlypaid hourlypay hourlyprice hourlycharge hourlycost " +
			"hourlywage priceperhour costperhour payperhour hourly perhour rate payrate minhourlyrate hourlyratefrom",
	},
	{field: fieldProfileURL, keys: "profileurl profilelink freelancerurl userurl url link permalink profileuri"},
	{
		field: fieldAvailability,
		keys:  "availability available isavailable availabilitystatus availablenow availableforwork opentowork openforwork",
	},
	{
		field: fieldTotalSales,
		keys: "totalsales sales completedprojects projectscompleted completedjobs jobscompleted completedorders " +
			"orderscompleted finishedprojects transactionscompleted projectsdone jobsdone totalprojects totaljobs totalorders " +
			"numberofprojects numprojects numberofjobs gigscompleted",
		note: "finished projects",
	},
	{
		field: fieldTotalSales, isPart: true,
		keys: "hourlyjobsdone fixedjobsdone hourlyjobs fixedjobs fixedpricejobs fixedpricejobsdone",
		note: "finished projects, added up",
	},
	{
		field: fieldTotalSales,
		keys: "reviews numreviews reviewcount reviewscount numberofreviews totalreviews ratingscount ratingcount numratings " +
			"numberofratings feedbackcount reviewers",
		note: "a review is taken for a finished project",
	},
	{
		field: fieldDescription,
		keys:  "description profiledescription bio biography overview profileoverview summary profilesummary about aboutme introduction",
	},
	{
		field: fieldLocation, keys: "location country countryname city",
		note: "not stored: tells people of the same name apart where there is no id",
	},

	{keys: "earnings totalearnings totalearned earned amountearned revenue income", note: "money earned is not a number of projects"},
	{keys: "searchedjobtitle searchterm searchquery query searchkeyword keyword", note: "what was searched for is not the job title"},
	{
		keys:   "joined membersince joindate joinedon datejoined registrationdate registered since memberfrom",
		isDate: true, note: "the date of joining a site is not experience",
	},
	{keys: "hoursworked totalhours hours", note: "hours are not finished projects"},
	{keys: "employerscount clients clientscount numberofclients", note: "clients are not finished projects"},
	{keys: "price startingprice minprice gigprice budget", note: "a price of a piece of work is not a rate per hour"},
	{keys: "salary monthlyrate dailyrate dayrate weeklyrate annualsalary", note: "not a rate per hour"},
}

// place is where the vocabulary has a header: which meaning, and how good a header it is for it.
type place struct{ meaning, rank int }

// lookup finds a header in the vocabulary: as a whole, without what is in brackets, without a currency or a prefix of
// nested JSON.
func lookup(header string) (p place, ok bool) {
	for _, key := range headerKeys(header) {
		for m := range vocabulary {
			for rank, known := range strings.Fields(vocabulary[m].keys) {
				if key == known {
					return place{m, rank}, true
				}
			}
		}
	}
	return place{}, false
}

// isKnown reports whether a header is that of a field, by the vocabulary or by the options.
func isKnown(header string, overrides map[string]string) bool {
	for _, column := range overrides {
		if column != "" && strings.EqualFold(column, strings.TrimSpace(header)) {
			return true
		}
	}
	p, ok := lookup(header)
	return ok && vocabulary[p.meaning].field != fieldNone
}

// headerKeys are the forms under which a header is looked up: its letters and digits in lower case, so that
// "Hourly_Rate", "hourlyRate" and "Hourly rate" are one.
func headerKeys(header string) []string {
	bare, _, _ := strings.Cut(header, "(")
	bare, _, _ = strings.Cut(bare, "[")
	keys := []string{headerKey(header), headerKey(bare)}
	words := strings.FieldsFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if n := len(words); n > 1 {
		switch strings.ToLower(words[n-1]) {
		case "usd", "eur", "gbp", "inr", "cad", "aud", "years", "yrs", "url", "amount", "value", "text", "name", "average":
			keys = append(keys, headerKey(strings.Join(words[:n-1], "")))
		}
		switch strings.ToLower(words[0]) {
		case "freelancer", "profile", "user", "seller", "attributes", "data", "person", "stats":
			keys = append(keys, headerKey(strings.Join(words[1:], "")))
		}
	}
	return keys
}

func headerKey(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(s))
}
