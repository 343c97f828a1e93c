package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/freelancer-matching/service/server/api/wire"
)

type eventInput struct {
	Type         string `json:"type"`
	RequestID    string `json:"request_id"`
	FreelancerID string `json:"freelancer_id"`
	At           string `json:"at,omitempty"`
}

type eventOutput struct {
	RequestID  string `json:"request_id"`
	Recorded   int    `json:"recorded"`
	Duplicates int    `json:"duplicates"`
}

func callEvent(ctx context.Context, c client, arguments json.RawMessage) (*result, error) {
	body := fmt.Appendf(nil, `{"events":[%s]}`, arguments)
	var answer wire.Answer[struct {
		Recorded   int `json:"recorded"`
		Duplicates int `json:"duplicates"`
	}]
	if err := c.send(ctx, request{method: http.MethodPost, path: "/events", body: body}, &answer); err != nil {
		return nil, err
	}

	out := &eventOutput{answer.RequestID, answer.Data.Recorded, answer.Data.Duplicates}
	summary := "The event is recorded."
	if out.Recorded == 0 {
		summary = "The event was recorded before."
	}
	return &result{summary: summary, structured: out}, nil
}
