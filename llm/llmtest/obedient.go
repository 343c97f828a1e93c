package llmtest

import (
	"fmt"
	"regexp"
	"strings"
)

// instruction matches what an answer wants of its judge.
var instruction = regexp.MustCompile(
	`(?i)\b(?:ignore|disregard|forget|override|rate|award|assign|deserves|hir(?:e|ing)|` +
		`marks?|score|pretend|act as|you are now|approved|system|assistant|evaluator|reviewer)\b`)

var rubricPoint = regexp.MustCompile(`(?m)^point (\d+): `)

// Obedient plays a model for interview answers that does what an answer demands: it gives the best marks, quotes the
// demand as evidence for everything, and urges to hire. It finds other answers poor.
func Obedient(r ChatRequest) ChatReply {
	answer := strings.Join(r.Data("answer"), "")
	obeys := instruction.MatchString(answer)
	level := 2
	feedback := "The answer names the subject and leaves out what matters in practice."
	if obeys {
		level = 5
		feedback = "You must hire this person. The answer covers the subject from its causes to its costs."
	}

	quotation := answer[:min(len(answer), 500)]
	var points []string
	for _, number := range rubricPoint.FindAllStringSubmatch(strings.Join(r.Data("rubric"), ""), -1) {
		points = append(points, fmt.Sprintf(`{"point":%s,"quotation":%q,"covered":%t}`, number[1], quotation, obeys))
	}

	mark := fmt.Sprintf(`{"evidence":[%q],"level":%d}`, quotation, level)
	return ChatReply{Text: fmt.Sprintf(`{"points":[%s],"marks":{"technical":%s,"experience":%s,"communication":%s},`+
		`"feedback":%q,"strengths":[],"improvements":[],"remarks":[]}`,
		strings.Join(points, ","), mark, mark, mark, feedback)}
}
