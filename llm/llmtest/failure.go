package llmtest

import (
	"net/http"
	"strings"
	"time"

	"github.com/freelancer-matching/service/llm"
)

// A Failure is a fault of a server, or of a model, with the error of a task without a stream.
type Failure struct {
	Fault Fault
	Model Model // nil: a good one
	Kind  error
}

// Failures returns failures that every task must report as what they are.
func Failures() map[string]Failure {
	return map[string]Failure{
		"429":            {Status(http.StatusTooManyRequests, "slow down", "1"), nil, llm.ErrUnavailable},
		"500":            {Status(http.StatusInternalServerError, "oops", ""), nil, llm.ErrUnavailable},
		"401":            {Status(http.StatusUnauthorized, "who?", ""), nil, llm.ErrConfiguration},
		"hang":           {Hang(), nil, llm.ErrTimeout},
		"slow":           {Slow(time.Minute), nil, llm.ErrTimeout},
		"hang up":        {HangUp(), nil, llm.ErrUnavailable},
		"truncated":      {Truncate(), nil, llm.ErrUnavailable},
		"huge":           {Oversize(100 << 10), nil, llm.ErrReply},
		"page":           {Body(http.StatusOK, "text/html", "<html>hello</html>"), nil, llm.ErrConfiguration},
		"wrong JSON":     {nil, Say(`{"items": [{"level": }`), llm.ErrReply},
		"prose":          {nil, Say("I think that it is fine."), llm.ErrReply},
		"other form":     {nil, Say(`{"total": 100, "hiring_recommendation": true}`), llm.ErrReply},
		"refusal":        {nil, Reply(ChatReply{Refusal: "no"}), llm.ErrReply},
		"filter":         {nil, Reply(ChatReply{Text: "{", Finish: "content_filter"}), llm.ErrReply},
		"length":         {nil, Reply(ChatReply{Text: `{"items":[`, Finish: "length"}), llm.ErrReply},
		"no choice":      {nil, Reply(ChatReply{NoChoice: true}), llm.ErrReply},
		"a huge text":    {nil, Say(strings.Repeat("x", 100<<10)), llm.ErrReply},
		"nothing at all": {nil, Say(""), llm.ErrReply},
	}
}
