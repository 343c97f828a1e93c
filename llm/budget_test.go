package llm_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

const day = "2000-01-01" // when the clock of a synctest bubble starts

func TestChat_SettlesTheUsageOfATask(t *testing.T) {
	usage := &llmtest.Usage{PromptTokens: 100, CompletionTokens: 20}
	ask := func(ctx context.Context, c *llm.Chat, task llm.Task) { _, _ = c.Ask(ctx, task) }
	stream := func(ctx context.Context, c *llm.Chat, task llm.Task) { _, _ = collect(ctx, c, task) }
	good := llmtest.ChatReply{Text: goodMark, Usage: usage}
	bad := llmtest.ChatReply{Text: "four", Usage: usage}
	list := llmtest.ChatReply{Text: goodList, Usage: usage}
	uncounted := llmtest.ChatReply{Text: goodList, NoUsage: true}
	tests := []struct {
		name     string
		task     llm.Task
		do       func(context.Context, *llm.Chat, llm.Task)
		model    llmtest.Model
		fault    llmtest.Fault
		min, max int // tokens
	}{
		{"a reply", markTask(), ask, llmtest.Reply(good), nil, 120, 120},
		{"with a repair", markTask(), ask, llmtest.InTurn(llmtest.Reply(bad), llmtest.Reply(good)), nil, 240, 240},
		{"invalid twice", markTask(), ask, llmtest.Reply(bad), nil, 240, 240},
		{"rejected", markTask(), ask, llmtest.Reply(good), llmtest.Status(401, "no", ""), 0, 0},
		{"busy", markTask(), ask, llmtest.Reply(good), llmtest.Status(503, "no", ""), 0, 0},
		{"a stream", listTask(), stream, llmtest.Reply(list), nil, 120, 120},
		// The prompt has about 1,000 characters.
		{"a stream without usage", listTask(), stream, llmtest.Reply(uncounted), nil, 250, 700},
		{"a cut stream", listTask(), stream, llmtest.Reply(list), llmtest.CutStream(6), 250, 700},
		{"too slow", markTask(), ask, llmtest.Reply(good), llmtest.Hang(), 250, 700},
		{"an abandoned stream", listTask(), func(ctx context.Context, c *llm.Chat, task llm.Task) {
			for range c.Stream(ctx, task) {
				break
			}
		}, llmtest.Reply(list), nil, 250, 700},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Play("", test.model)
				s.Always(test.fault)
				budget := llmtest.NewMemoryBudget(10_000)
				c := newChat(t, s, func(o *llm.ChatOptions) { o.Budget = budget })
				test.task.Account = "a"
				test.do(t.Context(), c, test.task)

				if used := budget.Used("a", day); used < test.min || used > test.max {
					t.Errorf("got %d tokens used, want %d to %d", used, test.min, test.max)
				}
			})
		})
	}
}

func TestAsk_FailsWhenTheBudgetIsExhausted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Play("", llmtest.Reply(llmtest.ChatReply{
			Text: goodMark, Usage: &llmtest.Usage{PromptTokens: 900, CompletionTokens: 100},
		}))
		c := newChat(t, s, func(o *llm.ChatOptions) { o.Budget = llmtest.NewMemoryBudget(2500) })
		ask := func(account string) error {
			_, err := c.Ask(t.Context(), markTask(func(task *llm.Task) { task.Account = account }))
			return err
		}
		for range 2 {
			if err := ask("a"); err != nil {
				t.Fatal(err)
			}
		}

		err := ask("a")
		if !errors.Is(err, llm.ErrBudget) || !strings.Contains(err.Error(), "2000 of 2500 tokens for the day are used") {
			t.Errorf("got %v, want ErrBudget", err)
		}

		if n := len(s.Requests()); n != 2 {
			t.Errorf("got %d calls, want 2: none over the budget", n)
		}

		for _, account := range []string{"b", ""} {
			if err := ask(account); err != nil {
				t.Errorf("account %q: got %v, want no error", account, err)
			}
		}

		<-time.After(24 * time.Hour)
		if err := ask("a"); err != nil {
			t.Errorf("next day: got %v, want no error", err)
		}
	})
}

func TestAsk_LimitsOneCall(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	c := newChat(t, s, func(o *llm.ChatOptions) { o.MaxTokens = 400 })
	_, err := c.Ask(t.Context(), markTask())
	if !errors.Is(err, llm.ErrBudget) || len(s.Requests()) != 0 {
		t.Errorf("got %v and %d requests, want ErrBudget and none", err, len(s.Requests()))
	}
}

// failingBudget is a budget without a store.
type failingBudget struct{ reserve, settle error }

func (b failingBudget) Reserve(context.Context, string, string, int) error { return b.reserve }

func (b failingBudget) Settle(context.Context, string, string, int, llm.Usage) error { return b.settle }

func TestAsk_FailingBudget(t *testing.T) {
	gone := errors.New("store is gone")
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.Say(goodMark))
	for _, test := range []struct {
		budget failingBudget
		want   error
	}{{failingBudget{reserve: gone}, gone}, {failingBudget{settle: gone}, nil}} {
		c := newChat(t, s, func(o *llm.ChatOptions) { o.Budget = test.budget })
		_, err := c.Ask(t.Context(), markTask(func(task *llm.Task) { task.Account = "a" }))
		if !errors.Is(err, test.want) {
			t.Errorf("got %v, want %v", err, test.want)
		}
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("got %d calls, want 1", n)
	}
}

// Concurrent reservations never exceed the budget.
func TestMemoryBudget_HoldsUnderConcurrency(t *testing.T) {
	budget := llmtest.NewMemoryBudget(1000)
	var wait sync.WaitGroup
	granted := make(chan int, 100)
	for range 100 {
		wait.Go(func() {
			if err := budget.Reserve(t.Context(), "a", day, 30); err == nil {
				granted <- 30
			} else if !errors.Is(err, llm.ErrBudget) {
				t.Error(err)
			}
		})
	}

	wait.Wait()
	if n := len(granted); n != 33 || budget.Used("a", day) != 990 {
		t.Errorf("got %d granted and %d used, want 33 and 990", n, budget.Used("a", day))
	}
	err := budget.Settle(t.Context(), "a", day, 30, llm.Usage{Prompt: 1, Completion: 2})
	if used := budget.Used("a", day); err != nil || used != 963 {
		t.Errorf("got %v and %d used, want 963", err, used)
	}

	for _, later := range []string{"2000-01-02", "2000-01-03"} {
		if err := budget.Reserve(t.Context(), "a", later, 1); err != nil {
			t.Fatal(err)
		}
	}

	if budget.Used("a", day) != 0 || budget.Used("a", "2000-01-02") != 1 {
		t.Error("want usage of the latest two days, and no earlier one")
	}
}
