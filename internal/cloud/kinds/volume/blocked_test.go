package volume_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// If a server is deleted while it is built, its attachment can remain on a volume. The pass reports that after the first refusal,
// and names the attachment. (Launchpad 2088066)
func TestAClaimOfAServerThatIsGoneIsNamed(t *testing.T) {
	const text = "{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Volume, metadata: {name: held}, spec: {resource: {size: 1}}}"
	const gone = "0f0e0d0c-0b0a-4009-8807-060504030201"
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(text)
	g.MustSync(text)
	var answer struct {
		Attachment struct{ ID string } `json:"attachment"`
	}
	id := g.Plan(text).Steps[0].ID()
	err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "attachments", Microversion: "3.27", Into: &answer,
		Body: map[string]any{"attachment": map[string]any{"volume_uuid": id, "instance_uuid": gone}}})
	if err != nil {
		t.Fatal(err)
	}
	attempts := 0
	pass := g.SyncThrough("", func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/volumes/"+id) {
				attempts++
			}
			return next.RoundTrip(r)
		})
	})
	if attempts != 1 || len(pass.Failures) == 0 || !strings.Contains(pass.Failures[0].Reason(), answer.Attachment.ID) || !strings.Contains(pass.Failures[0].Reason(), gone) {
		t.Errorf("%d requests: %v", attempts, pass.Failures)
	}
	if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodDelete, Path: "attachments/" + answer.Attachment.ID, Microversion: "3.27"}); err != nil {
		t.Error(err)
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// A snapshot that nobody deletes blocks the volume forever, so the message names it after the first refusal.
func TestASnapshotOfOthersIsNamed(t *testing.T) {
	const text = "{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Volume, metadata: {name: held}, spec: {resource: {size: 1}}}"
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(text)
	id := g.MustSync(text).Last.Steps[0].ID()
	var made struct {
		Snapshot struct {
			ID string `json:"id"`
		} `json:"snapshot"`
	}
	err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "snapshots", Into: &made,
		Body: map[string]any{"snapshot": map[string]any{"volume_id": id, "name": "by-hand"}}})
	if err != nil {
		t.Fatal(err)
	}
	for available := false; !available; {
		var now struct {
			Snapshot struct{ Status string } `json:"snapshot"`
		}
		if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Path: "snapshots/" + made.Snapshot.ID, Into: &now}); err != nil {
			t.Fatal(err)
		}
		available = now.Snapshot.Status == "available"
	}
	attempts := 0
	pass := g.SyncThrough("", func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/volumes/"+id) {
				attempts++
			}
			return next.RoundTrip(r)
		})
	})
	if attempts != 1 || len(pass.Failures) == 0 || !strings.Contains(pass.Failures[0].Reason(), made.Snapshot.ID) {
		t.Errorf("%d requests: %v", attempts, pass.Failures)
	}
	if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodDelete, Path: "snapshots/" + made.Snapshot.ID}); err != nil {
		t.Error(err)
	}
}
