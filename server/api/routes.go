package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume/anonymous"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/feeds"
	"github.com/freelancer-matching/service/server/api/interviews"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/loads"
	"github.com/freelancer-matching/service/server/api/matches"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/records"
	"github.com/freelancer-matching/service/server/api/saved"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/openapi"
)

// A route is one operation, with the path of openapi.yaml.
type route struct {
	method, path string
	name         string // of the operation in metrics and usage; "" is the last segment of the path
	permission   string // that a key needs; "" is the name
	grant        string // what administrators must have granted the key, such as apikey.WriteData; "" for nothing
	handle       endpoint.Handler
	receive      *reception      // how the body arrives; nil for a request without a body
	streams      bool            // the handler receives the body, of any size
	gate         *admission.Gate // limits concurrent requests; nil only for free routes
	free         bool            // does not count against the key's limits
	everyKey     bool            // is allowed to keys that may call some operations only
	browser      bool            // is allowed to web pages, with a browser token
	ownCharge    bool            // the handler counts against the key's limits
	time         time.Duration   // limit from the complete body to the response; 0 means RequestTimeout
}

// operation returns the name of the route's operation.
func (r *route) operation() string { return cmp.Or(r.name, path.Base(r.path)) }

// needs returns the permission that a key needs for the route.
func (r *route) needs() string {
	if r.everyKey {
		return apikey.AnyOperation
	}
	return cmp.Or(r.permission, r.operation())
}

// publicRoutes returns the routes that need no key.
func (s *Server) publicRoutes() []route {
	server := &probes{health: s.deps.Health, draining: &s.draining}
	described := openapi.NewRenditions()
	return []route{
		{method: http.MethodGet, path: livePath, handle: server.live, free: true},
		{method: http.MethodGet, path: readyPath, handle: server.ready, free: true},
		{method: http.MethodGet, path: "/openapi.yaml", handle: sendDescription(described.YAML), free: true},
		{method: http.MethodGet, path: "/openapi.json", handle: sendDescription(described.JSON), free: true},
		{method: http.MethodGet, path: "/openapi-3.0.json", handle: sendDescription(described.JSON30), free: true},
	}
}

// keyRoutes returns the routes that need a key.
func (s *Server) keyRoutes() []route {
	views := &limits.Views{Counter: s.deps.Views, Metrics: s.deps.Metrics, Log: s.deps.Log}
	return slices.Concat(s.otherRoutes(), s.matchRoutes(views), s.interviewRoutes(views), s.freelancerRoutes(views),
		s.loadRoutes(), s.feedRoutes(), s.briefRoutes(views))
}

// otherRoutes returns the routes that have nothing to do with a brief, an interview or a record.
func (s *Server) otherRoutes() []route {
	g := &s.gates
	server := &probes{health: s.deps.Health, draining: &s.draining}
	generated := &testData{generator: s.deps.Generator, writeTime: s.deps.RequestTimeout}
	parsed := &resumes{parser: s.deps.Parser, anonymizer: anonymous.New()}
	verified := &skills{verifier: s.deps.Verifier}
	me := &caller{requests: s.requests, views: s.deps.Views, changes: s.deps.Changes}

	return []route{
		{method: http.MethodGet, path: basePath + "/health", handle: server.status, free: true},
		{
			method: http.MethodPost, path: basePath + "/verify-skill", handle: verified.verify, receive: g.receiveJSON(),
			gate: g.other,
		},
		{
			method: http.MethodGet, path: basePath + "/generate-test-data", handle: generated.generate,
			gate: g.generations,
		},
		{
			method: http.MethodPost, path: basePath + "/parse", handle: parsed.parse,
			receive: g.receiveForm(receive.File), gate: g.parses, time: s.deps.RequestTimeout + s.deps.ScanTime,
		},
		{
			method: http.MethodPost, path: basePath + "/parse/json-resume", name: "parse-json-resume", permission: "parse",
			handle: parsed.convert, receive: g.receiveForm(receive.File), gate: g.parses,
			time: s.deps.RequestTimeout + s.deps.ScanTime,
		},
		{
			method: http.MethodPost, path: basePath + "/browser-tokens", name: "browser-token", permission: "match",
			handle: (&browserTokens{s.deps.BrowserTokens}).create, receive: g.receiveJSON(), free: true,
		},
		{method: http.MethodGet, path: basePath + "/me", handle: me.describe, free: true, everyKey: true},
	}
}

