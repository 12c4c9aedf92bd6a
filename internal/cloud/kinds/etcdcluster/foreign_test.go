package etcdcluster_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// tags returns the tags of a port.
func (w *world) tags(port string) (tags []string) {
	w.t.Helper()
	var got struct{ Tags []string }
	if err := w.client.Do(w.t.Context(), cloud.Call{Service: cloud.Network, Path: "ports/" + port + "/tags", Into: &got}); err != nil {
		w.t.Fatal(err)
	}
	return got.Tags
}

// retag changes the tags of all members' ports.
func (w *world) retag(change func(tags []string) []string) {
	w.t.Helper()
	for name := range w.addresses() {
		id := w.ids("ports", name)[0]
		if err := w.client.Do(w.t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + id + "/tags", Body: map[string]any{"tags": change(w.tags(id))}}); err != nil {
			w.t.Fatal(err)
		}
	}
}

const records = "stackreeve:etcd"

func isRecord(tag string) bool { return strings.HasPrefix(tag, records) }

// Ports may have addresses at which an etcd of somebody else answers. The agent neither removes nor adds a member there.
func TestAttackPortsAtAnotherEtcd(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	for name, change := range map[string]func([]string) []string{
		"nothing was begun": func(tags []string) []string { return slices.DeleteFunc(tags, isRecord) },
		"begun at another address": func(tags []string) []string {
			return append(slices.DeleteFunc(tags, isRecord), records+"-begins:192.0.2.7")
		},
		"a member of another cluster": func(tags []string) []string {
			return append(slices.DeleteFunc(tags, func(tag string) bool { return isRecord(tag) && tag != records }), records+"-cluster:abc")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.MustSync(sized(3))
			w.retag(change)
			for _, size := range []int{1, 3, 5} {
				w.begins(sized(size))
				if names := w.Members(); len(names) != 3 {
					t.Errorf("size %d: the members are %q", size, names)
				}
			}
			if n := len(w.look()); n < 3 {
				t.Errorf("%d machines are left", n)
			}
		})
	}
}

// begins runs, for five seconds, an agent that tries to begin a cluster.
func (w *world) begins(manifests string) {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), 5*time.Second)
	defer stop()
	w.Engine(w.Target.Client(nil)).Sync(ctx, engine.Revision{Commit: "test", Want: w.Resolve(manifests)})
}

// A cluster that an earlier version of the agent has begun counts as the stack's, and the agent records its ID.
func TestTheIDIsRecordedOfAnEarlierCluster(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(3))
	w.retag(func(tags []string) []string {
		return slices.DeleteFunc(tags, func(tag string) bool { return isRecord(tag) && tag != records })
	})
	w.MustSync(sized(3))
	seen := map[string]int{}
	for name := range w.addresses() {
		for _, tag := range w.tags(w.ids("ports", name)[0]) {
			if strings.HasPrefix(tag, records+"-cluster:") {
				seen[tag]++
			}
		}
	}
	if len(seen) != 1 {
		t.Errorf("the IDs are %v", seen)
	}
	w.MustSync(sized(5))
	w.settled(5)
}
