package loadbalancer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

func ptr[T any](v T) *T { return &v }

// webAndName returns a load balancer with two ports. The port for HTTP has two machines and a monitor, and the port for
// DNS has one machine.
func webAndName() typed.Want[Spec] {
	spec := &Spec{
		Description: ptr("d"), Tags: []string{"b", "a"},
		Ports: []Port{
			{Port: 80, Protocol: "http", RealServers: RealServers{Port: ptr(8080), Addresses: []string{"10.0.0.1", "10.0.0.2"}},
				Monitors: []Monitor{{Protocol: "http", Endpoint: ptr("/up")}}},
			{Port: 53, Protocol: "udp", RealServers: RealServers{Addresses: []string{"2001:DB8::1"}}},
		},
	}
	return typed.Want[Spec]{Want: kind.Want{Key: manifest.Key{Kind: "LoadBalancer", Namespace: "default", Name: "lb"},
		Mark: kind.Mark{Owner: "stackreeve:s:LoadBalancer/lb", Applied: "x"}}, Spec: spec}
}

// made returns the load balancer that Octavia has after a create request for w.
func made(w typed.Want[Spec]) *State {
	s := &State{Spec: Spec{Description: w.Spec.Description, AdminStateUp: ptr(true), Tags: w.Spec.Tags, VIPAddress: ptr("10.0.0.9")},
		More: Balancer{ID: "L", Name: w.Key.Name, AllTags: mark.Tags(w.Mark, w.Spec.Tags), ProvisioningStatus: "ACTIVE", OperatingStatus: "ONLINE", offers: &offers{}}}
	up := func(c *child, id string) { c.ID, c.ProvisioningStatus, c.OperatingStatus = id, "ACTIVE", "ONLINE" }
	for _, l := range wanted(w) {
		id, p := fmt.Sprint(l.Port), l.Pool
		up(&l.child, "l"+id)
		up(&p.child, "p"+id)
		for _, m := range p.Members {
			up(&m.child, "m"+m.Address)
			m.SubnetID = "N"
		}
		if p.Monitor != nil {
			up(&p.Monitor.child, "h"+id)
			p.Monitor.AdminStateUp = true
		}
		l.AdminStateUp, p.AdminStateUp, l.PoolID = true, true, p.ID
		for i, policy := range l.Policies {
			up(&policy.child, fmt.Sprint("y", i+1))
			policy.Position = i + 1
			for j, r := range policy.Rules {
				up(&r.child, fmt.Sprint("r", j+1))
			}
			if pool := policy.Pool; pool != nil {
				up(&pool.child, "q"+fmt.Sprint(i+1))
				pool.AdminStateUp, policy.PoolID = true, pool.ID
				s.More.Pools = append(s.More.Pools, pool)
			}
		}
		l.Timeouts = &Timeouts{Client: ptr(50000), MemberConnect: ptr(5000), Member: ptr(50000)}
		s.More.Pools = append(s.More.Pools, p)
		s.More.Listeners = append(s.More.Listeners, l)
	}
	return s
}

// carried returns the requests of an update, one line for each, in order. All changes except the ignored ones are
// accepted.
func carried(w typed.Want[Spec], s *State, ignored string) []string {
	var c kind.Changes
	rules{}.Diff(w, s, &c)
	accepted := slices.DeleteFunc(slices.Clone(c.List()), func(c kind.Change) bool { return c.Field == ignored })
	var lines []string
	for _, e := range updatesOf(w, s, accepted) {
		r, needed := e.accept(accepted)
		if !needed {
			continue
		}
		if r.made != nil {
			*r.made = "new"
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.method, r.path, attributesOf(r.method, r.body))))
	}
	return lines
}

