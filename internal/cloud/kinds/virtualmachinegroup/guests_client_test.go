package virtualmachinegroup_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// aspect is the property of a member that a sighting is about.
type aspect int

const (
	answered aspect = iota // the answer of the member's web server; "" if there is none.
	sent                   // not "" if a load balancer sends requests to the member.
	broken                 // not "" if the test breaks the member.
)

// sighting is one observation of a member.
type sighting struct {
	at     time.Duration
	member int
	of     aspect
	what   string
}

// client is a user of a group. Ten times a second, it asks each member which version it serves. Three times a second, it
// asks the load balancers to which members they send requests.
type client struct {
	addresses []string
	fronted   bool // there is a load balancer
	http      http.Client
	began     time.Time

	stop func()

	mu      sync.Mutex
	seen    []sighting
	present *view
}

// watch starts a client of the members at these addresses, which runs until the test ends. behind is a client for load
// balancers, or nil.
func watch(t *testing.T, addresses []string, behind *cloud.Client) *client {
	t.Helper()
	c := &client{addresses: addresses, fronted: behind != nil, began: time.Now(), present: newView(len(addresses), behind != nil),
		http: http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var asking sync.WaitGroup
	every := func(pause time.Duration, ask func()) {
		asking.Go(func() {
			for tick := time.NewTicker(pause); ctx.Err() == nil; <-tick.C {
				ask()
			}
		})
	}
	for i := range addresses {
		every(100*time.Millisecond, func() {
			at := time.Since(c.began)
			if answer := c.get(ctx, i); ctx.Err() == nil {
				c.note(sighting{at, i, answered, answer})
			}
		})
	}
	if behind != nil {
		every(300*time.Millisecond, func() {
			at := time.Since(c.began)
			if sends, err := sentTo(ctx, behind); err == nil {
				for i, address := range addresses {
					c.note(sighting{at, i, sent, sends[address]})
				}
			}
		})
	}
	c.stop = func() { stop(); asking.Wait() }
	t.Cleanup(c.stop)
	return c
}

func (c *client) note(s sighting) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, s)
	c.present.see(s)
}

// get returns the answer of a member; "" if it does not answer.
func (c *client) get(ctx context.Context, member int) string {
	resp, err := c.request(ctx, http.MethodGet, member)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 100))
	if err != nil || resp.StatusCode != http.StatusOK {
		return ""
	}
	return strings.TrimSpace(string(body))
}

func (c *client) request(ctx context.Context, method string, member int) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+c.addresses[member]+":8080/version", nil)
	if err != nil {
		return nil, err
	}
	return c.http.Do(req)
}

// sentTo returns the addresses to which the project's load balancers send requests. The weight of such a member is not 0,
// and no monitor excludes it.
func sentTo(ctx context.Context, c *cloud.Client) (map[string]string, error) {
	var pools struct{ Pools []struct{ ID string } }
	if err := c.Do(ctx, cloud.Call{Service: cloud.LoadBalancer, Path: "lbaas/pools", Into: &pools}); err != nil {
		return nil, err
	}
	sends := map[string]string{}
	for _, pool := range pools.Pools {
		var answer struct {
			Members []struct {
				Address string
				Weight  int
				Status  string `json:"operating_status"`
			}
		}
		if err := c.Do(ctx, cloud.Call{Service: cloud.LoadBalancer, Path: "lbaas/pools/" + pool.ID + "/members", Into: &answer}); err != nil {
			return nil, err
		}
		for _, m := range answer.Members {
			if m.Weight > 0 && (m.Status == "ONLINE" || m.Status == "NO_MONITOR") {
				sends[m.Address] = m.Status
			}
		}
	}
	return sends, nil
}

// record returns the observations, in the order in which the requests were sent.
func (c *client) record() []sighting {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(c.seen), func(a, b sighting) int { return cmp.Compare(a.at, b.at) })
}

// now returns the version that each member serves. If there is a load balancer, a member serves only through it.
func (c *client) now() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := make([]string, len(c.addresses))
	for i := range now {
		if c.present.serves(i) {
			now[i] = c.present.last[answered][i]
		}
	}
	return now
}

// await waits until the members serve the wanted versions. If they do not in time, the test fails.
func (c *client) await(t *testing.T, what string, want func(now []string) bool) {
	t.Helper()
	kindtest.Await(t, 3*time.Minute, 100*time.Millisecond, func() error {
		if now := c.now(); !want(now) {
			return fmt.Errorf("%s: they serve %q", what, now)
		}
		return nil
	})
}

