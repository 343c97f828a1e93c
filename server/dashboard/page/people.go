package page

import (
	"context"
	"net/url"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

// FreelancersPath is the path of the list of freelancers.
const FreelancersPath = Root + "/freelancers"

// FreelancerURL returns the address of the page about a freelancer.
func FreelancerURL(id string) string { return FreelancersPath + "/" + url.PathEscape(id) }

// BriefsPath is the path of the list of saved briefs.
const BriefsPath = Root + "/briefs"

// BriefURL returns the address of the page of a saved brief.
func BriefURL(id string) string { return BriefsPath + "/" + url.PathEscape(id) }

// ResultURL returns the address of a result of the playground.
func ResultURL(id string) string { return Root + "/playground/r/" + id }

// NewFreelancerURL returns the address of the form that adds the person of a saved resume.
func NewFreelancerURL(result string) string {
	return Root + "/admin/new-freelancer?" + url.Values{"result": {result}}.Encode()
}

// InterviewURL returns the address of the form for an interview with a freelancer.
func InterviewURL(freelancer string) string {
	return Root + "/playground/interview?" + url.Values{"freelancer": {freelancer}}.Encode()
}

// SpokenName returns the English name of a language if the form accepts it, and otherwise the tag.
func SpokenName(tag string) string {
	name := display.English.Languages().Name(language.Make(tag))
	if back, _ := value.Language(name); back == tag {
		return name
	}
	return tag
}

// CountryName returns the English name of a country.
func CountryName(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	return display.English.Regions().Name(region)
}

// HourlyRate returns the rate of a freelancer in a currency, or "" if the rate is unknown. An unknown currency is "".
func HourlyRate(f *matching.Freelancer, currency string) string {
	if !f.HourlyRate.Known {
		return ""
	}
	return strings.TrimSpace(Decimal(2, f.HourlyRate.Value)+" "+currency) + " per hour"
}

// Availability says from when a freelancer is available, or returns "" if they aren't or if that is unknown.
func Availability(f *matching.Freelancer) string {
	switch {
	case f.AvailableFrom != "":
		return "available from " + f.AvailableFrom
	case f.Availability.Known && f.Availability.Value:
		return "available"
	default:
		return ""
	}
}

// Place returns where a freelancer is, or "" if that is unknown. The location usually names the country already.
func Place(f *matching.Freelancer) string {
	if f.Location != "" || f.Country == "" {
		return f.Location
	}
	return CountryName(f.Country)
}

// Spoken returns the languages of a freelancer with their levels.
func Spoken(f *matching.Freelancer) []string {
	var spoken []string
	for _, l := range f.Languages {
		spoken = append(spoken, strings.TrimSpace(SpokenName(l.Tag)+" "+string(l.Level)))
	}
	return spoken
}

// LocalTime returns the time of day in a zone, or "" if the zone is a fixed offset or unknown.
func LocalTime(zone string, now time.Time) string {
	location, err := time.LoadLocation(zone)
	if zone == "" || err != nil {
		return ""
	}
	return now.In(location).Format("15:04")
}

// IsWebURL reports whether a link is safe to follow: an absolute http or https URL without credentials.
func IsWebURL(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

// WebProfile returns the address of a freelancer's profile on the web, or "" if the link in the data isn't safe to
// follow, or leads nowhere: generated data has domains that are reserved for examples (RFC 2606).
func WebProfile(link string) string {
	u, err := url.Parse(link)
	if err != nil || !IsWebURL(link) {
		return ""
	}

	host := "." + strings.ToLower(u.Hostname())
	for _, reserved := range []string{
		".example", ".invalid", ".test", ".example.com", ".example.net", ".example.org",
	} {
		if strings.HasSuffix(host, reserved) {
			return ""
		}
	}

	return link
}

// Views limits the freelancers that accounts see in a day; see views.Limiter.
type Views interface {
	Show(ctx context.Context, a views.Allowance, ids []string) (views.Decision, error)
}

// CountViews counts freelancers who are about to be shown toward the account's daily limit, as a response of the API
// does. The error has views.CodeLimit if they must not be shown. Administrators, who can read all data, have no limit.
func (v *Visit) CountViews(limit Views, ids ...string) error {
	plan, _ := apikey.PlanNamed(v.Account.Plan)
	if plan.FreelancersPerDay == 0 || len(ids) == 0 || v.User.Role.Includes(account.Administrator) {
		return nil
	}
	d, err := limit.Show(v.Context(), views.Allowance{Subject: v.Account.ID, PerDay: plan.FreelancersPerDay}, ids)
	if err != nil {
		return err
	}
	return d.Err()
}
