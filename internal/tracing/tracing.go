// Package tracing records what requests spend their time on, and sends it to an OpenTelemetry collector. It is the only
// package that imports OpenTelemetry.
//
// Whether a request is traced is part of its context: Start does nothing for others, so services need no tracer.
// Attributes must never contain personal data, texts of clients, or secrets.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"freelancer-matching/internal/matching"
)

const (
	scope = "freelancer-matching" // also the name of the service
	// tracesPath follows the endpoint, as in the OTLP specification.
	tracesPath = "v1/traces"
	// exportTimeout limits one export, and the last one at shutdown.
	exportTimeout = 5 * time.Second
)

// An Attribute is a fact about a span.
type Attribute = attribute.KeyValue

// String returns an attribute with a text.
func String(key, value string) Attribute { return attribute.String(key, value) }

// Int returns an attribute with a number.
func Int(key string, value int) Attribute { return attribute.Int(key, value) }

// A Tracer starts the spans of requests. A nil Tracer starts none. It is safe for concurrent use.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// Open returns a tracer that sends spans to the collector at an endpoint such as http://127.0.0.1:4318, in the
// background. The collector need not respond: spans that cannot be sent are dropped, and the log says so. Every request
// is traced, unless its caller decided against it, or the standard variable OTEL_TRACES_SAMPLER selects another
// sampler. Headers for the collector come from OTEL_EXPORTER_OTLP_HEADERS.
func Open(ctx context.Context, endpoint, version string, log *slog.Logger) (*Tracer, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("parse the OTLP endpoint: %w", err)
	}
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(u.JoinPath(tracesPath).String()), otlptracehttp.WithTimeout(exportTimeout))
	if err != nil {
		return nil, fmt.Errorf("create the OTLP exporter: %w", err)
	}
	// The exporter reports its failures to one handler for the whole process.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces not sent", "error", err) }))
	p := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter, sdktrace.WithExportTimeout(exportTimeout)),
		sdktrace.WithResource(resource.NewSchemaless(String("service.name", scope), String("service.version", version))),
	)
	return &Tracer{provider: p, tracer: p.Tracer(scope)}, nil
}

// Close sends the remaining spans.
func (t *Tracer) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), exportTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}

// Request starts the span of a request. It continues the trace of ctx or, if there is none, that of the W3C header
// traceparent. The returned context has the span.
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
