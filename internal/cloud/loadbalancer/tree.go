package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// State is a load balancer as Octavia shows it. (octavia/api/v2/types)
type State = table.Object[Spec, Balancer]

// Balancer is what only Octavia says of a load balancer, with everything under it.
type Balancer struct {
	ID                 string     `json:"id" api:"id" show:"-"`
	Name               string     `json:"name" api:"name"`
	ProjectID          string     `json:"projectID" api:"project_id"`
	ProvisioningStatus string     `json:"provisioningStatus" api:"provisioning_status"`
	OperatingStatus    string     `json:"operatingStatus" api:"operating_status"`
	VIPPortID          string     `json:"vipPortID" api:"vip_port_id"`
	VIPSubnetID        string     `json:"vipSubnetID" api:"vip_subnet_id"`
	VIPNetworkID       string     `json:"vipNetworkID" api:"vip_network_id"`
	Provider           string     `json:"provider" api:"provider"`
	FlavorID           string     `json:"flavorID" api:"flavor_id" show:"-"`
	AvailabilityZone   string     `json:"availabilityZone,omitempty" api:"availability_zone"`
	AllTags            []string   `json:"allTags,omitempty" api:"tags" show:"-"` // with those that mark the owner
	CreatedAt          cloud.Time `json:"createdAt" api:"created_at"`
	UpdatedAt          cloud.Time `json:"updatedAt" api:"updated_at"` // none as long as it is as it was made

	Listeners []*Listener `json:"-"`
	Pools     []*Pool     `json:"-"`
	// Stuck are listeners and pools that nothing will ever finish; they are in
	// neither list above.
	Stuck  []stuck `json:"-"`
	offers *offers
}

// What is under a load balancer is the same struct as it shall be and as it is: as it
// shall be, it has no ID and no status, and says which field of the manifest it is of.
// The names of its fields are those under which changes are reported, below that field.

// Listener is a socket of a load balancer.
type Listener struct {
	child
	Name         string    `json:"listener.name" api:"name" show:"name"`
	AdminStateUp bool      `json:"listener.adminStateUp" api:"admin_state_up" rule:"default=true" show:"-"`
	Protocol     string    `json:"protocol" api:"protocol"`
	Port         int       `json:"port" api:"protocol_port"`
	AllowedCIDRs []string  `json:"allowedCidrs" api:"allowed_cidrs,set,empty" show:"-"`
	Timeouts     *Timeouts `json:"timeouts" api:",inline"`
	PoolID       string    `json:"poolID,omitempty" api:"default_pool_id"`
	Pool         *Pool     `json:"-"` // as it shall be
}

// Pool is who answers.
type Pool struct {
	child
	Name         string         `json:"pool.name" api:"name"`
	AdminStateUp bool           `json:"pool.adminStateUp" api:"admin_state_up" rule:"default=true"`
	Protocol     string         `json:"protocol" api:"protocol"`
	Algorithm    string         `json:"algorithm" api:"lb_algorithm"`
	MemberIDs    []link         `json:"members" api:"members"`
	Members      []*Member      `json:"-"`
	Monitor      *HealthMonitor `json:"-"`
	// missing is a machine, or the port of one, that has no address yet, "" for none.
	missing string
}

// Member is one who answers.
type Member struct {
	child
	Name           string `json:"name" api:"name"`
	AdminStateUp   bool   `json:"adminStateUp" api:"admin_state_up" rule:"default=true" show:"-"`
	Address        string `json:"address" api:"address"`
	Port           int    `json:"port" api:"protocol_port"`
	Weight         int    `json:"weight" api:"weight" rule:"default=1" show:"-"`
	Backup         bool   `json:"backup" api:"backup" rule:"default=false" show:"-"`
	SubnetID       string `json:"subnetID" api:"subnet_id" show:"-"`
	MonitorPort    *int   `json:"monitorPort" api:"monitor_port" show:"-"`
	MonitorAddress string `json:"monitorAddress" api:"monitor_address" show:"-"` // set by others only
}

