package virtualmachinegroup_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

var versions = []string{"two", "one"}

// A group of real machines is changed while a client uses it. Before and after the change, all three machines serve, and in between
// at least two of them serve at every moment. This is so whether the change works, fails, or is made by agents that are killed.
func TestARolloutOnRealMachines(t *testing.T) {
	s := onGuests(t)
	c := s.begin(guests{version: "one"}, 3)
	s.sync(guests{version: "two"})
	c.all(t, "two")

	s.breaks(c, guests{}, "two")
	s.sync(guests{version: "one"})
	c.all(t, "one")

	for i, seed := range s.seeds {
		version := versions[i%2]
		s.lives(seed, s.revision(guests{version: version}), inSync)
		c.all(t, version)
	}
	s.judge(c, 1)
	if *update {
		if err := os.WriteFile("../../../../docs/images/groups-rollout.svg", timeline(c.record()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// breaks runs an agent with a template that does not work: one machine no longer serves, and the others continue to serve a
// version.
func (s *stage) breaks(c *client, g guests, version string) {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.t.Context())
	done := make(chan engine.Pass)
	go func() { done <- s.agent().Sync(ctx, s.revision(g)) }()
	c.await(s.t, "one is lost to the broken template", lost(version))
	// The wait is long enough for a good machine to serve again, and for the next machine to be deleted.
	since := time.Now()
	c.await(s.t, "a while", func(now []string) bool { return time.Since(since) > 20*time.Second || !lost(version)(now) })
	if !lost(version)(c.now()) {
		s.t.Errorf("the broken template leaves %q after a while", c.now())
	}
	stop()
	if pass := <-done; pass.Outcome() == plan.InSync {
		s.t.Error("the broken template is in sync")
	}
}

// The group is behind a load balancer, whose monitor asks the machines, too: a machine without new connections does not
// serve. The test begins with a template that does not work, and continues with its fix.
func TestARolloutOfRealMachinesBehindALoadBalancer(t *testing.T) {
	s := onGuests(t)
	behind := func(version string) guests {
		return guests{version: version, front: true, strategy: "drainSeconds: 2"}
	}
	c := s.begin(behind("one"), 3)
	s.breaks(c, behind(""), "one")
	for i, seed := range s.seeds {
		version := versions[i%2]
		s.lives(seed, s.revision(behind(version)), inSync)
		c.all(t, version)
	}
	s.judge(c, 1)
}

// If a machine is no longer in its group, it serves its open connections for as long as it is drained. The other machines serve all
// the time.
func TestRealMachinesAreDrainedBeforeTheyGo(t *testing.T) {
	s := onGuests(t)
	const drained = 4 * time.Second
	of := func(replicas int) guests {
		return guests{version: "one", replicas: replicas, front: true, strategy: "drainSeconds: 4"}
	}
	s.begin(of(4), 4)
	stay := watch(t, s.addresses(0, 3), s.cloud)
	stay.all(t, "one")
	for _, seed := range s.seeds {
		s.sync(of(4))
		goes := watch(t, s.addresses(3, 4), s.cloud)
		goes.all(t, "one")
		s.lives(seed, s.revision(of(3)), inSync)
		goes.await(t, "it goes", func(now []string) bool { return now[0] == "" })
		goes.stop()
		if took := farewell(goes.record()); took < drained {
			t.Errorf("seed %d: it went %s after it got its last connection", seed, took)
		}
	}
	s.judge(stay, 0)
}

// farewell is the time for which a member still served after the load balancer sent it the last request.
func farewell(record []sighting) time.Duration {
	var last, silent time.Duration
	for _, s := range record {
		switch {
		case s.of == sent && s.what != "":
			last, silent = s.at, 0
		case s.of == answered && s.what != "":
			silent = 0
		case s.of == answered && silent == 0:
			silent = s.at
		}
	}
	return silent - last
}
