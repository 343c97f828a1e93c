package cli

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
)

func (c *cli) parseCommand() *command {
	flags := c.newFlags("parse")
	anonymize := flags.Bool("anonymize", false, "leave out what tells who it is")

	return &command{
		name: "parse", arguments: "FILE", summary: "extract the fields of a resume",
		details: `
The file is a PDF, DOCX, ODT, RTF, HTML or text file of up to 10 MiB; - reads standard input.

Examples:
  matching parse resume.pdf
  matching parse resume.pdf -json | jq .data.freelancer > record.json
`,
		flags: flags, fewest: 1, most: 1,
		run: func(ctx context.Context, args []string) error {
			a, err := c.api()
			if err != nil {
				return err
			}
			// Everything is checked before the file is read, which may be a slow pipe.
			content, err := c.readFile(args[0])
			if err != nil {
				return err
			}
			q, err := upload("/parse", filepath.Base(args[0]), content)
			if err != nil {
				return err
			}
			if *anonymize {
				q.query = url.Values{"anonymize": {"true"}}
			}
			body, err := a.send(ctx, q)
			if err != nil {
				return err
			}
			return show(c, body, c.printResume)
		},
	}
}

// upload returns a request with a file in a form.
func upload(path, name string, content []byte) (request, error) {
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = writer.Close()
	}
	if err != nil {
		return request{}, fmt.Errorf("write the form with the file: %w", err) // it is in memory
	}
	return request{
		method: http.MethodPost, path: path, contentType: writer.FormDataContentType(), body: form.Bytes(),
	}, nil
}

// A resume is the part of a response to parse that is printed.
type resume struct {
	Data struct {
		Name     string   `json:"name"`
		JobTitle string   `json:"job_title"`
		Skills   []string `json:"skills"`
		Contact  struct {
			Email    string `json:"email"`
			Phone    string `json:"phone"`
			Location string `json:"location"`
		} `json:"contact"`
		Experience []struct {
			Title   string `json:"title"`
			Company string `json:"company"`
			Start   string `json:"start"`
			End     string `json:"end"`
			Current bool   `json:"current"`
		} `json:"experience"`
		Education []struct {
			Degree      string `json:"degree"`
			Institution string `json:"institution"`
			End         string `json:"end"`
		} `json:"education"`
		Years   *float64 `json:"total_experience_years"`
		Quality struct {
			Score   float64  `json:"score"`
			Reasons []string `json:"reasons"`
		} `json:"quality"`
	} `json:"data"`
}

func (c *cli) printResume(answer *resume) error {
	d := &answer.Data
	// The server may be wrong about a resume, so a field that it didn't find is there, too.
	field := func(name, value string) {
		if value == "" {
			value = "unknown"
		}
		fmt.Fprintf(c.stdout, "%-11s %s\n", name, printable(value, 200))
	}
	field("Name", d.Name)
	field("Job title", d.JobTitle)
	field("Contact", joinNonEmpty(", ", d.Contact.Email, d.Contact.Phone, d.Contact.Location))
	field("Skills", strings.Join(d.Skills, ", "))
	if d.Years != nil {
		field("Experience", fmt.Sprintf("%.1f years", *d.Years))
	}

	// Positions have no name of their own: they follow the years of experience.
	for _, p := range d.Experience {
		end := p.End
		if p.Current {
			end = "now"
		}
		field("", joinNonEmpty(", ", p.Title, p.Company, joinNonEmpty(" to ", p.Start, end)))
	}
	for i, e := range d.Education {
		name := ""
		if i == 0 {
			name = "Education"
		}
		field(name, joinNonEmpty(", ", e.Degree, e.Institution, e.End))
	}

	fmt.Fprintf(c.stdout, "%-11s %s%.2f\n", "Quality", c.picture(d.Quality.Score), d.Quality.Score)
	for _, reason := range d.Quality.Reasons {
		field("", reason)
	}
	return nil
}