// matchRoutes returns the routes for briefs.
func (s *Server) matchRoutes(views *limits.Views) []route {
	const permission = "match"

	g := &s.gates
	json := g.receiveJSON()
	briefs := &matches.Briefs{
		Matcher: s.deps.Matcher, Explainer: s.deps.Explainer, Records: s.deps.Freelancers, Events: s.deps.Events,
		Views: views,
	}
	documents := &matches.Documents{Briefs: briefs, Reader: s.deps.Documents, Slots: g.matches}
	batches := &matches.Batches{
		Briefs: briefs, Slots: g.matches, Requests: s.requests, Usage: s.deps.Usage, Metrics: s.deps.Metrics,
		Log: s.deps.Log, BriefTime: s.deps.RequestTimeout,
	}

	teams := &matches.Teams{Service: s.deps.Teams, Requests: s.requests, Views: views}

	return []route{
		{
			method: http.MethodPost, path: basePath + "/teams", permission: permission, handle: teams.Find, receive: json,
			gate: g.matches, ownCharge: true,
		},
		{
			method: http.MethodPost, path: basePath + "/match", handle: briefs.Match, receive: json, gate: g.matches,
			browser: true,
		},
		{
			method: http.MethodPost, path: basePath + "/match/batch", name: "match-batch", permission: permission,
			handle: batches.Match, receive: g.receiveBatch(), gate: g.batches, ownCharge: true, time: matches.BatchTime,
		},
		{
			method: http.MethodPost, path: basePath + "/match/document", name: "match-document", permission: permission,
			handle: documents.Match, receive: g.receiveForm(receive.Document), gate: g.parses,
			time: s.deps.RequestTimeout + s.deps.ScanTime,
		},
		{
			method: http.MethodPost, path: basePath + "/match/explain", name: "match-explain", permission: permission,
			handle: briefs.Explain, receive: json, gate: g.matches,
		},
		{
			method: http.MethodGet, path: basePath + "/freelancers/{id}/similar", name: "freelancer-similar",
			permission: permission, handle: briefs.Similar, gate: g.matches,
		},
		{method: http.MethodPost, path: basePath + "/events", handle: briefs.RecordEvents, receive: json, gate: g.other},
	}
}

// interviewRoutes returns the routes for interviews in progress and for stored ones.
func (s *Server) interviewRoutes(views *limits.Views) []route {
	const (
		permission = "interview"
		single     = basePath + "/interview"
		all        = basePath + "/interviews"
		one        = all + "/{id}"
	)

	g := &s.gates
	json := g.receiveJSON()
	conducted := &interviews.Handlers{Interviewer: s.deps.Interviewer, Views: views, PublicURL: s.deps.PublicURL}
	stored := &interviews.Sessions{
		Interviewer: s.deps.Interviewer, Records: s.deps.Interviews, WriteTime: s.deps.RequestTimeout,
	}

	return []route{
		{
			method: http.MethodPost, path: single, handle: conducted.Interview, receive: json, gate: g.interviews,
			time: interviews.InterviewTime,
		},
		{
			method: http.MethodPost, path: single + "/stream", name: "interview-stream", permission: permission,
			handle: conducted.Stream, receive: json, gate: g.interviews, time: interviews.InterviewTime,
		},
		{method: http.MethodDelete, path: single, handle: conducted.Delete, gate: g.other},
		{
			method: http.MethodPost, path: one + "/invitation", name: "interview-invite", permission: permission,
			handle: conducted.Invite, receive: json, gate: g.other,
		},
		{
			method: http.MethodDelete, path: one + "/invitation", name: "interview-revoke", permission: permission,
			handle: conducted.RevokeInvitation, gate: g.other,
		},
		{
			method: http.MethodGet, path: all, name: "interview-list", permission: permission, handle: stored.List,
			gate: g.other,
		},
		{
			method: http.MethodGet, path: all + "/export", name: "interview-export", permission: permission,
			handle: stored.Export, gate: g.exports, time: interviews.ExportTime,
		},
		{
			method: http.MethodDelete, path: all, name: "interview-delete-all", permission: permission,
			handle: stored.DeleteAll, gate: g.other,
		},
		{
			method: http.MethodGet, path: one, name: "interview-get", permission: permission, handle: stored.Get,
			gate: g.other,
		},
		{
			method: http.MethodDelete, path: one, name: "interview-delete", permission: permission,
			handle: stored.Delete, gate: g.other,
		},
		{
			method: http.MethodPost, path: one + "/reviews", name: "interview-review", permission: permission,
			handle: stored.Review, receive: json, gate: g.other,
		},
	}
}

