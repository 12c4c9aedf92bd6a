package etcdstore

import (
	"errors"
	"io"

	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/s3"
	simulator "github.com/stackreeve/stackreeve/internal/standin/s3"
)

// bucketed returns a store with a simulated bucket.
func bucketed(t *testing.T) (Store, *simulator.World) {
	t.Helper()
	w := simulator.New("key", "backups")
	w.Page = 1000
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	way := outbound.New(outbound.Config{Home: []string{at.Hostname()}, MaxAnswer: s3.MaxAnswer, IdlePerHost: parallel})
	t.Cleanup(way.CloseIdleConnections)
	client := s3.Client{Endpoint: at, Region: "us-east-1", Keys: func() (s3.Keys, error) { return s3.Keys{ID: "key", Secret: "hunter2"}, nil }, Way: way}
	return Store{&cloud.Client{}, &buckets{client, []string{"backups", "none"}}}, w
}

// A missing bucket counts as empty only if the store itself says that it does not exist. A proxy or another
// server may answer 404, too.
func TestAttackAListThatIsNotFound(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		code   string
		empty  bool
	}{
		"no such bucket":    {http.StatusNotFound, "NoSuchBucket", true},
		"not found":         {http.StatusNotFound, "", false},
		"gone":              {http.StatusGone, "", false},
		"no such key":       {http.StatusNotFound, "NoSuchKey", false},
		"a page for people": {http.StatusNotFound, "<html>", false},
	} {
		s, w := bucketed(t)
		w.Fail = func(*http.Request) (int, string) { return c.status, c.code }
		list, err := s.List(t.Context(), Bucket("backups"), "", IsSnapshot)
		if (err == nil) != c.empty || len(list) > 0 || errors.Is(err, kind.ErrGone) || err != nil && !strings.Contains(err.Error(), "spec.defaults.s3.endpoint") {
			t.Errorf("%s: %d objects, %v", name, len(list), err)
		}
	}
}

// Series are read if they have at most the largest allowed number of snapshots. The error for too many
// snapshots names the folder. If all folders together have too many, it names the folder with the most.
func TestHowManyAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		folders []int // how many snapshots each has
		want    string
	}{
		"two full series":          {[]int{1001, 1001}, ""},
		"one folder with too many": {[]int{3, 2001}, "the folder shop/default/1 of container s3://backups has more than 2000 snapshots"},
		"too many folders":         {[]int{1800, 1800, 1800, 1800, 1800, 1900, 1800, 1800, 1800, 1800, 1800, 1800}, "1900 of them in the folder shop/default/5"},
	} {
		t.Run(name, func(t *testing.T) {
			s, w := bucketed(t)
			if err := s.Put(t.Context(), Bucket("backups"), "x", kind.Mark{}, nil, io.NopCloser(strings.NewReader("data")), 4, time.Minute); err != nil {
				t.Fatal(err)
			}
			all := 0
			for folder, n := range c.folders {
				series := Series("shop", manifest.Key{Name: strconv.Itoa(folder)})
				for i := range n {
					w.Copy("backups", "x", SnapshotName(series, time.Unix(int64(i), 0), 1), nil)
				}
				all += n
			}
			list, err := s.List(t.Context(), Bucket("backups"), Folder("shop"), IsSnapshot)
			switch {
			case c.want == "" && (err != nil || len(list) != all):
				t.Errorf("%d of %d: %v", len(list), all, err)
			case c.want != "" && (!errors.Is(err, ErrTooMany) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
