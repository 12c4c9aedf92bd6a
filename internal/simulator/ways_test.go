package simulator_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// Nova answers a confirmation before the confirmation is complete. Until then, it refuses a second one, because
// the status of the migration is no longer "finished".
func TestResizeIsConfirmedInNovasOwnTime(t *testing.T) {
	p := newSite(t, simulator.Options{BuildDelay: 10 * time.Second})
	made, err := servers.Create(t.Context(), p.c, servers.CreateOpts{Name: "web", FlavorRef: "m1-nano", ImageRef: p.image, Networks: "none"}, nil).Extract()
	if err != nil {
		t.Fatal(err)
	}
	at := func(after time.Duration, want string) {
		t.Helper()
		if p.now = p.now.Add(after); p.get(made.ID).Status != want {
			t.Errorf("status is %s, want %s", p.get(made.ID).Status, want)
		}
	}
	confirm := func(want int) {
		t.Helper()
		if err := servers.ConfirmResize(context.Background(), p.c, made.ID).ExtractErr(); status(err) != want && !(want == 0 && err == nil) {
			t.Errorf("confirm: %v, want %d", err, want)
		}
	}
	at(time.Minute, "ACTIVE")
	if err := servers.Resize(t.Context(), p.c, made.ID, servers.ResizeOpts{FlavorRef: "m1-tiny"}).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	at(0, "RESIZE")
	at(time.Minute, "VERIFY_RESIZE")
	confirm(0)
	at(0, "VERIFY_RESIZE")
	confirm(http.StatusBadRequest)
	at(time.Minute, "ACTIVE")
	confirm(http.StatusConflict)
}
