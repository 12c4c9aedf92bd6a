package virtualmachinegroup_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// If a template does not work, one machine behind a load balancer fails. Then the group goes back automatically to the last template that worked,
// whichever agent detects the failure.
func TestRealMachinesGoBack(t *testing.T) {
	s := onGuests(t)
	within := func(seconds int, version string) guests {
		return guests{version: version, front: true, strategy: fmt.Sprintf("drainSeconds: 2, progressDeadlineSeconds: %d, onFailure: rollback", seconds)}
	}
	of := func(version string) guests { return within(15, version) }
	c := s.begin(within(60, "one"), 3) // the first machines of a cloud need longer
	rev := s.revision(of(""))
	rev.EarlierCommits = func(_ context.Context, visit func(string, []kind.Desired) bool) error {
		visit("before", s.Resolve(of("one").String()))
		return nil
	}
	for _, seed := range s.seeds {
		s.sync(of("one")) // otherwise the group would stay at the earlier template when the next agent starts
		before := s.server(0)
		s.lives(seed, rev, func(pass engine.Pass) bool {
			back := pass.Last.Fallbacks
			return len(back) == 1 && back[0].Commit == "before" && c.serve("one")
		})
		if s.server(0) == before {
			t.Errorf("seed %d: the first machine was not replaced", seed)
		}
	}
	s.judge(c, 1)
}

// If somebody breaks machines behind a load balancer, the agent repairs them in the way that the group's manifest declares. It changes no other
// machine.
func TestRealMachinesAreHealed(t *testing.T) {
	s := onGuests(t)
	// start is longer than a machine needs to start, because a newly started agent does not know that another agent healed the machine.
	const start = 15
	of := func(cure string, after int) guests {
		g := guests{version: "one", front: true, spec: fmt.Sprintf("heal: {afterSeconds: %d, perHour: 1000, unresponsive: %s}", after, cure)}
		if after < start { // the agent must not wait for machines that it has never seen serving either
			g.strategy = "drainSeconds: 0, progressDeadlineSeconds: 1"
		}
		return g
	}
	cures := []string{"restart", "rebuild", "replace"}
	c := s.begin(of("restart", start), 3)
	for i, seed := range s.seeds {
		rev := s.revision(of(cures[i%3], start))
		healed := func(what string, stays bool, harm func(member int)) {
			t.Helper()
			member := int(seed) % 3
			before := s.server(member)
			s.harm(c, harm, member)
			s.lives(seed, rev, func(engine.Pass) bool { return c.serve("one") })
			if (s.server(member) == before) != stays {
				t.Errorf("seed %d, %s: it was %s and is %s", seed, what, before, s.server(member))
			}
		}
		healed("does not answer", cures[i%3] != "replace", func(m int) { s.end(c, m) })
		healed("is stopped", true, func(m int) { s.act(m, map[string]any{"os-stop": nil}) })
		healed("is deleted", false, func(m int) { s.act(m, nil) })
		s.mostAreSick(c, s.revision(of(cures[i%3], 1)))
	}
	s.judge(c, 0)
}

// harm breaks members, and waits until they no longer serve.
func (s *stage) harm(c *client, harm func(member int), members ...int) {
	s.t.Helper()
	for _, member := range members {
		c.note(sighting{time.Since(c.began), member, broken, "by the test"})
		harm(member)
	}
	c.await(s.t, "the test does harm", func(now []string) bool {
		return !slices.ContainsFunc(members, func(m int) bool { return now[m] != "" })
	})
}

// end stops the web server of a member.
func (s *stage) end(c *client, member int) {
	if resp, err := c.request(s.t.Context(), http.MethodDelete, member); err == nil {
		resp.Body.Close()
	}
}

// mostAreSick stops the web servers of two members of three. The agent must heal neither, and report it.
func (s *stage) mostAreSick(c *client, rev engine.Revision) {
	s.t.Helper()
	s.harm(c, func(m int) { s.end(c, m) }, 0, 2)
	ctx, die := context.WithTimeout(s.t.Context(), time.Minute)
	defer die()
	said, began := "", time.Now()
	const mostAreSick = "2 of 3 members"
	s.live(ctx, rev, func(pass engine.Pass) bool {
		if len(pass.Results) > 0 {
			s.t.Errorf("most are sick, and %s is changed: %s", pass.Results[0].Step.Key, pass.Results[0].Step.FullCause())
		}
		for _, o := range status.Of(pass.Last, s.agent().Kinds) {
			said += o.Status.Message + "\n"
		}
		return strings.Contains(said, mostAreSick) && time.Since(began) > 10*time.Second
	})
	s.t.Logf("most are sick: %s after %s", said, time.Since(began).Round(time.Second))
	if !strings.Contains(said, mostAreSick) {
		s.t.Errorf("most are sick, and it is said: %s", said)
	}
	for _, m := range []int{0, 2} {
		s.act(m, map[string]any{"reboot": map[string]any{"type": "HARD"}})
	}
	c.all(s.t, "one")
}
