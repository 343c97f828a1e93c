package api

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/internal/tracing"
)

// trace records the span of a request, except for probes, which would outnumber everything else. It contains neither
// the body nor the query, key or address.
func (s *Server) trace(c *gin.Context) {
	route := c.FullPath()
	isProbe := route == "/livez" || route == "/readyz"
	if s.deps.Tracer == nil || isProbe {
		c.Next()
		return
	}

	name := "unknown"
	attributes := []tracing.Attribute{tracing.String("request_id", callOf(c).ID)}

	if route != "" { // otherwise the method may be any text, too
		route = strings.TrimSuffix(route, "/*page")
		name = c.Request.Method + " " + route
		attributes = append(attributes,
			tracing.String("http.request.method", c.Request.Method), tracing.String("http.route", route))
	}

	ctx, span := s.deps.Tracer.Request(c.Request.Context(), c.Request.Header, name, attributes...)
	c.Request = c.Request.WithContext(ctx)
	status := http.StatusInternalServerError // if the connection is cut
	defer func() {
		call := callOf(c)
		code := string(call.Code)
		span.Set(tracing.Int("http.response.status_code", status), tracing.String("plan", call.Caller.Key.Plan))
		if code != "" {
			span.Set(tracing.String("error.type", code))
		}

		if status >= http.StatusInternalServerError {
			span.Fail(code)
		}
		span.End(nil)
	}()

	c.Next()
	status = c.Writer.Status()
}
