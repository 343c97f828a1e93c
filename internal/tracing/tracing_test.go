package tracing

import (
	"context"
	"errors"
	"net/http"
	"testing"
)

// Without a tracer, spans cost a look at the context and allocate nothing.
func TestStart_WithoutATracer(t *testing.T) {
	ctx := t.Context()
	failure := errors.New("failed")
	allocations := testing.AllocsPerRun(1000, func() {
		var off *Tracer
		requestCtx, request := off.Request(ctx, nil, "request")
		partCtx, part := Start(requestCtx, "part")
		part.Set()
		part.Fail("code")
		part.End(failure)
		request.End(nil)
		if partCtx != ctx {
			t.Error("the context changed")
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations, want none", allocations)
	}
}

func BenchmarkStart_WithoutATracer(b *testing.B) {
	type key int
	ctx := b.Context()
	for i := range 10 { // like the context of a request
		ctx = context.WithValue(ctx, key(i), i)
	}
	var off *Tracer
	for b.Loop() {
		ctx, request := off.Request(ctx, http.Header{}, "request")
		_, part := Start(ctx, "part")
		part.End(nil)
		request.End(nil)
	}
}
