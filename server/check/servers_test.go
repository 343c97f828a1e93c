package check

import (
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/instances"
	"github.com/freelancer-matching/service/store"
)

func TestServers(t *testing.T) {
	now := time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)
	server := func(id, engine string, ago time.Duration, erased int64) instances.Instance {
		return instances.Instance{
			ID: id, Host: "host-" + id, Folder: "/data", Engine: engine, Seen: now.Add(-ago), Erased: erased,
		}
	}
	own := server("a", instances.Embedded, 0, 7)
	for name, test := range map[string]struct {
		servers []instances.Instance
		want    []string // in the findings
	}{
		"no list":    {},
		"one server": {[]instances.Instance{own}, []string{"OK a on host-a"}},
		"servers that share an index": {
			[]instances.Instance{server("b", "elasticsearch", 0, 0), server("c", "elasticsearch", 0, 0)},
			[]string{"OK b on host-b", "OK c on host-c"},
		},
		"a server that has stopped": {
			[]instances.Instance{own, server("b", instances.Embedded, time.Hour, 7)}, []string{"OK a on host-a"},
		},
		"servers with indexes of their own": {
			[]instances.Instance{own, server("b", instances.Embedded, time.Second, 6)},
			[]string{"OK a on host-a", "not followed all erasures", "WARNING 2 servers with indexes of their own"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := &checker{now: func() time.Time { return now }}
			k.servers(store.Report{Servers: test.servers, Erased: 7})
			if len(k.findings) != len(test.want) {
				t.Fatalf("got %+v, want %q", k.findings, test.want)
			}
			for i, f := range k.findings {
				if text := f.State + " " + f.Text; !strings.Contains(text, test.want[i]) {
					t.Errorf("got %q, want %q", text, test.want[i])
				}
			}
			if len(k.findings) == 3 && !strings.Contains(k.findings[2].Next, "Elasticsearch") {
				t.Errorf("next: %s", k.findings[2].Next)
			}
		})
	}
}
