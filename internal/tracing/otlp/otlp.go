// Package otlp sends spans to an OpenTelemetry collector by OTLP over HTTP.
package otlp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

const (
	service = "freelancer-matching"
	// tracesPath follows the endpoint, as in the OTLP specification.
	tracesPath = "v1/traces"
	// exportTimeout limits one export, and the last one at shutdown.
	exportTimeout = 5 * time.Second
)

// A Provider sends the spans that it is given in the background. It is safe for concurrent use.
type Provider struct{ *trace.TracerProvider }

// Open returns a provider that sends spans to the collector at an endpoint such as http://127.0.0.1:4318. The collector
// need not respond: spans that cannot be sent are dropped, and the log says so. Every request is traced, unless its
// caller decided against it, or the standard variable OTEL_TRACES_SAMPLER selects another sampler. Headers for the
// collector come from OTEL_EXPORTER_OTLP_HEADERS.
func Open(ctx context.Context, endpoint, version string, log *slog.Logger) (*Provider, error) {
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
	return &Provider{trace.NewTracerProvider(
		trace.WithBatcher(exporter, trace.WithExportTimeout(exportTimeout)),
		trace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", service), attribute.String("service.version", version))),
	)}, nil
}

// Close sends the remaining spans.
func (p *Provider) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), exportTimeout)
	defer cancel()
	if err := p.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}