// freelancerRoutes returns the routes for single freelancers.
func (s *Server) freelancerRoutes(views *limits.Views) []route {
	const (
		all, read, write = "freelancers", apikey.ReadData, apikey.WriteData
		list             = basePath + "/freelancers"
		one              = list + "/{id}"
	)

	g := &s.gates
	stored := &records.Handlers{
		Service: s.deps.Freelancers, Mappings: s.deps.Mappings, Views: views,
		Limit:   &limits.Changes{Counter: s.deps.Changes, Log: s.deps.Log},
		Metrics: s.deps.Metrics, Draining: s.draining.Load, WriteTime: s.deps.RequestTimeout,
	}
	bulk := route{
		method: http.MethodPost, path: list + "/bulk", name: "freelancer-bulk", permission: all, grant: write,
		handle: stored.Bulk, streams: true, gate: g.bulks, time: records.BulkTime,
	}
	// A stream of changes lasts for minutes, in which its key may be revoked.
	stored.Recheck = func(ctx context.Context, call *endpoint.Call) error { return s.recheck(ctx, call, &bulk) }

	return []route{
		{
			method: http.MethodGet, path: list, name: "freelancer-list", permission: all, grant: read,
			handle: stored.List, gate: g.other,
		},
		{
			method: http.MethodGet, path: one, name: "freelancer-get", permission: all, grant: read,
			handle: stored.Get, gate: g.other,
		},
		{
			method: http.MethodPut, path: one, name: "freelancer-put", permission: all, grant: write,
			handle: stored.Put, receive: g.receiveJSON(), gate: g.changes,
		},
		{
			method: http.MethodPatch, path: one, name: "freelancer-patch", permission: all, grant: write,
			handle: stored.Patch, receive: g.receivePatch(), gate: g.changes,
		},
		{
			method: http.MethodDelete, path: one, name: "freelancer-delete", permission: all, grant: write,
			handle: stored.Delete, gate: g.changes, time: records.EraseTime,
		},
		bulk,
	}
}

// loadRoutes returns the routes for files that are uploaded to be loaded.
func (s *Server) loadRoutes() []route {
	const (
		permission, write = "freelancers", apikey.WriteData
		list              = basePath + "/loads"
		one               = list + "/{id}"
	)

	g := &s.gates
	uploaded := &loads.Handlers{Loads: s.deps.Loads}

	return []route{
		{
			method: http.MethodPost, path: list, name: "load-create", permission: permission, grant: write,
			handle: uploaded.Create, streams: true, gate: g.loads, time: loads.UploadTime,
		},
		{
			method: http.MethodGet, path: list, name: "load-list", permission: permission, grant: write,
			handle: uploaded.List, gate: g.other,
		},
		{
			method: http.MethodGet, path: one, name: "load-get", permission: permission, grant: write,
			handle: uploaded.Get, gate: g.other,
		},
		{
			method: http.MethodDelete, path: one, name: "load-cancel", permission: permission, grant: write,
			handle: uploaded.Cancel, gate: g.other,
		},
		{
			method: http.MethodPut, path: one + "/mapping", name: "load-mapping", permission: permission, grant: write,
			handle: uploaded.ChangeMapping, receive: g.receiveJSON(), gate: g.other,
		},
		{
			method: http.MethodPost, path: one + "/publish", name: "load-publish", permission: permission, grant: write,
			handle: uploaded.Publish, gate: g.other,
		},
		{
			method: http.MethodPost, path: one + "/rollback", name: "load-rollback", permission: permission, grant: write,
			handle: uploaded.Rollback, gate: g.other,
		},
	}
}

