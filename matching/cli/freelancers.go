package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
)

// freelancerFlags are the flags of the commands for records.
type freelancerFlags struct {
	set      *flag.FlagSet
	filters  filterFlags
	cursor   string
	limit    int
	currency string
	version  string
}

func (c *cli) freelancersCommand() *command {
	f := &freelancerFlags{set: c.newFlags("freelancers")}
	f.set.Var(&f.filters, "filter", "find: condition `NAME=VALUE`, as for match; may be repeated")
	f.set.IntVar(&f.limit, "limit", 20, "find: `number` of records, up to 100")
	f.set.StringVar(&f.cursor, "cursor", "", "find: `place` in the list, which the page before names")
	f.set.StringVar(&f.currency, "currency", "", "put: ISO 4217 `code` of the hourly rate; by default that of the data")
	f.set.StringVar(&f.version, "version", "", "put: fail unless the record still has this `version`")

	return &command{
		name: "freelancers", arguments: "get ID | put FILE | find", summary: "read, store and list records of freelancers",
		details: `
get and find need a key with the permission data:read, and put one with data:write. put replaces the whole record whose
ID is in the file: a field that the file lacks becomes unknown. - reads standard input.

Examples:
  matching freelancers get f12
  matching freelancers get f12 -json | jq .data.freelancer > f12.json
  matching freelancers put f12.json
  matching freelancers find -filter countries=PT -filter min_rating=4.5
`,
		flags: f.set, fewest: 1, most: 2,
		run: func(ctx context.Context, args []string) error { return c.freelancers(ctx, f, args) },
	}
}

func (c *cli) freelancers(ctx context.Context, f *freelancerFlags, args []string) error {
	// The flags are those that only one of the commands has.
	name, operands := args[0], args[1:]
	commands := map[string]struct {
		operand string
		flags   string
		run     func(context.Context, *api, *freelancerFlags, string) error
	}{
		"get":  {"ID", "", c.getFreelancer},
		"put":  {"FILE", "currency version", c.putFreelancer},
		"find": {"", "filter limit cursor", c.findFreelancers},
	}
	chosen, ok := commands[name]
	if !ok {
		return commandline.Usagef("unknown command %q; the commands are get, put and find%s", name,
			commandline.DidYouMean(name, "", []string{"get", "put", "find"}))
	}
	if (len(operands) == 1) != (chosen.operand != "") {
		return commandline.Usagef("wrong number of arguments; use matching freelancers %s",
			strings.TrimSpace(name+" "+chosen.operand))
	}

	// A flag of another command would be ignored, although the user expects an effect.
	var err error
	f.set.Visit(func(set *flag.Flag) {
		accepted := append(strings.Fields(chosen.flags), "url", "profile", "json")
		if !slices.Contains(accepted, set.Name) {
			err = commandline.Usagef("freelancers %s does not accept -%s", name, set.Name)
		}
	})
	if err != nil {
		return err
	}

	a, err := c.api()
	if err != nil {
		return err
	}
	operand := ""
	if len(operands) == 1 {
		operand = operands[0]
	}
	return chosen.run(ctx, a, f, operand)
}

// A stored freelancer, as the API has it.
type stored struct {
	Freelancer map[string]any `json:"freelancer"`
	Version    string         `json:"version"`
}

func (c *cli) getFreelancer(ctx context.Context, a *api, _ *freelancerFlags, id string) error {
	body, err := a.send(ctx, request{method: http.MethodGet, path: recordPath(id)})
	if err != nil {
		return err
	}
	return show(c, body, func(answer *struct{ Data stored }) error {
		for _, name := range fieldNames() {
			if value, known := answer.Data.Freelancer[name]; known {
				c.printField(name, value)
			}
		}
		fmt.Fprintf(c.stdout, "%-15s %s\n", "version", answer.Data.Version)
		return nil
	})
}

// fieldNames returns the fields of a record in the order in which they are printed.
func fieldNames() []string {
	return strings.Fields("id name job_title skills experience rating hourly_rate currency availability available_from " +
		"hours_per_week verified total_sales country location time_zone languages profile_url description")
}

func (c *cli) printField(name string, value any) {
	// A record has texts, numbers, truth values, and lists of texts or of languages.
	text := ""
	switch v := value.(type) {
	case string:
		text = v
	case []any:
		var items []string
		for _, item := range v {
			if language, ok := item.(map[string]any); ok {
				level, _ := language["level"].(string)
				item = strings.TrimSpace(fmt.Sprint(language["language"], " ", level))
			}
			items = append(items, fmt.Sprint(item))
		}
		text = strings.Join(items, ", ")
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		text = fmt.Sprint(v)
	}
	fmt.Fprintf(c.stdout, "%-15s %s\n", name, printable(text, 1000))
}

func (c *cli) putFreelancer(ctx context.Context, a *api, f *freelancerFlags, path string) error {
	content, err := c.readFile(path)
	if err != nil {
		return err
	}
	// The rest of the record is sent as it is, for the API to check.
	var record struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(content, &record); err != nil {
		return commandline.Usagef("%s must be one record as JSON: %v", path, err)
	}
	if record.ID == "" {
		return commandline.Usagef("the record in %s has no id", path)
	}

	q := request{method: http.MethodPut, path: recordPath(record.ID), body: bytes.TrimSpace(content), ifMatch: f.version}
	if f.currency != "" {
		q.query = url.Values{"currency": {f.currency}}
	}
	body, err := a.send(ctx, q)
	if err != nil {
		return err
	}
	return show(c, body, func(answer *struct {
		Data struct {
			ID       string `json:"id"`
			Outcome  string `json:"outcome"`
			Version  string `json:"version"`
			Warnings []struct {
				Message string `json:"message"`
			} `json:"warnings"`
		} `json:"data"`
	},
	) error {
		d := &answer.Data
		fmt.Fprintf(c.stdout, "%s %s, version %s\n", printable(d.ID, 200), d.Outcome, d.Version)
		for _, w := range d.Warnings {
			fmt.Fprintln(c.stdout, "Warning: "+printable(w.Message, 500))
		}
		return nil
	})
}

func (c *cli) findFreelancers(ctx context.Context, a *api, f *freelancerFlags, _ string) error {
	query := url.Values{"limit": {strconv.Itoa(f.limit)}}
	if f.cursor != "" {
		query.Set("cursor", f.cursor)
	}
	for _, filter := range f.filters {
		name, value, _ := strings.Cut(filter, "=")
		// A list is a parameter that appears several times.
		for _, item := range splitList(value) {
			query.Add(name, item)
		}
	}

	body, err := a.send(ctx, request{method: http.MethodGet, path: "/freelancers", query: query})
	if err != nil {
		return err
	}
	return show(c, body, func(answer *struct {
		Data       []stored `json:"data"`
		NextCursor string   `json:"next_cursor"`
	},
	) error {
		for _, s := range answer.Data {
			text := func(name string, limit int) string {
				value, _ := s.Freelancer[name].(string)
				return printable(value, limit)
			}
			fmt.Fprintf(c.stdout, "%-12s %-24s %s\n", text("id", 40), text("name", 24), text("job_title", 60))
		}
		if answer.NextCursor != "" {
			fmt.Fprintf(c.stdout, "\nMore with -cursor %s\n", answer.NextCursor)
		}
		return nil
	})
}
