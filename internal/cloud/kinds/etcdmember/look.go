package etcdmember

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// machine is where a member runs, or may run.
type machine struct {
	member.Machine[Spec]
	client  etcd.Client
	ownDisk string // why its data is taken to be on its own disk; "" where it has a volume
	said
}

// said is what a machine answers.
type said struct {
	status  etcd.Status
	members etcd.Members
	waiting etcd.Waiting
	answers bool // as etcd does
	waits   bool
	unlike  string // how it talks otherwise than it should; "" for not at all, or as it should
	failure string // why it cannot begin, as it says itself; "" where it does not say so
}

// List implements kind.Driver: what etcd says of each cluster that manifests ask for.
func (d driver) List(ctx context.Context, asked kind.Listing) (all []live, err error) {
	clusters, err := d.members.Clusters(ctx, asked.Hosts)
	if err != nil {
		return nil, err
	}
	for _, c := range clusters {
		machines, err := d.introduced(asked.Hosts, c)
		if err != nil {
			return nil, err
		}
		all = append(all, d.found(asked.Hosts, askOwn(ctx, machines))...)
	}
	return all, ctx.Err()
}

// ask finds out what runs on machines, all at the same time.
func ask(ctx context.Context, machines []*machine) {
	var asking sync.WaitGroup
	for _, m := range machines {
		asking.Go(func() { m.ask(ctx) })
	}
	asking.Wait()
}

func (m *machine) ask(ctx context.Context) {
	var err error
	m.said = said{}
	if m.waiting, err = m.client.Waiting(ctx, m.Address); err != nil || m.waiting.State != "" {
		m.waits, m.unlike, m.failure = err == nil, etcd.HowUnlike(err), boot.Why(err)
		return
	}
	if m.status, err = m.client.Status(ctx, m.Address); err != nil {
		return
	}
	m.answers = true
	if m.members, err = m.client.Members(ctx, m.Address); err != nil {
		m.members = etcd.Members{} // a learner does not say
	}
}

// peerAt reports whether others reach a member at an address.
func peerAt(m etcd.Member, address string) bool {
	return slices.ContainsFunc(m.PeerURLs, func(peer string) bool { return hostOf(peer) == address })
}

func hostOf(peer string) string {
	u, err := url.Parse(peer)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func (m *machine) peerURL() string {
	scheme := "http://"
	if m.client.TLS != nil {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(m.Address, strconv.Itoa(etcd.PeerPort))
}
