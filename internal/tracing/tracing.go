// Package tracing records what requests spend their time on. Package otlp sends it to an OpenTelemetry collector. No
// other packages import OpenTelemetry.
//
// Whether a request is traced is part of its context: Start does nothing for others, so services need no tracer.
// Attributes must never contain personal data, texts of clients, or secrets.
package tracing

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/freelancer-matching/service/internal/matching"
)

// scope names the program as the source of the spans.
const scope = "freelancer-matching"

// An Attribute is a fact about a span.
type Attribute = attribute.KeyValue

// String returns an attribute with a text.
func String(key, value string) Attribute { return attribute.String(key, value) }

// Int returns an attribute with a number.
func Int(key string, value int) Attribute { return attribute.Int(key, value) }

// A Tracer starts the spans of requests. A nil Tracer starts none. It is safe for concurrent use.
type Tracer struct{ tracer trace.Tracer }

// New returns a tracer that starts spans of a provider.
func New(p trace.TracerProvider) *Tracer { return &Tracer{p.Tracer(scope)} }

// Request starts the span of a request. It continues the trace of ctx, or else that of the W3C header traceparent. The
// returned context has the span.
func (t *Tracer) Request(ctx context.Context, h http.Header, name string, attributes ...Attribute) (
	context.Context, Span,
) {
	if t == nil {
		return ctx, Span{}
	}
	if !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(h))
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
	return ctx, Span{span}
}

// Start starts a span for a part of the work on a traced request. Otherwise it returns ctx and a span that does
// nothing.
func Start(ctx context.Context, name string, attributes ...Attribute) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithAttributes(attributes...))
	return ctx, Span{span}
}

// A Span is a part of a trace. The zero Span does nothing.
type Span struct{ span trace.Span }

// Set adds attributes.
func (s Span) Set(attributes ...Attribute) {
	if s.span != nil {
		s.span.SetAttributes(attributes...)
	}
}

// Fail marks the span as failed with an error code.
func (s Span) Fail(code string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, code)
	}
}

// End ends the span. An error marks it as failed with the code of the error, but without its message, which may contain
// texts of clients.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	switch code := matching.CodeOf(err); {
	case err == nil:
	case errors.Is(err, context.Canceled):
		s.Fail("canceled")
	case code == "" && errors.Is(err, context.DeadlineExceeded):
		s.Fail("deadline_exceeded")
	case code == "":
		s.Fail("error")
	default:
		s.Fail(string(code))
	}
	s.span.End()
}