// feedRoutes returns the routes by which clients learn of changes.
func (s *Server) feedRoutes() []route {
	const (
		permission, write = "webhooks", apikey.WriteWebhooks
		changes           = basePath + "/changes"
		list              = basePath + "/webhooks"
		one               = list + "/{id}"
		deliveries        = one + "/deliveries"
	)

	g := &s.gates
	json := g.receiveJSON()
	hooks := &feeds.Webhooks{Endpoints: s.deps.Webhooks}
	followed := &feeds.Changes{Feed: s.deps.Feed, Streams: g.streams, Draining: s.draining.Load}
	page := route{
		method: http.MethodGet, path: changes, name: "changes", permission: "freelancers", grant: apikey.ReadData,
		handle: followed.List, gate: g.feed, time: feeds.StreamTime,
	}
	// A stream of changes lasts for long, in which its key may be revoked.
	followed.Recheck = func(ctx context.Context, call *endpoint.Call) error { return s.recheck(ctx, call, &page) }
	stream := page
	stream.path = changes + "/stream"
	stream.name = "changes-stream"
	stream.handle = followed.Stream

	return []route{
		page, stream,
		{
			method: http.MethodGet, path: list, name: "webhook-list", permission: permission, grant: write,
			handle: hooks.List, gate: g.other,
		},
		{
			method: http.MethodPost, path: list, name: "webhook-create", permission: permission, grant: write,
			handle: hooks.Create, receive: json, gate: g.other,
		},
		{
			method: http.MethodGet, path: one, name: "webhook-get", permission: permission, grant: write,
			handle: hooks.Get, gate: g.other,
		},
		{
			method: http.MethodPatch, path: one, name: "webhook-change", permission: permission, grant: write,
			handle: hooks.Change, receive: json, gate: g.other,
		},
		{
			method: http.MethodDelete, path: one, name: "webhook-delete", permission: permission, grant: write,
			handle: hooks.Delete, gate: g.other,
		},
		{
			method: http.MethodPost, path: one + "/rotate", name: "webhook-rotate", permission: permission, grant: write,
			handle: hooks.Rotate, gate: g.other,
		},
		{
			method: http.MethodPost, path: one + "/test", name: "webhook-test", permission: permission, grant: write,
			handle: hooks.Test, receive: json, gate: g.other,
		},
		{
			method: http.MethodGet, path: deliveries, name: "webhook-deliveries", permission: permission, grant: write,
			handle: hooks.Deliveries, gate: g.other,
		},
		{
			method: http.MethodPost, path: deliveries + "/{delivery}/retry", name: "webhook-retry", permission: permission,
			grant: write, handle: hooks.Retry, gate: g.other,
		},
	}
}

// briefRoutes returns the routes for saved briefs.
func (s *Server) briefRoutes(views *limits.Views) []route {
	const (
		permission = "match"
		list       = basePath + "/briefs"
		one        = list + "/{id}"
	)

	g := &s.gates
	json := g.receiveJSON()
	kept := &saved.Handlers{Briefs: s.deps.Briefs, Ranker: s.deps.BriefRanker, Views: views}

	return []route{
		{
			method: http.MethodGet, path: list, name: "brief-list", permission: permission, handle: kept.List,
			gate: g.other,
		},
		{
			method: http.MethodPost, path: list, name: "brief-save", permission: permission, handle: kept.Create,
			receive: json, gate: g.other,
		},
		{method: http.MethodGet, path: one, name: "brief-get", permission: permission, handle: kept.Get, gate: g.other},
		{
			method: http.MethodPatch, path: one, name: "brief-change", permission: permission, handle: kept.Change,
			receive: json, gate: g.other,
		},
		{
			method: http.MethodDelete, path: one, name: "brief-delete", permission: permission, handle: kept.Delete,
			gate: g.other,
		},
		{
			method: http.MethodGet, path: one + "/people", name: "brief-people", permission: permission,
			handle: kept.People, gate: g.other,
		},
		{
			method: http.MethodPost, path: basePath + "/freelancers/{id}/briefs", name: "freelancer-briefs",
			permission: permission, handle: kept.ForPerson, receive: json, gate: g.matches,
		},
	}
}

