package limits

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/server/api/endpoint"
)

// ChangeCounter limits how many freelancers accounts change.
type ChangeCounter interface {
	// Take counts up to n changes and decides how many may be made.
	Take(ctx context.Context, a changes.Allowance, n int) (changes.Decision, error)
}

// The headers that describe the limit of changes with fewer changes remaining, per minute or per day.
const (
	HeaderChangeLimit     = "X-Changes-Limit"
	HeaderChangeRemaining = "X-Changes-Remaining"
)

// Changes limits the changes of freelancers.
type Changes struct {
	Counter ChangeCounter
	Log     *slog.Logger
}

// Take counts up to n changes of the caller's account, and returns how many may be made: at least 1 without an error.
// It sets the headers of the limit unless the response has begun.
func (l *Changes) Take(ctx context.Context, call *endpoint.Call, n int) (int, error) {
	caller := &call.Caller
	if caller.Plan.ChangesPerDay == 0 {
		return n, nil
	}

	d, err := l.Counter.Take(ctx, changes.Allowance{
		Subject: caller.Account, PerMinute: caller.Plan.ChangesPerMinute, PerDay: caller.Plan.ChangesPerDay,
	}, n)
	if err != nil {
		return 0, err
	}

	if !call.Response.Written() {
		call.SetHeader(HeaderChangeLimit, strconv.Itoa(d.Limit))
		call.SetHeader(HeaderChangeRemaining, strconv.Itoa(d.Left))
	}

	if err := d.Err(); err != nil {
		l.Log.LogAttrs(ctx, slog.LevelWarn, "limit of changes reached",
			slog.String("request_id", call.ID), slog.String("account", caller.Account),
			slog.String("plan", caller.Key.Plan))
		return 0, err
	}

	return d.Taken, nil
}