// attributesOf returns the attributes of a body that these tests compare. For new objects these are parents, descriptions
// and the number of members, and for existing objects the changed attributes.
func attributesOf(method string, all map[string]any) string {
	var out []string
	for name, value := range all {
		_, marked := all["tags"]
		switch makes := marked || method == http.MethodPost; {
		case name == "members":
			out = append(out, fmt.Sprintf("members=%d", len(value.([]map[string]any))))
		case name == "default_pool_id" || name == "pool_id" || !makes || all["listeners"] == nil && name == "description":
			out = append(out, fmt.Sprintf("%s=%v", name, value))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func fieldsOf(w typed.Want[Spec], s *State) []string {
	var c kind.Changes
	rules{}.Diff(w, s, &c)
	var out []string
	for _, change := range c.List() {
		out = append(out, change.Field)
	}
	return out
}

func TestMadeAsWantedNothingIsDone(t *testing.T) {
	w := webAndName()
	if got := append(fieldsOf(w, made(w)), carried(w, made(w), "")...); len(got) > 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

// editCase is one difference between a manifest and the cloud, with the changes that a plan shows for it and the
// requests that correct it.
type editCase struct {
	name   string
	edit   func(*Spec)
	cloud  func(*State)
	ignore string
	fields []string
	want   []string
}

func (tt editCase) run(t *testing.T, asking func() typed.Want[Spec]) {
	s, w := made(asking()), asking()
	if tt.cloud != nil {
		tt.cloud(s)
	}
	if tt.edit != nil {
		tt.edit(w.Spec)
	}
	if got := fieldsOf(w, s); !slices.Equal(got, tt.fields) {
		t.Errorf("reported %q, want %q", got, tt.fields)
	}
	if got := carried(w, s, tt.ignore); !slices.Equal(got, tt.want) {
		t.Errorf("carried out\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
	}
}

func TestEdits(t *testing.T) {
	tests := []editCase{
		{name: "name", cloud: func(s *State) { s.More.Name = "x" },
			fields: []string{"spec.name"}, want: []string{"PUT loadbalancers/L name=lb"}},
		{name: "ignored name, written mark", cloud: func(s *State) {
			s.More.Name, s.More.AllTags = "x", mark.Tags(kind.Mark{Owner: "stackreeve:s:LoadBalancer/lb", Applied: "older"}, s.Spec.Tags)
		}, ignore: "spec.name", fields: []string{"spec.name"}, want: []string{"PUT loadbalancers/L"}},
		{name: "description", cloud: func(s *State) { s.Spec.Description = ptr("x") },
			fields: []string{"spec.description"}, want: []string{"PUT loadbalancers/L description=d"}},
		{name: "admin state", cloud: func(s *State) { s.Spec.AdminStateUp = ptr(false) },
			fields: []string{"spec.adminStateUp"}, want: []string{"PUT loadbalancers/L admin_state_up=true"}},
		{name: "tags", cloud: func(s *State) { s.More.AllTags, s.Spec.Tags = s.More.AllTags[1:], []string{"b"} },
			fields: []string{"spec.tags"}, want: []string{"PUT loadbalancers/L"}},
		{name: "listener disabled", cloud: func(s *State) { s.More.Listeners[0].AdminStateUp = false },
			fields: []string{"spec.ports[0].listener.adminStateUp"}, want: []string{"PUT listeners/l80 admin_state_up=true"}},
		{name: "listener renamed", cloud: func(s *State) { s.More.Listeners[0].Name = "x" },
			fields: []string{"spec.ports[0].listener.name"}, want: []string{"PUT listeners/l80 name=lb-80"}},
		{name: "listener closed to most", cloud: func(s *State) { s.More.Listeners[0].AllowedCIDRs = []string{"10.0.0.0/8"} },
			fields: []string{"spec.ports[0].allowedCidrs"}, want: []string{"PUT listeners/l80 allowed_cidrs=[]"}},
		{name: "listener without pool", cloud: func(s *State) { s.More.Listeners[0].PoolID = "" },
			fields: []string{"spec.ports[0].realServers"}, want: []string{"PUT listeners/l80 default_pool_id=p80"}},
		{name: "deleted listener, pool reused", cloud: func(s *State) { s.More.Listeners = s.More.Listeners[1:] },
			fields: []string{"spec.ports[0]"}, want: []string{"POST listeners default_pool_id=p80"}},
		{name: "listener added", cloud: func(s *State) {
			s.More.Listeners = append(s.More.Listeners, &Listener{child: child{ID: "l9"}, Protocol: "TCP", Port: 9})
		}, fields: []string{"spec.ports"}, want: []string{"DELETE listeners/l9"}},
		{name: "pool added", cloud: func(s *State) { s.More.Pools = append(s.More.Pools, &Pool{child: child{ID: "p9"}, Protocol: "TCP"}) },
			fields: []string{"spec.ports"}, want: []string{"DELETE pools/p9"}},
		{name: "deleted pool, filled first", cloud: func(s *State) { s.More.Pools, s.More.Listeners[0].PoolID = s.More.Pools[1:], "" },
			fields: []string{"spec.ports[0].realServers"},
			want:   []string{"POST pools", "PUT pools/new/members members=2", "POST healthmonitors pool_id=new", "PUT listeners/l80 default_pool_id=new"}},
		{name: "pool disabled", cloud: func(s *State) { s.More.Pools[0].AdminStateUp = false },
			fields: []string{"spec.ports[0].pool.adminStateUp"}, want: []string{"PUT pools/p80 admin_state_up=true"}},
		{name: "algorithm", cloud: func(s *State) { s.More.Pools[0].Algorithm = "SOURCE_IP" },
			fields: []string{"spec.ports[0].algorithm"}, want: []string{"PUT pools/p80 lb_algorithm=ROUND_ROBIN"}},
		{name: "member deleted", cloud: func(s *State) { s.More.Pools[0].Members = s.More.Pools[0].Members[1:] },
			fields: []string{"spec.ports[0].realServers"}, want: []string{"PUT pools/p80/members members=2"}},
		{name: "member added", cloud: func(s *State) { s.More.Pools[1].Members = append(s.More.Pools[1].Members, s.More.Pools[0].Members[0]) },
			fields: []string{"spec.ports[1].realServers"}, want: []string{"PUT pools/p53/members members=1"}},
		{name: "member weight", cloud: func(s *State) { s.More.Pools[0].Members[0].Weight = 0 },
			fields: []string{"spec.ports[0].realServers"}, want: []string{"PUT pools/p80/members members=2"}},
		{name: "member backup", cloud: func(s *State) { s.More.Pools[0].Members[0].Backup = true },
			fields: []string{"spec.ports[0].realServers"}, want: []string{"PUT pools/p80/members members=2"}},
		{name: "member disabled", cloud: func(s *State) { s.More.Pools[0].Members[0].AdminStateUp = false },
			fields: []string{"spec.ports[0].realServers"}, want: []string{"PUT pools/p80/members members=2"}},
		{name: "member monitored elsewhere", cloud: func(s *State) { s.More.Pools[0].Members[0].MonitorAddress = "10.0.0.7" },
			fields: []string{"spec.ports[0].realServers"}, want: []string{"PUT pools/p80/members members=2"}},
		{name: "members ignored", cloud: func(s *State) { s.More.Pools[0].Members, s.More.Name = nil, "x" }, ignore: "spec.ports[0].realServers",
			fields: []string{"spec.ports[0].realServers", "spec.name"}, want: []string{"PUT loadbalancers/L name=lb"}},
		{name: "monitor deleted", cloud: func(s *State) { s.More.Pools[0].Monitor = nil },
			fields: []string{"spec.ports[0].monitors"}, want: []string{"POST healthmonitors pool_id=p80"}},
		{name: "monitor added", cloud: func(s *State) { s.More.Pools[1].Monitor = &HealthMonitor{child: child{ID: "h9"}, Type: "TCP"} },
			fields: []string{"spec.ports[1].monitors"}, want: []string{"DELETE healthmonitors/h9"}},
		{name: "monitor of another type", cloud: func(s *State) { s.More.Pools[0].Monitor.Type = "TCP" },
			fields: []string{"spec.ports[0].monitors[0].protocol"}, want: []string{"DELETE healthmonitors/h80", "POST healthmonitors pool_id=p80"}},
		{name: "monitor path and codes", cloud: func(s *State) { s.More.Pools[0].Monitor.Path, s.More.Pools[0].Monitor.Codes = "/", "200-299" },
			fields: []string{"spec.ports[0].monitors[0].endpoint", "spec.ports[0].monitors[0].expectedCodes"},
			want:   []string{"PUT healthmonitors/h80 expected_codes=200 url_path=/up"}},
		{name: "monitor path ignored", cloud: func(s *State) { s.More.Pools[0].Monitor.Path, s.More.Pools[0].Monitor.Codes = "/", "200-299" },
			ignore: "spec.ports[0].monitors[0].expectedCodes",
			fields: []string{"spec.ports[0].monitors[0].endpoint", "spec.ports[0].monitors[0].expectedCodes"},
			want:   []string{"PUT healthmonitors/h80 url_path=/up"}},
		{name: "another port, new listener first", edit: func(s *Spec) { s.Ports[0].Port = 81 },
			fields: []string{"spec.ports[0]", "spec.ports", "spec.ports"},
			want:   []string{"POST pools", "PUT pools/new/members members=2", "POST healthmonitors pool_id=new", "POST listeners default_pool_id=new", "DELETE listeners/l80", "DELETE pools/p80"}},
		{name: "another protocol, pool first", edit: func(s *Spec) { s.Ports[0].Protocol = "tcp" },
			fields: []string{"spec.ports[0].realServers", "spec.ports[0].protocol", "spec.ports"},
			want: []string{"POST pools", "PUT pools/new/members members=2", "POST healthmonitors pool_id=new", "DELETE listeners/l80",
				"POST listeners default_pool_id=new", "DELETE pools/p80"}},
		{name: "another protocol, same pool", edit: func(s *Spec) { s.Ports[0].Protocol, s.Ports[0].RealServers.Protocol = "tcp", ptr("http") },
			fields: []string{"spec.ports[0].protocol"}, want: []string{"DELETE listeners/l80", "POST listeners default_pool_id=p80"}},
		{name: "port gone", edit: func(s *Spec) { s.Ports = s.Ports[:1] },
			fields: []string{"spec.ports", "spec.ports"}, want: []string{"DELETE listeners/l53", "DELETE pools/p53"}},
		{name: "an interrupted update goes on", cloud: func(s *State) {
			s.More.Listeners[0].PoolID, s.More.Pools[0].Members, s.More.Pools[0].Monitor = "", nil, nil
		}, fields: []string{"spec.ports[0].realServers", "spec.ports[0].monitors", "spec.ports[0].realServers"},
			want: []string{"PUT pools/p80/members members=2", "POST healthmonitors pool_id=p80", "PUT listeners/l80 default_pool_id=p80"}},
		{name: "a machine without an address", edit: func(s *Spec) { s.Ports[0].RealServers.PortRefs = []string{"web-0"} },
			fields: []string{"spec.ports[0].realServers"}, want: nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, webAndName) })
	}
}

// If a batch contains a socket twice, some versions of Octavia are blocked permanently.
func TestMembersAreNeverSentTwice(t *testing.T) {
	w := webAndName()
	w.Spec.Ports[1].RealServers.Addresses = []string{"2001:db8::1", "2001:DB8:0::1"}
	if got := wanted(w)[1].Pool.Members; len(got) != 1 {
		t.Errorf("%d members for one address", len(got))
	}
}

func TestOnlyANewOneWillDo(t *testing.T) {
	o := &offers{zones: []*offer{{"", "az-1", true}, {"", "az-2", true}}, flavors: []*offer{{"F", "big", true}, {"G", "off", false}}}
	tests := []struct {
		name   string
		edit   func(*Spec)
		fields []string
		note   string
	}{
		{"same address written otherwise", func(s *Spec) { s.VIPAddress = ptr("10.0.0.9") }, nil, ""},
		{"address", func(s *Spec) { s.VIPAddress = ptr("10.0.0.8") }, []string{"spec.vipAddress"}, ""},
		{"flavor", func(s *Spec) { s.ServiceType, s.Flavor = ptr("x"), "big" }, []string{"spec.serviceType"}, ""},
		{"no flavor", func(s *Spec) { s.ServiceType = ptr("generic") }, nil, ""},
		{"flavor that is not offered", func(s *Spec) { s.ServiceType, s.Flavor = ptr("x"), "bigg" }, nil, "did you mean big?"},
		{"disabled flavor", func(s *Spec) { s.ServiceType, s.Flavor = ptr("x"), "off" }, nil, "it has big."},
		{"zone", func(s *Spec) { s.Zone, s.AvailabilityZone = ptr("x"), "az-1" }, []string{"spec.zone"}, ""},
		{"zone that is not offered", func(s *Spec) { s.Zone, s.AvailabilityZone = ptr("x"), "az-11" }, nil, "did you mean az-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := webAndName()
			s := made(w)
			s.More.offers = o
			tt.edit(w.Spec)
			if got := fieldsOf(w, s); !slices.Equal(got, tt.fields) {
				t.Errorf("reported %q, want %q", got, tt.fields)
			}
			err := o.choose(w.Spec, map[string]any{})
			if tt.note == "" && err != nil || tt.note != "" && (err == nil || !strings.Contains(err.Error(), tt.note)) {
				t.Errorf("create says %v, want %q", err, tt.note)
			}
		})
	}
}

func TestPhase(t *testing.T) {
	tests := []struct {
		name  string
		cloud func(*State)
		want  kind.Phase
		says  string
	}{
		{"all well", func(*State) {}, kind.Ready, ""},
		{"being made", func(s *State) { s.More.ProvisioningStatus = "PENDING_CREATE" }, kind.Pending, "PENDING_CREATE"},
		{"being deleted", func(s *State) { s.More.ProvisioningStatus = "PENDING_DELETE" }, kind.Deleting, "PENDING_DELETE"},
		{"a child is being made", func(s *State) { s.More.Pools[0].ProvisioningStatus = "PENDING_CREATE" }, kind.Pending, "pool lb-80 is PENDING_CREATE"},
		{"a child failed", func(s *State) { s.More.Pools[0].Monitor.ProvisioningStatus = "ERROR" }, kind.Degraded, "health monitor of pool lb-80 is in ERROR"},
		{"broken after it had worked", func(s *State) { s.More.ProvisioningStatus, s.More.OperatingStatus = "ERROR", "OFFLINE" }, kind.Degraded, "failover L"},
		{"never worked", func(s *State) {
			s.More.ProvisioningStatus, s.More.OperatingStatus = "ERROR", "OFFLINE"
			s.More.children(func(_ string, c *child) { c.ProvisioningStatus = "PENDING_CREATE" })
		}, kind.Failed, "could not make it"},
		{"a machine is down", func(s *State) {
			s.More.OperatingStatus, s.More.Pools[0].Members[1].OperatingStatus = "DEGRADED", "ERROR"
		}, kind.Ready, "operating status DEGRADED: 10.0.0.2:8080 of lb-80 is ERROR"},
		{"a machine is down behind IPv6", func(s *State) { s.More.Pools[1].Members[0].OperatingStatus = "OFFLINE" }, kind.Ready, "[2001:db8::1]:53 of lb-53-udp is OFFLINE"},
		{"not monitored", func(s *State) {
			s.More.OperatingStatus, s.More.Pools[1].Members[0].OperatingStatus = "NO_MONITOR", "NO_MONITOR"
		}, kind.Ready, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := made(webAndName())
			tt.cloud(s)
			phase, says := s.More.phase()
			if phase != tt.want || !strings.Contains(says, tt.says) || tt.says == "" && says != "" {
				t.Errorf("got %s %q, want %s %q", phase, says, tt.want, tt.says)
			}
		})
	}
}

func TestTellsWhenItWasChanged(t *testing.T) {
	for shown, want := range map[string]string{"null": "0001-01-01T00:00:00Z", `"2026-11-21T13:57:09"`: "2026-11-21T13:57:09Z"} {
		s := made(webAndName())
		if err := read(table.Attributes{"updated_at": json.RawMessage(shown)}, s); err != nil {
			t.Fatal(err)
		}
		if got := live(s, "").Updated.Format(time.RFC3339); got != want {
			t.Errorf("%s: got %s, want %s", shown, got, want)
		}
	}
}

func TestUsesWhatItSendsTo(t *testing.T) {
	s := made(webAndName())
	s.More.VIPNetworkID, s.More.VIPSubnetID = "net", "sub"
	live := live(s, "")
	if want := []string{"net", "sub", "N/10.0.0.1", "N/10.0.0.2", "N/2001:db8::1"}; !slices.Equal(live.Uses, want) {
		t.Errorf("uses %q, want %q", live.Uses, want)
	}
	if live.Facts.Address != "10.0.0.9" {
		t.Errorf("address is %q", live.Facts.Address)
	}
}