// HealthMonitor is how it is found out whether the members of a pool can answer.
type HealthMonitor struct {
	child
	Name         string `json:"name" api:"name"`
	AdminStateUp bool   `json:"adminStateUp" api:"admin_state_up" rule:"default=true"`
	Type         string `json:"protocol" api:"type"`
	Delay        int    `json:"delay" api:"delay"`
	Timeout      int    `json:"timeout" api:"timeout"`
	Retries      int    `json:"retries" api:"max_retries"`
	RetriesDown  int    `json:"retriesDown" api:"max_retries_down"`
	Method       string `json:"method" api:"http_method"`
	Path         string `json:"endpoint" api:"url_path"`
	Codes        string `json:"codes" api:"expected_codes"`
	PoolID       string `json:"poolID" api:"pool_id,unread"`
	Pools        []link `json:"pools" api:"pools"`
}

// child is what everything under a load balancer has.
type child struct {
	ID                 string `json:"id" api:"id,unwritten"`
	ProvisioningStatus string `json:"provisioningStatus" api:"provisioning_status" show:"-"`
	OperatingStatus    string `json:"operatingStatus" api:"operating_status"`
	// Tags are the owner's part of the mark, for people who look at the cloud: what
	// belongs to a load balancer is known by being under it, and what was last applied
	// is known of the load balancer alone.
	Tags       []string `json:"tags" api:"tags,unread" show:"-"`
	BalancerID string   `json:"loadBalancerID" api:"loadbalancer_id,unread" show:"-"`
	Parents    []link   `json:"loadBalancers" api:"loadbalancers" show:"-"`
	field      string   // of the manifest: spec.ports[0]
}

type link struct {
	ID string `json:"id" api:"id"`
}

func (b *Balancer) pool(id string) *Pool {
	for _, p := range b.Pools {
		if p.ID == id {
			return p
		}
	}
	return nil
}

func (b *Balancer) listener(at socket) *Listener {
	for _, l := range b.Listeners {
		if l.socket() == at {
			return l
		}
	}
	return nil
}

// children are all things under the load balancer, with what people call them.
func (b *Balancer) children(visit func(what string, c *child)) {
	for _, l := range b.Listeners {
		visit("listener "+l.Name, &l.child)
	}
	for _, p := range b.Pools {
		visit("pool "+p.Name, &p.child)
		for _, m := range p.Members {
			visit("member "+m.socket()+" of pool "+p.Name, &m.child)
		}
		if p.Monitor != nil {
			visit("health monitor of pool "+p.Name, &p.Monitor.child)
		}
	}
}

// socket is what only one listener of a load balancer can have.
type socket struct {
	transport string
	port      int
}

func (l *Listener) socket() socket { return socket{transport(l.Protocol), l.Port} }

// transport is what carries a protocol.
func transport(protocol string) string {
	if t := strings.ToLower(protocol); t == "udp" || t == "sctp" {
		return t
	}
	return "tcp"
}

func (m *Member) socket() string { return socketText(m.Address, m.Port) }

func socketText(address string, port int) string {
	if ip, err := netip.ParseAddr(address); err == nil {
		return netip.AddrPortFrom(ip, uint16(port)).String()
	}
	return address
}

// token is the member among what a load balancer uses.
func (m *Member) token() string { return m.SubnetID + "/" + m.Address }

// String says what is particular about a member, for people and to compare.
func (m *Member) String() string {
	text := m.socket() + " (" + m.Name + ")"
	if m.Weight != 1 {
		text += fmt.Sprintf(" weight %d", m.Weight)
	}
	if m.Backup {
		text += " backup"
	}
	if !m.AdminStateUp {
		text += " disabled"
	}
	if m.MonitorPort != nil {
		text += fmt.Sprintf(" monitored at port %d", *m.MonitorPort)
	}
	if m.MonitorAddress != "" {
		text += " monitored at " + m.MonitorAddress
	}
	return text
}

