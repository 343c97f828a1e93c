package uploads

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Run reads and publishes uploads, one after the other, until ctx ends. It begins with those that the last run of the
// server left unfinished.
func (s *Service) Run(ctx context.Context) {
	s.resume(ctx)
	ticker := time.NewTicker(expireEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.expire()
		case <-s.queued:
			for s.doNext(ctx) {
			}
		}
	}
}

// doNext works on the upload whose turn it is. It reports whether there was one.
func (s *Service) doNext(ctx context.Context) bool {
	s.mu.Lock()
	if len(s.queue) == 0 || ctx.Err() != nil {
		s.mu.Unlock()
		return false
	}
	e := s.uploads[s.queue[0]] // canceled ones leave the queue
	s.queue = s.queue[1:]
	limit := readTime
	if e.State == Publishing {
		limit = publishTime
	}
	workCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	e.cancel = cancel
	u := e.Upload
	s.mu.Unlock()

	s.do(ctx, workCtx, &u, func(p Progress) {
		s.mu.Lock()
		defer s.mu.Unlock()
		e.Progress = p
	})
	return true
}

// resume queues the uploads that were being read when the server stopped, and finds out what became of those that were
// being published.
func (s *Service) resume(ctx context.Context) {
	s.mu.Lock()
	var unfinished []Upload
	for _, e := range s.uploads {
		if e.State.isBusy() && e.Progress.Stage == "" { // not from this run
			e.Progress.Stage = StageWaiting
			unfinished = append(unfinished, e.Upload)
		}
	}
	s.mu.Unlock()

	for _, u := range unfinished {
		if u.State == Reading {
			s.mu.Lock()
			s.enqueue(u.ID)
			s.mu.Unlock()
			continue
		}
		index, previous, err := s.Loader.Published(ctx, u.ID)
		if err == nil && index == "" {
			err = &RefusedError{Code: CodeInterrupted, Err: errors.New("the server stopped while the load was published, " +
				"and the live data is as it was before; publish it again")}
		}
		s.endPublishing(ctx, u.ID, index, previous, err)
	}
}

// do reads or publishes an upload. If ctx, that of the server, has ended, it leaves the upload as it is, for the next
// run.
func (s *Service) do(ctx, workCtx context.Context, u *Upload, observe func(Progress)) {
	if u.State == Publishing {
		index, previous, err := s.publish(workCtx, u, observe)
		if ctx.Err() == nil {
			s.endPublishing(ctx, u.ID, index, previous, err)
		}
		return
	}

	preview, err := s.preview(workCtx, u, observe)
	if ctx.Err() == nil {
		s.endReading(ctx, u.ID, preview, err)
	}
}

// preview calls the loader. A reader of a file format that panics is a fault of the file.
func (s *Service) preview(ctx context.Context, u *Upload, observe func(Progress)) (p *Preview, err error) {
	defer s.recoverPanic(u, &err)
	return s.Loader.Preview(ctx, u, s.staging.content(u.ID), observe)
}

// publish calls the loader.
func (s *Service) publish(
	ctx context.Context, u *Upload, observe func(Progress),
) (index, previous string, err error) {
	defer s.recoverPanic(u, &err)
	return s.Loader.Publish(ctx, u, s.staging.content(u.ID), observe)
}

func (s *Service) recoverPanic(u *Upload, err *error) {
	if cause := recover(); cause != nil {
		s.Logger.Error("panic", "load", u.ID, "cause", cause, "stack", string(debug.Stack()))
		*err = fmt.Errorf("panic: %v", cause)
	}
}

// endReading stores what was read.
func (s *Service) endReading(ctx context.Context, id string, preview *Preview, err error) {
	s.end(ctx, id, err, func(u *Upload) {
		u.Preview = preview
		u.Publishable = err == nil
		if err == nil {
			u.State = Ready
		}
	})
}

// endPublishing stores what became of a load. Once it is live, the file has served its purpose.
func (s *Service) endPublishing(ctx context.Context, id, index, previous string, err error) {
	s.end(ctx, id, err, func(u *Upload) {
		if index == "" {
			return
		}
		u.State = Live
		u.Index = index
		u.Previous = previous
		u.Preview = u.Preview.forget()
	})
}

// end changes the state of an upload after its work.
func (s *Service) end(ctx context.Context, id string, err error, change func(*Upload)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.uploads[id]
	if e == nil {
		return // it was canceled meanwhile
	}

	changed := e.Upload
	changed.Progress = Progress{}
	if err != nil {
		s.fail(ctx, &changed, err)
	}
	change(&changed)
	e.Upload = changed
	e.cancel = nil

	if !changed.State.HasFile() {
		if err := s.staging.removeContent(id); err != nil {
			s.Logger.WarnContext(ctx, "file of an upload not removed", "load", id, "error", err)
		}
	}
	if changed.State == Refused {
		s.Refused(&changed) // before the state is stored: a server that starts reads other files again
	}
	if err := s.staging.describe(&changed); err != nil {
		s.Logger.WarnContext(ctx, "state of an upload not stored", "load", id, "error", err)
	}
}

// sentence returns a message that begins with a capital letter and ends with a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// fail describes why the work on an upload ended without success. The owner sees what the file is at fault for, and the
// operator sees the rest in the log.
func (s *Service) fail(ctx context.Context, u *Upload, err error) {
	refusal, isRefusal := errors.AsType[*RefusedError](err)
	switch {
	case isRefusal:
		u.State = Refused
		u.Failure = &Failure{refusal.Code, sentence(strings.TrimPrefix(refusal.Error(), u.File+": "))}
	case errors.Is(err, context.DeadlineExceeded):
		u.State = Failed
		u.Failure = &Failure{CodeTooSlow, fmt.Sprintf("The work took longer than the limit (%s to read, %s to publish). "+
			"Split the file, or load it with the indexer.", readTime, publishTime)}
	default:
		u.State = Failed
		u.Failure = &Failure{codeFailed, "The server could not finish this. Its log says why. Try again, or cancel the load."}
		s.Logger.LogAttrs(ctx, slog.LevelError, "upload failed", slog.String("load", u.ID), slog.Any("error", err))
	}
}
