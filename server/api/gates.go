package api

import (
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/server/api/matches"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/records"
)

// The limits of receiving bodies. A request holds its slot while its body arrives and until it may run, so they also
// limit the memory for bodies: to 32 MiB of small and 64 MiB of large JSON, 64 MiB of batches, and 88 MiB of
// files.
const (
	smallBody             = 64 << 10 // bytes of JSON; nearly all requests are smaller
	maxSmallBodies        = 512      // at once
	maxAccountSmallBodies = 16       // at once, of one account
	maxLargeBodies        = 64
	maxAccountLargeBodies = 8
	maxUploads            = 8
	maxAccountUploads     = 2
	// maxWaiting is how many requests of one account may wait at one gate, which needs little memory.
	maxWaiting = 64
)

// The gates share the server among accounts, so that no account can keep the others from being served.
type gates struct {
	smallBodies, largeBodies, batchBodies, uploads *admission.Gate // for receiving
	// For running. A batch also takes a slot for matches while it runs one of its briefs.
	matches, batches, parses, interviews, generations, exports, changes, bulks, loads, feed, streams, other *admission.Gate
}

const (
	// maxGenerations limits concurrent streams of test data, which last as long as their clients take to read them.
	maxGenerations        = 32
	maxAccountGenerations = 8
	// maxOther limits the other concurrent requests, which need little but may wait for a language model.
	maxOther             = 256
	maxAccountOther      = 32
	maxAccountInterviews = 32
	// maxChanges limits concurrent changes of single freelancers, which take turns at the log of the index.
	maxChanges        = 64
	maxAccountChanges = 16
	// maxBatches limits the batches of briefs in progress, and with their largest bodies and results the memory that
	// they take.
	maxBatches        = 8
	maxAccountBatches = 2
	// maxBulks limits concurrent streams of changes, which need a core each.
	maxBulks        = 8
	maxAccountBulks = 2
	// maxLoads limits the files that arrive to be loaded. An account may have one, and its next request gets an answer.
	maxLoads        = 8
	maxAccountLoads = 2
	// maxExports limits concurrent exports of interviews, which keep the database busy.
	maxExports        = 16
	maxAccountExports = 2
	// maxStreams limits open streams of changes, which need little but last for an hour. maxFeed includes requests for
	// pages.
	maxStreams        = 256
	maxAccountStreams = 4
	maxFeed           = 512
	maxAccountFeed    = 16
)

// parseWait returns how long a file waits for a slot: half of the time that the request has. The rest is for reading
// it, which takes up to five seconds. Sending the file again would take longer than waiting, and the slots for
// receiving limit how many wait.
func (d *Dependencies) parseWait() time.Duration { return max(d.AdmissionWait, d.RequestTimeout/2) }

func newGates(d *Dependencies) gates {
	waiting := func(wait time.Duration, name string, slots, perKey int) *admission.Gate {
		return admission.NewGate(name, admission.Limits{
			Slots: slots, PerKey: perKey, Waiting: maxWaiting, Wait: wait,
		}, d.Metrics)
	}

	gate := func(name string, slots, perKey int) *admission.Gate {
		return waiting(d.AdmissionWait, name, slots, perKey)
	}

	return gates{
		smallBodies: gate("receive-json", maxSmallBodies, maxAccountSmallBodies),
		largeBodies: gate("receive-large-json", maxLargeBodies, maxAccountLargeBodies),
		batchBodies: gate("receive-batch", maxBatches, maxAccountBatches),
		uploads:     gate("receive-file", maxUploads, maxAccountUploads),
		matches:     gate("match", d.MaxMatches, 0),
		batches:     gate("match-batch", maxBatches, maxAccountBatches),
		parses:      waiting(d.parseWait(), "parse", d.MaxParses, 0),
		interviews:  gate("interview", d.MaxInterviews, min(maxAccountInterviews, admission.Share(d.MaxInterviews))),
		generations: gate("generate-test-data", maxGenerations, maxAccountGenerations),
		exports:     gate("interview-export", maxExports, maxAccountExports),
		changes:     gate("freelancer-change", maxChanges, maxAccountChanges),
		bulks:       gate("freelancer-bulk", maxBulks, maxAccountBulks),
		loads:       gate("load", maxLoads, maxAccountLoads),
		feed:        gate("changes", maxFeed, maxAccountFeed),
		streams:     gate("changes-stream", maxStreams, maxAccountStreams),
		other:       gate("other", maxOther, maxAccountOther),
	}
}

// A reception is how a route receives the bodies of its requests.
type reception struct {
	gate func(*http.Request) *admission.Gate
	pace receive.Pace
	read func(*http.Request) (receive.Body, error)
}

// receiveJSON returns the reception of JSON bodies.
func (g *gates) receiveJSON() *reception {
	choose := func(r *http.Request) *admission.Gate {
		if r.ContentLength < 0 || r.ContentLength > smallBody { // of unknown length, or large
			return g.largeBodies
		}
		return g.smallBodies
	}
	return &reception{gate: choose, pace: receive.JSONPace(), read: receive.JSON(receive.MaxJSON)}
}

// receiveBatch returns the reception of batches of briefs.
func (g *gates) receiveBatch() *reception {
	return &reception{
		gate: func(*http.Request) *admission.Gate { return g.batchBodies }, pace: receive.UploadPace(),
		read: receive.JSON(matches.MaxBatch),
	}
}

// receiveForm returns the reception of forms with a file.
func (g *gates) receiveForm(read func(*http.Request) (receive.Body, error)) *reception {
	return &reception{
		gate: func(*http.Request) *admission.Gate { return g.uploads }, pace: receive.UploadPace(),
		read: read,
	}
}

// receivePatch returns the reception of patches of single freelancers.
func (g *gates) receivePatch() *reception {
	patch := g.receiveJSON()
	patch.read = func(r *http.Request) (receive.Body, error) {
		text, err := receive.Text(r, receive.MaxJSON, records.MergePatchType, "application/json")
		return receive.Body{Data: text}, err
	}
	return patch
}

// receive reads the body of a request before the request takes one of the slots for running, so that slow clients block
// only slots for receiving, and of those no more than their account's share. An error in the body is reported by the
// handler, after the request was charged.
func (s *Server) receive(r *reception) gin.HandlerFunc {
	return func(c *gin.Context) {
		call := callOf(c)
		leave, err := r.gate(c.Request).Enter(c.Request.Context(), call.Caller.Account)
		if err != nil {
			s.refuse(c, err)
			return
		}

		// The request keeps this slot until it has one for running, which admit takes.
		release := sync.OnceFunc(leave)
		defer release()

		paced := receive.NewPacedBody(c.Writer, c.Request.Body, r.pace)
		c.Request.Body = paced
		body, err := r.read(c.Request)
		if err != nil {
			// That the body arrived too slowly explains more than the JSON or the form that ends early.
			if failure := paced.Failure(); failure != nil {
				err = failure
			}
		}

		body.Err = err
		body.Release = release
		call.Body = body
		c.Next()
	}
}