// routes combines the routes with their middleware. A body is received after every check that needs no body. The
// request is charged once it may run, and before its body is decoded.
func (s *Server) routes() *gin.Engine {
	gin.SetMode(gin.ReleaseMode) // keeps gin from printing its routes
	e := gin.New()
	var proxies []string
	for _, p := range s.deps.TrustedProxies {
		proxies = append(proxies, p.String())
	}

	_ = e.SetTrustedProxies(proxies) // fails only for a proxy that cannot be parsed
	// Without X-Real-IP: a proxy that doesn't set it passes on the client's own.
	e.RemoteIPHeaders = []string{"X-Forwarded-For"}
	e.RedirectTrailingSlash = false
	// An ID in a path may have encoded slashes. endpoint.Call.PathID decodes it, because gin would turn + into a space.
	e.UseRawPath = true
	e.UnescapePathValues = false
	e.HandleMethodNotAllowed = true
	e.Use(s.identify, s.trace, s.secure, s.recoverPanics, s.observe, s.writeErrors, s.checkProxy, s.checkHost)
	e.NoRoute(serve(notFound))
	e.NoMethod(serve(methodNotAllowed))

	for _, method := range []string{http.MethodGet, http.MethodHead} {
		s.operations[method+" "+componentPath] = "component"
		e.Handle(method, componentPath, serveComponent())
	}
	for _, r := range s.publicRoutes() {
		s.operations[r.method+" "+r.path] = r.operation()
		e.Handle(r.method, r.path, limitTime(s.deps.RequestTimeout), limitBody, serve(r.handle))
	}

	for _, r := range slices.Concat(s.keyRoutes(), s.agentRoutes()) {
		path := pattern(r.path)
		s.operations[r.method+" "+path] = r.operation()
		chain := []gin.HandlerFunc{limitTime(s.deps.RequestTimeout), s.authenticate, s.permit(&r)}
		if r.browser {
			chain = append(chain, s.limitVisitor)
			s.operations[http.MethodOptions+" "+path] = r.operation() + "-preflight"
			e.OPTIONS(path, preflight)
		}
		if r.receive != nil && !r.free {
			chain = append(chain, s.checkLimits)
		}

		switch {
		case r.receive != nil:
			chain = append(chain, s.receive(r.receive))
		case !r.streams:
			chain = append(chain, limitBody)
		}

		// The time that a slow client took to send its body isn't taken from the handler's.
		chain = append(chain, limitTime(cmp.Or(r.time, s.deps.RequestTimeout)))
		switch {
		case r.free:
			chain = append(chain, s.reportLimits)
		case r.ownCharge:
			chain = append(chain, s.admit(r.gate))
		default:
			chain = append(chain, s.admit(r.gate), s.charge)
		}

		e.Handle(r.method, path, append(chain, s.serveCaller(r))...)
	}

	return e
}

// pattern returns the pattern of gin for a path of openapi.yaml.
func pattern(path string) string { return strings.NewReplacer("{", ":", "}", "").Replace(path) }

func notFound(_ context.Context, call *endpoint.Call) error { return call.NotFound() }

func methodNotAllowed(_ context.Context, call *endpoint.Call) error {
	return &matching.Error{
		Code: endpoint.CodeMethodNotAllowed,
		Message: fmt.Sprintf("The method %s is not allowed here; use %s.", validate.Quote(call.Request.Method),
			call.Response.Header().Get("Allow")),
	}
}
