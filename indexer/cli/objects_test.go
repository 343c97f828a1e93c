package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// objectStore is a server with the buckets exports and full, like S3.
type objectStore struct {
	objects  map[string]string // of the bucket exports, by key
	lists    int               // pages sent
	sent     int               // objects sent
	accepted int               // objects that the client had already

	connections atomic.Int32 // opened
}

// ServeHTTP implements http.Handler.
func (o *objectStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	content, hasObject := o.objects[key]
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(content)))
	fail := func(status int, code string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", code)
	}

	switch {
	case bucket == "private":
		fail(http.StatusForbidden, "AccessDenied")
	case bucket == "full":
		var keys []string
		for i := range 1001 {
			keys = append(keys, fmt.Sprintf("%d.csv", i))
		}
		o.list(w, r, keys)
	case bucket != "exports":
		fail(http.StatusNotFound, "NoSuchBucket")

	case key == "":
		var keys []string
		for key := range o.objects {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		o.list(w, r, keys)
	case !hasObject:
		fail(http.StatusNotFound, "NoSuchKey")
	case r.Header.Get("If-None-Match") == tag:
		o.accepted++
		w.WriteHeader(http.StatusNotModified)
	default:
		o.sent++
		w.Header().Set("Etag", tag)
		_, _ = io.WriteString(w, content)
	}
}

// list sends a page of keys. Tokens are offsets.
func (o *objectStore) list(w io.Writer, r *http.Request, keys []string) {
	o.lists++
	start, _ := strconv.Atoi(r.FormValue("continuation-token"))
	keys = slices.DeleteFunc(keys, func(key string) bool { return !strings.HasPrefix(key, r.FormValue("prefix")) })
	end := min(start+4, len(keys))
	isFull := len(keys) > 1000
	if isFull {
		end = len(keys)
	}

	_, _ = io.WriteString(w, xml.Header+"<ListBucketResult><EncodingType>url</EncodingType>")
	for _, key := range keys[start:end] {
		fmt.Fprintf(w, "<Contents><Key>%s</Key></Contents>", url.QueryEscape(key))
	}
	if end < len(keys) {
		fmt.Fprintf(w, "<IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken>", end)
	}
	_, _ = io.WriteString(w, "</ListBucketResult>")
}

// newStore starts a server with objects, and lets a session use it.
func newStore(t *testing.T, s *session, objects map[string]string) *objectStore {
	t.Helper()
	o := &objectStore{objects: objects}
	server := httptest.NewUnstartedServer(o)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			o.connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	s.environment = map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s3cret",
	}
	return o
}

// parquetOf returns a Parquet file of rows.
func parquetOf[T any](t *testing.T, rows ...T) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parquetPerson is a row of a partition by country, which the file itself doesn't repeat.
type parquetPerson struct {
	ID     int64    `parquet:"id"`
	Name   string   `parquet:"name"`
	Skills []string `parquet:"skills,list"`
	Rating float64  `parquet:"rating"`
}

// hivePartitions returns files as Spark writes them: Parquet in folders by country, and files without data.
func hivePartitions(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"people/_SUCCESS": "",
		"people/country=PT/part-00000-c1.snappy.parquet": parquetOf(t,
			parquetPerson{1, "Ada Lund", []string{"Go", "SQL"}, 4.5}, parquetPerson{2, "Bo Reth", []string{"SEO"}, 3}),
		"people/country=PT/part-00001-c1.snappy.parquet": parquetOf(t, parquetPerson{3, "Cem Vask", []string{"Go"}, 5}),
		"people/country=United%20States/part-00000-c1.snappy.parquet": parquetOf(t,
			parquetPerson{4, "Dua Moor", []string{"Rust"}, 4}),
		"people/country=__HIVE_DEFAULT_PARTITION__/part-00000-c1.snappy.parquet": parquetOf(t,
			parquetPerson{5, "Eve Sari", []string{"Java"}, 2}),
		"people/country=PT/.part-00000-c1.snappy.parquet.crc":  "x",
		"people/_temporary/0/country=PT/part-00000-c1.parquet": "x",
	}
}

const wantPartitions = "1 PT, 2 PT, 3 PT, 4 US, 5"

func TestLoad_ParquetPartitions(t *testing.T) {
	s := newSession(t)
	s.must("load", folder(t, hivePartitions(t)))
	if got := s.countries(); !sameSet(got, wantPartitions) {
		t.Errorf("%s are live, want %s", got, wantPartitions)
	}
	for _, f := range s.live() {
		if f["id"] == "1" && (len(f["skills"].([]any)) != 2 || f["rating"] != 4.5) {
			t.Errorf("%v", f)
		}
	}
}

