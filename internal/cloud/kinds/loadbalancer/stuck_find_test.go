package loadbalancer

import (
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// A list may show a load balancer that is ACTIVE and a listener that will be ACTIVE a moment later. So a listener is
// stuck only if the next list shows it unchanged.
func TestStuckInTwoListsInARow(t *testing.T) {
	const unfinished, done = "PENDING_CREATE", "ACTIVE"
	now := time.Date(2026, 11, 28, 5, 0, 0, 0, time.UTC)
	type seen struct{ balancer, listener, provider string }
	tests := []struct {
		name  string
		lists []seen
		stuck bool
	}{
		{"once", []seen{{done, unfinished, "amphora"}}, false},
		{"twice", []seen{{done, unfinished, "amphora"}, {done, unfinished, "amphora"}}, true},
		{"done in the end", []seen{{done, unfinished, "amphora"}, {done, done, "amphora"}}, false},
		{"not in a row", []seen{{done, unfinished, "amphora"}, {"PENDING_UPDATE", unfinished, "amphora"}, {done, unfinished, "amphora"}}, false},
		{"while it is worked on", []seen{{unfinished, unfinished, "amphora"}, {unfinished, unfinished, "amphora"}}, false},
		{"updated", []seen{{done, "PENDING_UPDATE", "amphora"}, {done, "PENDING_UPDATE", "amphora"}}, false},
		{"another provider, just now", []seen{{done, unfinished, "ovn"}, {done, unfinished, "ovn"}}, false},
		{"another provider, for long", []seen{{done, unfinished, "ovn old"}, {done, unfinished, "ovn old"}}, true},
		{"another provider, once", []seen{{done, unfinished, "ovn old"}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driver{&cloud.Client{}, &lastPending{}, &owned{}}
			var b *Balancer
			for _, x := range tt.lists {
				l := &Listener{child: child{ID: "listener", ProvisioningStatus: x.listener}}
				b = &Balancer{ID: "balancer", ProvisioningStatus: x.balancer, Provider: x.provider, Listeners: []*Listener{l}}
				if b.CreatedAt.Time = now.Add(-slowest); x.provider == "ovn old" {
					b.CreatedAt.Time = now.Add(-slowest - 1)
				}
				d.findStuck(map[string]*Balancer{b.ID: b}, now)
			}
			if got := len(b.Stuck.listeners) == 1 && len(b.Listeners) == 0; got != tt.stuck || d.c.Lacks(populatedCreate) != tt.stuck {
				t.Errorf("stuck: %v, want %v; remembered of the cloud: %v", b.Stuck, tt.stuck, d.c.Lacks(populatedCreate))
			}
		})
	}
}
