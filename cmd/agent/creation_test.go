package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestCreationOnACloud creates 30 machines and a load balancer on a real cloud, and logs where the time was spent. It is no part of a test run: its
// figures are only of use on a machine that does nothing else. Then it deletes all, and repeats the same writes without an agent, which shows how much
// of that time was the cloud's own.
//
//	STACKREEVE_TEST_CREATION=1 STACKREEVE_TEST_LONG=1 STACKREEVE_TEST_CLOUD=devcloud go test -v -run TestCreationOnACloud ./cmd/agent
func TestCreationOnACloud(t *testing.T) {
	testcost.Long(t) // a real cloud
	if os.Getenv("STACKREEVE_TEST_CLOUD") == "" || os.Getenv("STACKREEVE_TEST_CREATION") == "" {
		t.Skip("needs STACKREEVE_TEST_CREATION and a cloud in STACKREEVE_TEST_CLOUD")
	}
	g := newGround(t)
	remove := func() {
		g.commit(fstest.MapFS{"README.md": {}})
		g.wants(0, nil, "run", "--once", "--max-deletes", "100%", "--allow-data-loss=true")
	}
	defer remove()
	count := number(t, "STACKREEVE_TEST_MACHINES", 1, machines)
	g.commit(fstest.MapFS{"all.yaml": {Data: []byte(strings.Replace(balanced, "31", fmt.Sprint(count), 1))}})
	g.proxy.during(nil)
	g.proxy.keepWrites(true)
	e := g.wants(0, []string{"in sync: "}, "run", "--once")
	calls := g.proxy.seen()
	wrote := g.proxy.keepWrites(false)
	t.Logf("%d machines in %v", count, e.took.Round(100*time.Millisecond))
	byService := map[string]*spent{}
	all, writes := &spent{}, &spent{}
	for _, c := range calls {
		if byService[c.service] == nil {
			byService[c.service] = &spent{}
		}
		byService[c.service].add(c)
		all.add(c)
		if c.writes {
			writes.add(c)
		}
	}
	t.Logf("all: %v", all)
	t.Logf("writes: %v", writes)
	for service, s := range byService {
		t.Logf("%s: %v", service, s)
	}
	counts := map[string]int{}
	for _, c := range calls {
		counts[collectionOf(c)]++
	}
	for _, at := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%4d %s", counts[at], at)
	}
	for i := 1; i < len(calls); i++ {
		if pause := calls[i].at.Sub(calls[i-1].at); pause > time.Second {
			t.Logf("%v without a new request before %v", pause.Round(time.Millisecond), calls[i])
		}
	}
	remove()
	alone := repeatAll(t, wrote)
	t.Logf("the same %d writes without an agent, until all is active: %v; the agent needed %.2f of that", len(wrote), alone.Round(100*time.Millisecond), e.took.Seconds()/alone.Seconds())
}

// collectionOf returns the service, the method and the path of a call, without IDs.
func collectionOf(c call) string {
	return c.service + " " + c.method + " " + anyID.ReplaceAllString(c.path, "ID")
}

// spent are calls, and the time that they took.
type spent struct {
	requests, writes int
	sum              time.Duration
	from, to         []time.Time
}

func (s *spent) add(c call) {
	if s.requests++; c.writes {
		s.writes++
	}
	if !c.ended.IsZero() {
		s.sum += c.ended.Sub(c.at)
		s.from, s.to = append(s.from, c.at), append(s.to, c.ended)
	}
}

// busy returns the time in which at least one of the calls was in progress. The calls are in the order of their begin.
func (s *spent) busy() (long time.Duration) {
	var until time.Time
	for i, from := range s.from {
		if from.Before(until) {
			from = until
		}
		if to := s.to[i]; to.After(from) {
			long, until = long+to.Sub(from), to
		}
	}
	return long
}

func (s *spent) String() string {
	text := fmt.Sprintf("%d requests, %d of them write, %v of the cloud, %v with at least one in progress", s.requests, s.writes, s.sum.Round(100*time.Millisecond), s.busy().Round(100*time.Millisecond))
	if len(s.from) > 0 {
		text += fmt.Sprintf(", the last one ends after %v", slices.MaxFunc(s.to, time.Time.Compare).Sub(s.from[0]).Round(100*time.Millisecond))
	}
	return text
}