// all waits until every member serves the version.
func (c *client) all(t *testing.T, version string) {
	t.Helper()
	c.await(t, "all serve "+version, func([]string) bool { return c.serve(version) })
}

// serve reports whether every member serves the version.
func (c *client) serve(version string) bool {
	return !slices.ContainsFunc(c.now(), func(v string) bool { return v != version })
}

// view is the state of the members at one moment of a record.
type view struct {
	fronted bool
	last    [broken + 1][]string
	down    []bool // the member was seen down after the test broke it
}

func newView(members int, fronted bool) *view {
	v := &view{fronted: fronted, down: make([]bool, members)}
	for i := range v.last {
		v.last[i] = make([]string, members)
	}
	return v
}

func (v *view) see(s sighting) {
	v.last[s.of][s.member] = s.what
	switch serves := v.serves(s.member); {
	case v.last[broken][s.member] == "":
	case !serves:
		v.down[s.member] = true
	case v.down[s.member]: // the member serves again, so the test is not the cause of a later outage
		v.down[s.member], v.last[broken][s.member] = false, ""
	}
}

func (v *view) serves(member int) bool {
	return v.last[answered][member] != "" && (!v.fronted || v.last[sent][member] != "")
}

// missing returns the number of members that do not serve, and the number of those that the test has broken.
func (v *view) missing() (missing, own int) {
	for i := range v.down {
		if !v.serves(i) {
			missing++
		}
		if v.last[broken][i] != "" {
			own++
		}
	}
	return missing, own
}

// changes returns the observations that differ from the previous observation of the same member. Each is one line.
func changes(record []sighting, members int) string {
	var text strings.Builder
	v := newView(members, false)
	for _, s := range record {
		if v.last[s.of][s.member] != s.what {
			v.last[s.of][s.member] = s.what
			fmt.Fprintf(&text, "%s member %d %s %q\n", s.at.Round(time.Millisecond), s.member, [...]string{"answers", "is sent to", "is broken"}[s.of], s.what)
		}
	}
	return text.String()
}

// outage describes the first moment at which too many members did not serve: more than may, and more than the test itself
// has broken. "" if there was no such moment. Moments before all members have served for the first time do not count.
// Observations of the same time are one moment.
func outage(record []sighting, members int, fronted bool, may int) string {
	v, all := newView(members, fronted), false
	for i, s := range record {
		v.see(s)
		if i+1 < len(record) && record[i+1].at == s.at {
			continue
		}
		missing, own := v.missing()
		if all = all || missing == 0; all && missing > max(may, own) {
			return fmt.Sprintf("after %s %d of %d did not serve, and the test broke %d: versions %q, load balancer %q",
				s.at.Round(100*time.Millisecond), missing, members, own, v.last[answered], v.last[sent])
		}
	}
	return ""
}

// Outages count from the moment at which all members served for the first time.
func TestOutage(t *testing.T) {
	for _, c := range []struct {
		seen string // a character for each member: a digit serves, a letter from a on does not serve, and the test has broken a letter from x on
		may  int
		want string
	}{
		{"012", 0, ""}, {"a01b", 1, ""}, {"a012b", 0, "after 4s 1 of 3"}, {"012b1c2", 1, ""}, {"012bc", 1, "after 4s 2 of 3"},
		{"012xa", 0, ""}, {"012xab", 0, "after 5s 2 of 3"}, {"012xab", 1, "after 5s 2 of 3"}, {"012xa0a", 0, "after 6s 1 of 3"}, {"012x0a0", 0, ""}, {"abc", 0, ""},
	} {
		var record []sighting
		for i, r := range c.seen {
			s := sighting{at: time.Duration(i) * time.Second, what: "one"}
			switch {
			case r >= 'x':
				s.member, s.of = int(r-'x'), broken
			case r >= 'a':
				s.member, s.what = int(r-'a'), ""
			default:
				s.member = int(r - '0')
			}
			record = append(record, s)
		}
		if got := outage(record, 3, false, c.may); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.seen, got, c.want)
		}
	}
	// Through a load balancer, two members can change at the same moment.
	var record []sighting
	for i, sends := range []string{"yyy", "-yy", "y-y", "yyy", "--y"} {
		for member, r := range sends {
			record = append(record, sighting{time.Duration(i) * time.Second, member, answered, "one"},
				sighting{time.Duration(i) * time.Second, member, sent, strings.Trim(string(r), "-")})
		}
	}
	if got := outage(record[:12], 3, true, 1); got != "" {
		t.Error(got)
	}
	if got := outage(record, 3, true, 1); !strings.HasPrefix(got, "after 4s 2 of 3") {
		t.Error(got)
	}
}
