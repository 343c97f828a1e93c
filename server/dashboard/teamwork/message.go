package teamwork

import (
	"net/url"
	"strings"

	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/playground"
)

// maxMessageBrief is the number of characters of the brief in a message. Programs reject long mailto links.
const maxMessageBrief = 500

// A message is a draft of a mail to a person. The service never sends it: users open it in their own mail program,
// where they add the address, or copy it.
type message struct {
	Subject, Text string
	Mailto        string
}

// newMessage returns a draft with the words of the brief.
func newMessage(p *projects.Project, person *personView) message {
	// Browsers send texts with CRLF.
	brief := strings.TrimSpace(strings.ReplaceAll(p.Brief.Form.Get("description"), "\r\n", "\n"))
	if runes := []rune(brief); len(runes) > maxMessageBrief {
		brief = strings.TrimSpace(string(runes[:maxMessageBrief])) + "…"
	}

	var text strings.Builder
	text.WriteString("Hello " + person.Name() + ",\n\nwe are looking for somebody for this project:\n\n")
	if brief == "" {
		brief = p.Name
	}
	text.WriteString(brief + "\n\n")

	if skills := page.SplitList(p.Brief.Form.Get("required_skills")); len(skills) > 0 {
		text.WriteString("Skills: " + strings.Join(skills, ", ") + "\n")
	}
	for _, chip := range playground.TermChips(&p.Brief) {
		text.WriteString(chip.Label + "\n")
	}
	if len(person.Match.Has) > 0 {
		text.WriteString("\nWe write to you because of your experience with " + strings.Join(person.Match.Has, ", ") + ".\n")
	}
	text.WriteString("\nAre you interested, and when could you start?\n")

	m := message{Subject: "Project: " + p.Name, Text: text.String()}
	m.Mailto = "mailto:?subject=" + mailText(m.Subject) + "&body=" + mailText(m.Text)
	return m
}

// mailText encodes a text for a mailto link, in which lines end with CRLF (RFC 6068).
func mailText(text string) string {
	return strings.ReplaceAll(url.QueryEscape(strings.ReplaceAll(text, "\n", "\r\n")), "+", "%20")
}
