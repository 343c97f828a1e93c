package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
)

// briefFlags are the flags that describe work.
type briefFlags struct {
	file, title, skills, nice string
	budget, currency, start   string
	complexity                string
	days                      int
	effort                    float64
	hourly, plain             bool
	filters                   filterFlags
}

// filterFlags are the filters in flags such as -filter min_rating=4.5.
type filterFlags []string

// String implements flag.Value.
func (f *filterFlags) String() string { return strings.Join(*f, " ") }

// Set implements flag.Value.
func (f *filterFlags) Set(text string) error {
	if name, _, ok := strings.Cut(text, "="); !ok || name == "" {
		return fmt.Errorf("want NAME=VALUE")
	}
	*f = append(*f, text)
	return nil
}

func (b *briefFlags) bind(flags *flag.FlagSet) {
	flags.StringVar(&b.file, "f", "", "`file` with a brief as JSON, as the API takes it; - reads standard input")
	flags.StringVar(&b.title, "title", "", "`title` of the work, such as \"React developer\"")
	flags.StringVar(&b.skills, "skills", "", "required skills, separated by commas (`list`)")
	flags.StringVar(&b.nice, "nice", "", "skills that help but are not required (`list`)")
	flags.StringVar(&b.budget, "budget", "", "`amount`, such as 5k, 3000-5000, \"4k EUR\" or 40-60/h")
	flags.BoolVar(&b.hourly, "hourly", false, "the budget is a rate per hour")
	flags.StringVar(&b.currency, "currency", "", "ISO 4217 `code` of all amounts; by default that of the data")
	flags.IntVar(&b.days, "days", 0, "`number` of days until the deadline")
	flags.StringVar(&b.start, "start", "", "first `day` of the work, such as 2026-12-01; by default today")
	flags.StringVar(&b.complexity, "complexity", "", "`level`: low, medium or high")
	flags.Float64Var(&b.effort, "effort", 0, "size of the work in `hours`, if you know it")
	flags.Var(&b.filters, "filter", "condition `NAME=VALUE` that matches must meet, such as min_rating=4.5,\n"+
		"available=true, countries=DE,AT, languages=de:B2, time_zone=Europe/Berlin, within_hours=2; may be repeated")
	flags.BoolVar(&b.plain, "plain", false, "send the text as it is, without reading budget and time in it")
}

// brief returns the brief as the API takes it: the file, with the text and the flags instead of its members.
func (c *cli) brief(b *briefFlags, text string) (map[string]any, error) {
	brief := map[string]any{}
	if b.file != "" {
		if err := c.readJSON(b.file, &brief); err != nil {
			return nil, err
		}
	}
	if text == "" && b.file == "" && b.title == "" && b.skills == "" {
		return nil, commandline.Usagef("describe the work: as text, with -f FILE, -title or -skills")
	}

	// The flags come last, because they are more certain than what was read.
	if text != "" && !b.plain {
		found := read(text)
		text = found.text
		c.use(brief, &found)
		if described := found.describe(); described != "" {
			fmt.Fprintf(c.stderr, "Read in the text: %s. -plain sends the text as it is.\n", described)
		}
	}
	if text != "" {
		brief["description"] = text
	}
	return brief, c.addFlags(brief, b)
}

// use adds what was read in a text to a brief.
func (c *cli) use(brief map[string]any, r *reading) {
	if r.budget != nil {
		brief["budget_range"] = r.budget
		if r.hourly {
			brief["budget_type"] = "hourly"
		}
	}
	if r.currency != "" {
		brief["currency"] = r.currency
	}
	if r.days != 0 {
		brief["timeline"] = r.days
	}
}

// addFlags adds the flags that were given to a brief.
func (c *cli) addFlags(brief map[string]any, b *briefFlags) error {
	// With the word budget, any amount is one.
	if b.budget != "" {
		var r reading
		if !r.readBudget("budget " + b.budget) {
			return commandline.Usagef("-budget must be an amount such as 5k, 3000-5000 or 40-60/h; got %q", b.budget)
		}
		c.use(brief, &r)
	}
	if b.hourly {
		brief["budget_type"] = "hourly"
	}

	for name, text := range map[string]string{
		"job_title": b.title, "currency": b.currency, "start_date": b.start, "complexity": b.complexity,
	} {
		if text != "" {
			brief[name] = text
		}
	}
	for name, list := range map[string]string{"required_skills": b.skills, "nice_to_have_skills": b.nice} {
		if list != "" {
			brief[name] = splitList(list)
		}
	}

	if b.days != 0 {
		brief["timeline"] = b.days
	}
	if b.effort != 0 {
		brief["effort_hours"] = b.effort
	}
	if len(b.filters) > 0 {
		filters, err := b.filters.members()
		if err != nil {
			return err
		}
		brief["filters"] = filters
	}
	return nil
}

func splitList(text string) []string {
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// members returns the filters as members of a brief.
func (f filterFlags) members() (map[string]any, error) {
	members := map[string]any{}
	zone := map[string]any{}
	for _, text := range f {
		name, value, _ := strings.Cut(text, "=")
		// Lists and objects have forms of their own; other values are a number, true, false or a text.
		switch name {
		case "countries", "must_have_skills", "exclude_skills", "ids", "exclude_ids":
			members[name] = splitList(value)
		case "languages":
			var languages []map[string]string
			for _, spoken := range splitList(value) {
				tag, level, hasLevel := strings.Cut(spoken, ":")
				language := map[string]string{"language": tag}
				if hasLevel {
					language["min_level"] = level
				}
				languages = append(languages, language)
			}
			members[name] = languages

		case "time_zone":
			zone["zone"] = value
		case "within_hours":
			hours, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return nil, commandline.Usagef("-filter within_hours must be a number; got %q", value)
			}
			zone[name] = hours

		default:
			members[name] = scalar(value)
		}
	}

	// The API checks names and values. Only it knows them all.
	if len(zone) > 0 {
		members["time_zone"] = zone
	}
	return members, nil
}

// scalar returns a number or a truth value, or else the text.
func scalar(text string) any {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err == nil {
		switch value.(type) {
		case float64, bool:
			return value
		}
	}
	return text
}

// readJSON decodes a file, or standard input for "-".
func (c *cli) readJSON(path string, into any) error {
	content, err := c.readFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, into); err != nil {
		return commandline.Usagef("%s is not valid JSON: %v", path, err)
	}
	return nil
}

// readFile returns the content of a file, or of standard input for "-".
func (c *cli) readFile(path string) ([]byte, error) {
	if path == "-" {
		content, err := io.ReadAll(c.stdin)
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		return content, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err // names the file
	}
	return content, nil
}