// A folder on S3 has the same people as one on this machine, and is read again only if an object in it has changed.
func TestLoad_FolderOnS3(t *testing.T) {
	s := newSession(t)
	objects := hivePartitions(t)
	objects["people/"] = ""
	objects["people/country=PT/"] = ""
	objects["people_$folder$"] = ""
	objects["people/country=DE_$folder$"] = ""
	objects["people2/country=DE/a.csv"] = "id,name,skills\n9,Fay Kel,Go\n"
	o := newStore(t, s, objects)

	args := []string{"load", "-if-changed", "-allow-shrink", "s3://exports/people/"}
	step := func(name, want string, sent, accepted int) {
		t.Helper()
		o.sent, o.accepted, o.lists = 0, 0, 0
		out := s.must(args...)
		if got := s.countries(); !sameSet(got, want) {
			t.Errorf("%s: %s are live, want %s", name, got, want)
		}
		if o.sent != sent || o.accepted != accepted || o.lists < 3 {
			t.Errorf("%s: %d lists, %d objects sent and %d accepted, want %d and %d\n%s", name, o.lists, o.sent, o.accepted,
				sent, accepted, out)
		}
	}

	step("the first load", wantPartitions, 4, 0)
	if n := o.connections.Load(); n != 2 {
		t.Errorf("%d connections, want 1 for the list and 1 for all objects", n)
	}
	step("nothing changed", wantPartitions, 0, 4)
	last := "people/country=__HIVE_DEFAULT_PARTITION__/part-00000-c1.snappy.parquet"
	objects[last] = parquetOf(t, parquetPerson{6, "Gil Nim", []string{"Java"}, 2})
	step("the last object changed", "1 PT, 2 PT, 3 PT, 4 US, 6", 4, 3)
	objects["people/country=DE/ü + &.parquet"] = parquetOf(t, parquetPerson{7, "Hal Ost", []string{"Go"}, 1})
	step("one more object", "1 PT, 2 PT, 3 PT, 4 US, 6, 7 DE", 5, 0)
	delete(objects, last)
	step("one object less", "1 PT, 2 PT, 3 PT, 4 US, 7 DE", 4, 0)
	step("nothing changed again", "1 PT, 2 PT, 3 PT, 4 US, 7 DE", 0, 4)
}

func TestLoad_PatternsOnS3(t *testing.T) {
	row := func(id int) string { return fmt.Sprintf("id,name,skills\n%d,Ada Lund,Go\n", id) }
	s := newSession(t)
	newStore(t, s, map[string]string{
		"a.csv": row(1), "b+c d.csv": row(2), "c.txt": "nothing", "_d.csv": "x", "[x].csv": row(5),
		"country=PT/x.csv": row(3), "country=DE/year=2026/x.csv": row(4), "country=DE/_old/x.csv": "x", "ü/1.csv": row(6),
		"cvs/ada.pdf": "%PDF", "sums/a#sha256=b.csv": row(7), `back\slash/a.csv`: row(8),
	})
	for pattern, want := range map[string]string{
		"*.csv":         "1, 2, 5",
		"[ab]*.csv":     "1, 2",
		"[x].csv":       "5", // the object exists
		"?.csv":         "1",
		"*/x.csv":       "3 PT",
		"country=*":     "3 PT, 4 DE",
		"country=*/":    "3 PT, 4 DE",
		"*=*/*/*.csv":   "4 DE",
		"country=D*/**": "4 DE",
		"ü/":            "6",
		`\[x\]*`:        "5",
		`back\slash/`:   "8",
		`back\\slash/*`: "8",
	} {
		s.must("load", "-allow-shrink", "s3://exports/"+pattern)
		if got := s.countries(); !sameSet(got, want) {
			t.Errorf("%s: %s are live, want %s", pattern, got, want)
		}
	}

	for _, test := range []struct {
		code  int
		path  string
		texts []string
	}{
		{1, "s3://exports/*.parquet", []string{"no file fits s3://exports/*.parquet"}},
		{1, "s3://exports/none/", []string{"no file fits s3://exports/none/"}},
		{1, "s3://none/", []string{"s3://none/: ", "NoSuchBucket", "check the name of the bucket"}},
		{1, "s3://private/people/*.csv", []string{"s3://private/people/: ", "AccessDenied", "s3:ListBucket"}},
		{1, "s3://exports/sums/", []string{"a name with #sha256= can't be told from a checksum"}},
		{2, "s3://full/", []string{"more than the limit of 1000 files"}},
		{2, "s3://exports/cvs/", []string{"resumes, such as ada.pdf", "-resumes"}},
		{2, "s3://exports/[", []string{"not a valid pattern"}},
		{2, "s3://exp*/a.csv", []string{"use s3://BUCKET/KEY or s3://BUCKET/FOLDER/"}},
		{1, "s3://exports/*.csv#sha256=" + strings.Repeat("0", 64), []string{"there is no such file"}},
	} {
		s.wantError(test.code, []string{"validate", test.path}, test.texts...)
	}
	s.wantError(2, []string{"load", "-checksum", "sha256:" + strings.Repeat("0", 64), "s3://exports/*.csv"},
		"-checksum is for one file")
}
