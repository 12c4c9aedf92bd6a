// Package octavia simulates the load balancer service: the API v2 of Zed (Octavia 11) with the
// providers amphora and ovn, but without amphorae.
//
// It knows the tree of load balancers, listeners, pools, members, health monitors, L7 policies and
// rules. A load balancer is locked while an object of its tree changes, and the control page sets
// which members are down. The addresses of TLS certificates are accepted unchecked unless
// [Options.Holds] is set. There is no failover, and nothing is forwarded.
package octavia

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/neutron"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Options are the differences between clouds.
type Options struct {
	// PendingDelay is how long load balancers stay in PENDING states.
	PendingDelay time.Duration
	// MaxPage is the maximum length of a page of a list; zero means no limit.
	MaxPage int
	// ChildrenStuck leaves objects that are created together with their load balancer in
	// PENDING_CREATE forever, as 11.0.0 does without the fixes of 11.0.1.
	ChildrenStuck bool
	// Holds reports whether the key manager has a payload for a project at an address. Nil accepts every address.
	Holds func(project, address string) bool
}

// Octavia is the service. Its methods are called with the cloud's lock held.
type Octavia struct {
	cloud    *oslo.Cloud
	neutron  *neutron.Neutron
	opts     Options
	svc      *oslo.Service
	lbs      *oslo.Collection[LoadBalancer]
	down     map[string]bool
	quotas   oslo.Quotas
	flavors  []Offer
	zones    []Offer
	balancer *resource[LoadBalancer]
	listener *resource[Listener]
	pool     *resource[Pool]
	member   *resource[Member]
	monitor  *resource[HealthMonitor]
	policy   *resource[L7Policy]
	rule     *resource[L7Rule]
}

// Offer is a flavor or an availability zone.
type Offer struct {
	ID          string `json:"id,omitempty"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Enabled     bool   `json:"enabled"`
}

// New adds the service to a cloud. Addresses come from its Neutron.
func New(cloud *oslo.Cloud, network *neutron.Neutron, opts Options) *Octavia {
	o := &Octavia{cloud: cloud, neutron: network, opts: opts, lbs: oslo.NewCollection(func(lb *LoadBalancer) string { return lb.ID }),
		down: map[string]bool{}, flavors: []Offer{}, zones: []Offer{}}
	o.svc = &oslo.Service{Name: "octavia", Types: []string{"load-balancer"}, Prefix: "/load-balancer", Render: render}
	cloud.Register(o.svc)
	o.svc.HandlePublic("GET /{$}", versions)
	o.addResources()
	o.addTree()
	o.addL7()
	o.addOffers()
	o.addQuotas()
	cloud.HandleControl("POST /_simulator/members-down", o.downPage)
	return o
}

// AddFlavor adds a flavor.
func (o *Octavia) AddFlavor(name string) {
	o.flavors = append(o.flavors, Offer{ID: o.cloud.UUID(), Name: name, Enabled: true})
}

// AddZone adds an availability zone.
func (o *Octavia) AddZone(name string) { o.zones = append(o.zones, Offer{Name: name, Enabled: true}) }

// SetDown sets the addresses that do not answer their health monitors. All other addresses answer.
func (o *Octavia) SetDown(addresses ...string) {
	clear(o.down)
	for _, a := range addresses {
		o.down[a] = true
	}
	for lb := range o.lbs.All() {
		if lb.Provisioning == active {
			lb.judge(o.down)
		}
	}
}

// downPage accepts {"addresses": [...]}.
func (o *Octavia) downPage(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Addresses []string `json:"addresses"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		oslo.WriteJSON(w, http.StatusBadRequest, map[string]any{"error": err.Error()})
		return
	}
	o.cloud.Do(func() { o.SetDown(body.Addresses...) })
	w.WriteHeader(http.StatusNoContent)
}

// handle adds a route below both names of the version, for callers with the right to use the service
// (octavia/policies/base.py).
func (o *Octavia) handle(method, path string, h oslo.Handler) {
	guarded := func(c *oslo.Call) (*oslo.Response, error) {
		if !c.Caller.Admin() && !c.Caller.Has("load-balancer_member") && !c.Caller.Has("load-balancer_admin") {
			return nil, forbidden()
		}
		return h(c)
	}
	for _, version := range []string{"/v2", "/v2.0"} {
		o.svc.Handle(method+" "+version+"/lbaas/"+path, guarded)
	}
}

// versions lists the versions of Zed's API (octavia/api/root_controller.py).
func versions(c *oslo.Call) (*oslo.Response, error) {
	updated := []string{"2016-12-11", "2018-04-20", "2018-07-31", "2018-12-18", "2018-12-19", "2019-01-21", "2019-01-25", "2018-01-25T12",
		"2019-02-12", "2019-03-04", "2019-03-05", "2019-06-24", "2019-09-11", "2019-09-13", "2019-11-10", "2020-03-10", "2020-03-15", "2020-04-29",
		"2020-04-29T01", "2020-05-12", "2020-08-02", "2020-09-03", "2020-09-04", "2020-09-07", "2020-10-15", "2021-10-02", "2022-08-29"}
	list := []any{}
	for minor, day := range updated {
		status := "SUPPORTED"
		if minor == len(updated)-1 {
			status = "CURRENT"
		}
		if len(day) == len("2006-01-02") {
			day += "T00"
		}
		list = append(list, map[string]any{"id": "v2." + itoa(minor), "status": status, "updated": day + ":00:00Z",
			"links": []any{map[string]string{"href": c.Base + "/v2", "rel": "self"}}})
	}
	return oslo.OK(map[string]any{"versions": list}), nil
}

func (o *Octavia) addOffers() {
	o.handle("GET", "providers", func(*oslo.Call) (*oslo.Response, error) {
		return oslo.OK(map[string]any{"providers": []any{
			map[string]string{"name": "amphora", "description": "the amphora provider with no-op compute"},
			map[string]string{"name": "octavia", "description": "alias of amphora"},
			map[string]string{"name": ovn, "description": "OVN itself"}}}), nil
	})
	o.handle("GET", "flavors", func(*oslo.Call) (*oslo.Response, error) {
		return oslo.OK(map[string]any{"flavors": o.flavors, "flavors_links": []any{}}), nil
	})
	o.handle("GET", "availabilityzones", func(*oslo.Call) (*oslo.Response, error) {
		return oslo.OK(map[string]any{"availability_zones": o.zones, "availability_zones_links": []any{}}), nil
	})
}
