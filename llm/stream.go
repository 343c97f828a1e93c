package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
)

// Stream gives a task to the model whose schema has the form {"items": […]}, and yields each element as soon as it is
// complete. An element yielded fits its schema and passed the check, whatever comes after it. The last pair is an error, as
// of Ask, where the reply did not come to its proper end: finish_reason stop, [DONE], and a whole that fits the schema.
//
// There is a repair, without a stream, only as long as nothing was yielded. From servers that cannot stream, elements
// come all at once at the end.
func (c *Chat) Stream(ctx context.Context, task Task) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		r, err := c.begin(task)
		if err == nil && r.schema.element == nil {
			err = fmt.Errorf(`task %s cannot be streamed: its schema must have the form {"items": […]}`, task.Name)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
		defer cancel()
		s := &stream{run: r, yield: yield}
		if task.Check != nil {
			r.check = s.checkElements
		}
		if err = s.ask(ctx); errors.Is(err, errStopped) {
			err = nil
		}
		if err = r.end(ctx, err); err != nil {
			yield(nil, err)
		}
	}
}

// errStopped is a caller that wants no more elements.
var errStopped = errors.New("the caller stopped")

// stream is a task under way whose elements are given away as they come.
type stream struct {
	*run
	yield   func(json.RawMessage, error) bool
	yielded int
}

func (s *stream) ask(ctx context.Context) error {
	err := s.streamed(ctx)
	m, isMisfit := errors.AsType[*misfit](err)
	var value json.RawMessage
	switch {
	case errors.Is(err, errNoStream):
		value, err = s.run.ask(ctx)
	case isMisfit && s.yielded == 0:
		value, err = s.repair(ctx, m)
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

// streamed makes the call.
func (s *stream) streamed(ctx context.Context) error {
	var (
		c      completion
		spoken dialect
		found  *items
	)
	err := s.call(ctx, true, func(ctx context.Context, p *prompt, d dialect) (_ completion, err error) {
		spoken, found = d, &items{}
		c, err = s.chat.server.stream(ctx, p, d, func(piece string) error { return found.feed(piece, s.give) })
		if err == nil && c.finish == "" && c.refusal == "" {
			err = &failure{kind: ErrUnavailable, text: "the stream ended without a finish_reason"}
		}
		if errors.Is(err, errNoStream) {
			next := d
			next.noStream = true
			s.chat.knowledge.change(d, next)
		}
		if f, ok := errors.AsType[*failure](err); ok {
			f.final = s.yielded > 0
			f.alive = f.alive || !c.none && errors.Is(err, context.DeadlineExceeded) // it was still at it
		}
		return c, err
	})
	if err == nil {
		err = s.finished(&c)
	}
	if err == nil {
		err = found.end()
	}
	if err == nil {
		err = fit(s.schema.reply, found.document())
	}
	return s.doubt(err, c.text, spoken)
}

// give yields an element that is good.
func (s *stream) give(element json.RawMessage) error {
	if err := fit(s.schema.element, element); err != nil {
		return err
	}
	if err := s.checkElement(element); err != nil {
		return err
	}
	s.yielded++
	if !s.yield(element, nil) {
		return errStopped
	}
	return nil
}

func (s *stream) checkElement(element json.RawMessage) error {
	if s.Check == nil {
		return nil
	}
	return passed(s.Check(element))
}

// checkElements is the check of a whole reply that did not come as a stream.
func (s *stream) checkElements(value json.RawMessage) error {
	for i, element := range elements(value) {
		if err := s.Check(element); err != nil {
			return fmt.Errorf("element %d: %w", i+1, err)
		}
	}
	return nil
}

// elements are those of a value that fits a schema of the form {"items": […]}.
func elements(value json.RawMessage) []json.RawMessage {
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	_ = json.Unmarshal(value, &list) // it fits
	return list.Items
}
