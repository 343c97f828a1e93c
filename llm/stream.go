package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Stream gives the model a task whose schema has the form {"items": […]}, and yields each element as soon as it is
// complete. A yielded element fits its schema and passed Task.Check, whatever happens later. If the reply doesn't come
// to its proper end (finish_reason stop, [DONE], and an object that fits the schema), the last pair holds an error like
// those of Ask.
//
// A reply can be repaired, without a stream, as long as nothing has been yielded. If the server can't stream, all
// elements are yielded at the end.
func (c *Chat) Stream(ctx context.Context, task Task) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		ctx, r, err := c.begin(ctx, task)
		if err == nil && r.schema.element == nil {
			r.span.End(nil)
			err = fmt.Errorf(`task %s cannot be streamed: its schema must have the form {"items": […]}`, task.Name)
		}

		if err != nil {
			yield(nil, err)
			return
		}

		ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
		defer cancel()

		s := &streamRun{run: r, yield: yield}
		if task.Check != nil {
			r.check = s.checkAll
		}

		if err = s.ask(ctx); errors.Is(err, errStopped) {
			err = nil
		}

		if err = r.end(ctx, err); err != nil {
			yield(nil, err)
		}
	}
}

// errStopped means that the caller wants no more elements.
var errStopped = errors.New("the caller stopped")

// streamRun is a streamed task in progress.
type streamRun struct {
	*run
	yield   func(json.RawMessage, error) bool
	yielded int
}

func (s *streamRun) ask(ctx context.Context) error {
	err := s.askStreamed(ctx)
	invalid, isInvalid := errors.AsType[*replyError](err)
	var value json.RawMessage
	switch {
	case errors.Is(err, errNoStream):
		value, err = s.run.ask(ctx)
	case isInvalid && s.yielded == 0:
		value, err = s.askForRepair(ctx, invalid)
	default:
		return err
	}

	if err != nil {
		return err
	}

	for _, element := range elements(value) {
		if !s.yield(element, nil) {
			return errStopped
		}
	}

	return nil
}

// askStreamed makes a call with a stream, and yields its elements.
func (s *streamRun) askStreamed(ctx context.Context) error {
	var (
		c       completion
		used    dialect
		value   json.RawMessage
		readErr error
	)

	err := s.call(ctx, true, func(ctx context.Context, p *prompt, d dialect) (_ completion, err error) {
		used = d
		c, err = s.chat.server.stream(ctx, p, d, func(reply io.Reader) {
			value, readErr = readItems(reply, s.give)
		})
		lacksEnd := c.complete && c.finish == "" && c.refusal == ""
		if err == nil && lacksEnd {
			err = &failure{kind: ErrUnavailable, text: "the stream ended without a finish_reason"}
		}

		// Later tasks will not try to stream again.
		if errors.Is(err, errNoStream) {
			next := d
			next.noStream = true
			s.chat.learner.change(d, next)
		}

		// What has been yielded can't be taken back, so a retry would repeat elements.
		if f, ok := errors.AsType[*failure](err); ok {
			f.final = s.yielded > 0
			// A server that was still sending when the time ran out is alive.
			f.alive = f.alive || !c.noChoice && errors.Is(err, context.DeadlineExceeded)
		}

		return c, err
	})

	if errors.Is(readErr, errStopped) {
		return errStopped // whatever happened to the rest of the reply
	}

	// The first cause counts: a reply that was cut off has an invalid element, too.
	if err == nil && c.complete {
		err = s.checkFinish(&c)
	}

	if err == nil {
		err = readErr
	}

	if err == nil {
		err = validate(s.schema.reply, value)
	}

	return s.withReply(err, c.text, used)
}

// give yields an element, if it is valid.
func (s *streamRun) give(element json.RawMessage) error {
	if err := validate(s.schema.element, element); err != nil {
		return err
	}
	if s.Check != nil {
		if err := checkFailed(s.Check(element)); err != nil {
			return err
		}
	}
	s.yielded++
	if !s.yield(element, nil) {
		return errStopped
	}
	return nil
}

// checkAll calls the task's check with each element of a reply that was not streamed.
func (s *streamRun) checkAll(value json.RawMessage) error {
	for i, element := range elements(value) {
		if err := s.Check(element); err != nil {
			return fmt.Errorf("element %d: %w", i+1, err)
		}
	}
	return nil
}

// elements returns the elements of a value that fits a schema of the form {"items": […]}.
func elements(value json.RawMessage) []json.RawMessage {
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	_ = json.Unmarshal(value, &list) // it fits
	return list.Items
}