// List reads the project's load balancers, and then, if any of them bears a
// mark, the listeners, pools, health monitors, flavors and zones: six lists.
// Members come one list for each pool of a marked load balancer: Octavia has
// no other. The load balancers are read first: one that was ACTIVE then has
// children that are at least as new.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	states, err := readAll[State](ctx, d, "loadbalancers?project_id="+d.c.ProjectID, "loadbalancers")
	if err != nil {
		return nil, err
	}
	marked := map[string]*Balancer{}
	for _, s := range states {
		if cloud.MarkInTags(s.More.AllTags) != nil {
			marked[s.More.ID] = &s.More
		}
	}
	if len(marked) > 0 {
		if err := d.grow(ctx, marked); errors.Is(err, kind.ErrGone) {
			return nil, fmt.Errorf("load balancers changed while they were listed: %v", err)
		} else if err != nil {
			return nil, err
		}
	}
	out := make([]kind.Live[*State], len(states))
	for i, s := range states {
		out[i] = live(s, d.c.ProjectID)
	}
	return out, nil
}

// readAll reads one of Octavia's collections.
func readAll[T any](ctx context.Context, d driver, path, field string) ([]*T, error) {
	answers, err := cloud.List[table.Attributes](ctx, d.c, cloud.Call{Service: cloud.LoadBalancer, Path: "lbaas/" + path}, field)
	out := make([]*T, len(answers))
	for i, answer := range answers {
		out[i] = new(T)
		err = errors.Join(err, read(answer, out[i]))
	}
	return out, err
}

// read takes in a load balancer, or a part of one.
func read(answer table.Attributes, into any) error {
	s, ok := into.(*State)
	if !ok {
		return table.Read(answer, into)
	}
	err := s.Read(answer)
	s.Spec.Tags = cloud.UserTags(s.More.AllTags)
	return err
}

// parallelLists is how many lists are read at once.
const parallelLists = 8

// grow hangs everything that is under the load balancers where it belongs.
func (d driver) grow(ctx context.Context, balancers map[string]*Balancer) error {
	var listeners []*Listener
	var pools []*Pool
	var monitors []*HealthMonitor
	var offered *offers
	mine := "?project_id=" + d.c.ProjectID
	group, stop := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		listeners, err = readAll[Listener](stop, d, "listeners"+mine, "listeners")
		return err
	})
	group.Go(func() (err error) {
		monitors, err = readAll[HealthMonitor](stop, d, "healthmonitors"+mine, "healthmonitors")
		return err
	})
	group.Go(func() (err error) { offered, err = d.offers(stop); return err })
	group.Go(func() (err error) { pools, err = readAll[Pool](stop, d, "pools"+mine, "pools"); return err })
	if err := group.Wait(); err != nil {
		return err
	}
	byPool := map[string]*HealthMonitor{}
	for _, m := range monitors {
		for _, p := range m.Pools {
			byPool[p.ID] = m
		}
	}
	for _, b := range balancers {
		b.offers = offered
	}
	for _, l := range listeners {
		for _, parent := range l.Parents {
			if b := balancers[parent.ID]; b != nil {
				b.Listeners = append(b.Listeners, l)
			}
		}
	}
	group, stop = errgroup.WithContext(ctx)
	group.SetLimit(parallelLists)
	for _, p := range pools {
		for _, parent := range p.Parents {
			if b := balancers[parent.ID]; b != nil {
				p.Monitor = byPool[p.ID]
				b.Pools = append(b.Pools, p)
				if len(p.MemberIDs) > 0 {
					group.Go(func() (err error) {
						p.Members, err = readAll[Member](stop, d, "pools/"+p.ID+"/members", "members")
						return err
					})
				}
			}
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	d.findStuck(balancers)
	return nil
}
