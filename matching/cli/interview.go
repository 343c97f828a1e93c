package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
)

func (c *cli) interviewCommand() *command {
	flags := c.newFlags("interview")
	title := flags.String("title", "", "`title` of the work, such as \"React developer\"")
	skills := flags.String("skills", "", "skills to ask about, most important first (`list`)")
	questions := flags.Int("questions", 5, "`number` of questions, up to 20")
	language := flags.String("language", "", "ISO 639-1 `code` of the questions' language")

	return &command{
		name: "interview", arguments: "ID [TEXT]", summary: "ask a freelancer questions, and show how the answers are judged",
		details: `
The text describes the work. Each question is printed, and the answer is read from standard input: it ends with an empty
line, and an empty answer skips the question. Nothing is judged before the last answer.

Examples:
  matching interview f12 "Online shop in React with payments"
  matching interview f12 -title "Go developer" -skills "Go, PostgreSQL" -questions 3
`,
		flags: flags, fewest: 1, most: -1,
		run: func(ctx context.Context, args []string) error {
			if *title == "" && len(args) < 2 {
				return commandline.Usagef("describe the work: as text, or with -title")
			}
			// In this mode the server writes the questions and judges the answers.
			start := map[string]any{"mode": "ai_full", "freelancer_id": args[0], "num_questions": *questions}
			if len(args) > 1 {
				start["project_description"] = strings.Join(args[1:], " ")
			}
			if *title != "" {
				start["job_title"] = *title
			}
			if *skills != "" {
				start["required_skills"] = splitList(*skills)
			}
			if *language != "" {
				start["language"] = *language
			}
			return c.interview(ctx, start)
		},
	}
}

// An interview is the part of a response to interview that is printed.
type interview struct {
	Data struct {
		SessionID string `json:"session_id"`
		Interview struct {
			Questions []struct {
				Text string `json:"text"`
			} `json:"questions"`
		} `json:"interview_data"`
		Evaluation *struct {
			Overall        *float64   `json:"overall_score"`
			Scores         []*float64 `json:"scores"`
			Feedback       []string   `json:"feedback"`
			Recommendation *string    `json:"hiring_recommendation"`
			Reason         string     `json:"recommendation_reason"`
		} `json:"evaluation"`
	} `json:"data"`
}

func (c *cli) interview(ctx context.Context, start map[string]any) error {
	a, err := c.api()
	if err != nil {
		return err
	}
	q := request{method: http.MethodPost, path: "/interview"}
	body, err := a.sendJSON(ctx, q, start)
	if err != nil {
		return err
	}

	// Questions go to standard error, so that -json leaves nothing but the evaluation on standard output.
	var answers []string
	var session interview
	if err := decode(body, &session); err != nil {
		return err
	}
	questions := session.Data.Interview.Questions
	input := bufio.NewReader(c.stdin)
	for i, question := range questions {
		fmt.Fprintf(c.stderr, "\nQuestion %d of %d: %s\n", i+1, len(questions), printable(question.Text, 2000))
		answer, err := readAnswer(input)
		if err != nil {
			return err
		}
		answers = append(answers, answer)
	}

	body, err = a.sendJSON(ctx, q, map[string]any{
		"mode": "ai_full", "freelancer_id": start["freelancer_id"], "session_id": session.Data.SessionID,
		"provided_answers": answers,
	})
	if err != nil {
		return err
	}
	return show(c, body, c.printInterview)
}

// readAnswer reads lines until an empty one, or until the input ends.
func readAnswer(input *bufio.Reader) (string, error) {
	var lines []string
	for {
		line, err := input.ReadString('\n')
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return "", fmt.Errorf("read the answer: %w", err)
		}

		line = strings.TrimRight(line, "\r\n")
		if line != "" {
			lines = append(lines, line)
		}
		if line == "" || ended {
			return strings.Join(lines, "\n"), nil
		}
	}
}

func (c *cli) printInterview(answer *interview) error {
	e := answer.Data.Evaluation
	fmt.Fprintf(c.stdout, "\nInterview %s\n", answer.Data.SessionID)
	if e == nil {
		fmt.Fprintln(c.stdout, "It isn't evaluated yet.")
		return nil
	}

	// Without a language model, the server counts points and gives most answers no score.
	for i, feedback := range e.Feedback {
		score := "not scored"
		if i < len(e.Scores) && e.Scores[i] != nil {
			score = fmt.Sprintf("%s%.0f of 100", c.picture(*e.Scores[i]/100), *e.Scores[i])
		}
		fmt.Fprintf(c.stdout, "\nQuestion %d: %s\n", i+1, score)
		c.wrapped("  ", printable(feedback, 2000))
	}

	if e.Overall != nil {
		fmt.Fprintf(c.stdout, "\nOverall: %s%.0f of 100\n", c.picture(*e.Overall/100), *e.Overall)
	}
	recommendation := capitalized(e.Reason)
	if e.Recommendation != nil {
		recommendation = "Recommendation: " + strings.ReplaceAll(*e.Recommendation, "_", " ") + "; " + e.Reason
	}
	fmt.Fprintln(c.stdout)
	c.wrapped("", printable(recommendation, 1000))
	return nil
}
