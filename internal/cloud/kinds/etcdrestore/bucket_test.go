package etcdrestore_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/s3"
	simulator "github.com/stackreeve/stackreeve/internal/standin/s3"
)

// Stacks of the same name in two clouds share a bucket. The manifest must then name a snapshot, and the plan shows the
// project that wrote it.
func TestAttackANamesakeInTheSameBucket(t *testing.T) {
	w := simulator.New("key", "backups")
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	s := newShelf(t)
	t.Cleanup(func() { w.Empty("backups") })
	s.Defaults.S3 = &defaults.S3{Endpoint: server.URL, Buckets: []string{"backups"}}
	s.Defaults.Keys.S3 = func() (s3.Keys, error) { return s3.Keys{ID: "key", Secret: "hunter2"}, nil }
	s.store, s.container = etcdstore.New(s.client, s.Defaults), etcdstore.Bucket("backups")
	mine := s.put(2, nil)
	from := func(path string) string {
		return strings.Replace(restore, "backupStorageType: Swift, backupRef: hourly", "backupStorageType: S3, s3: {path: "+path+"}", 1)
	}
	if action, text := said(s.Plan(shelves + from("backups"))); action != plan.Update || !strings.Contains(text, mine) || !strings.Contains(text, "project "+s.client.ProjectID) {
		t.Errorf("of one project it is to %s: %s", action, text)
	}
	theirs := mine[:strings.LastIndexByte(mine, '/')+1] + "20991231T000000Z-9.db"
	w.Copy("backups", mine, theirs, map[string]string{"stackreeve-self": "", "stackreeve-project": "0f0f0f0f", "stackreeve-moment": now.Format(time.RFC3339)})
	if action, text := said(s.Plan(shelves + from("backups"))); action == plan.Update || !strings.Contains(text, "spec.s3.path: ") || !strings.Contains(text, " 2 series") {
		t.Errorf("of two projects it is to %s: %s", action, text)
	}
	if action, text := said(s.Plan(shelves + from("backups/"+mine))); action != plan.Update || !strings.Contains(text, mine) {
		t.Errorf("of one that is named it is to %s: %s", action, text)
	}
	w.Copy("backups", mine, mine, map[string]string{"stackreeve-project": ownertext.Prefix + "x, and mine"})
	if _, text := said(s.Plan(shelves + from("backups/"+mine))); !strings.Contains(text, `project "stackreeve:x, and mine"`) {
		t.Errorf("whose it is reads as if we had said it: %s", text)
	}
}
