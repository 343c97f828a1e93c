package llm_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"freelancer-matching/llm"
	"freelancer-matching/llm/llmtest"
)

const day = "2000-01-01" // on which the clock of a synctest bubble begins

func TestChat_SettlesWhatATaskUsed(t *testing.T) {
	usage := &llmtest.Usage{PromptTokens: 100, CompletionTokens: 20}
	ask := func(ctx context.Context, c *llm.Chat, task llm.Task) { _, _ = c.Ask(ctx, task) }
	stream := func(ctx context.Context, c *llm.Chat, task llm.Task) { _, _ = collect(ctx, c, task) }
	good, bad := llmtest.ChatReply{Text: goodMark, Usage: usage}, llmtest.ChatReply{Text: "four", Usage: usage}
	list, uncounted := llmtest.ChatReply{Text: goodList, Usage: usage}, llmtest.ChatReply{Text: goodList, NoUsage: true}
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
		{"of no use", markTask(), ask, llmtest.Reply(bad), nil, 240, 240},
		{"refused", markTask(), ask, llmtest.Reply(good), llmtest.Status(401, "no", ""), 0, 0},
		{"busy", markTask(), ask, llmtest.Reply(good), llmtest.Status(503, "no", ""), 0, 0},
		{"a stream", listTask(), stream, llmtest.Reply(list), nil, 120, 120},
		// The prompt has about 1,000 characters.
		{"a stream that is not counted", listTask(), stream, llmtest.Reply(uncounted), nil, 250, 700},
		{"a stream that is cut", listTask(), stream, llmtest.Reply(list), llmtest.CutStream(6), 250, 700},
		{"too slow", markTask(), ask, llmtest.Reply(good), llmtest.Hang(), 250, 700},
		{"a stream that is left", listTask(), func(ctx context.Context, c *llm.Chat, task llm.Task) {
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
				budget := llm.NewMemoryBudget(10_000)
				c := newChat(t, s, func(o *llm.ChatOptions) { o.Budget = budget })
				test.task.Account = "a"
				test.do(t.Context(), c, test.task)
				if used := budget.Used("a", day); used < test.min || used > test.max {
					t.Errorf("%d tokens are used, want %d to %d", used, test.min, test.max)
				}
			})
		})
	}
}

func TestAsk_EndsWithTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Play("", llmtest.Reply(llmtest.ChatReply{
			Text: goodMark, Usage: &llmtest.Usage{PromptTokens: 900, CompletionTokens: 100},
		}))
		c := newChat(t, s, func(o *llm.ChatOptions) { o.Budget = llm.NewMemoryBudget(2500) })
		ask := func(account string) error {
			_, err := c.Ask(t.Context(), markTask(func(task *llm.Task) { task.Account = account }))
			return err
		}
		for range 2 {
			if err := ask("a"); err != nil {
				t.Fatal(err)
			}
		}
		if err := ask("a"); !errors.Is(err, llm.ErrBudget) || !strings.Contains(err.Error(), "of 2500 a day 2000 are used") {
			t.Errorf("%v, want the budget used up", err)
		}
		if n := len(s.Requests()); n != 2 {
			t.Errorf("%d calls, want 2: a call over the budget is not made", n)
		}
		for _, account := range []string{"b", ""} {
			if err := ask(account); err != nil {
				t.Errorf("account %q: %v", account, err)
			}
		}
		<-time.After(24 * time.Hour)
		if err := ask("a"); err != nil {
			t.Errorf("the next day: %v", err)
		}
	})
}

func TestAsk_BoundsOneCall(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	c := newChat(t, s, func(o *llm.ChatOptions) { o.MaxTokens = 400 })
	_, err := c.Ask(t.Context(), markTask())
	if !errors.Is(err, llm.ErrBudget) || len(s.Requests()) != 0 {
		t.Errorf("%v and %d requests, want the budget used up, and none", err, len(s.Requests()))
	}
}

// failing is a budget whose store is gone.
type failing struct{ reserve, settle error }

func (b failing) Reserve(context.Context, string, string, int) error { return b.reserve }

func (b failing) Settle(context.Context, string, string, int, llm.Usage) error { return b.settle }

func TestAsk_ABudgetThatFails(t *testing.T) {
	gone := errors.New("store is gone")
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.Say(goodMark))
	for _, test := range []struct {
		budget failing
		want   error
	}{{failing{reserve: gone}, gone}, {failing{settle: gone}, nil}} {
		c := newChat(t, s, func(o *llm.ChatOptions) { o.Budget = test.budget })
		_, err := c.Ask(t.Context(), markTask(func(task *llm.Task) { task.Account = "a" }))
		if !errors.Is(err, test.want) {
			t.Errorf("%v, want %v", err, test.want)
		}
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

// Whatever runs at once, no more is reserved than there is.
func TestMemoryBudget_HoldsWithManyAtOnce(t *testing.T) {
	budget := llm.NewMemoryBudget(1000)
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
		t.Errorf("%d granted and %d used, want 33 and 990", n, budget.Used("a", day))
	}
	if err := budget.Settle(t.Context(), "a", day, 30, llm.Usage{Prompt: 1, Completion: 2}); err != nil || budget.Used("a", day) != 963 {
		t.Errorf("%v, %d used, want 963", err, budget.Used("a", day))
	}
	for _, later := range []string{"2000-01-02", "2000-01-03"} {
		if err := budget.Reserve(t.Context(), "a", later, 1); err != nil {
			t.Fatal(err)
		}
	}
	if budget.Used("a", day) != 0 || budget.Used("a", "2000-01-02") != 1 {
		t.Error("yesterday is forgotten, or the day before is not")
	}
}
