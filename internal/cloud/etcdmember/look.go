package etcdmember

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	hosts "github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// patience is how long a machine may take until etcd answers.
const patience = 10 * time.Minute

// machine is where a member runs, or may run.
type machine struct {
	client   etcd.Client
	key      manifest.Key
	cluster  string
	tls      *TLS   // nil for none
	version  string // of etcd that is wanted; "" where that is not said
	wanted   bool
	portID   string
	host     hosts.Host
	recorded bool // there was a member before
	address  string
	ownDisk  string // why its data is taken to be on its own disk; "" where it has a volume

	status  etcd.Status
	members etcd.Members
	waiting etcd.Waiting
	answers bool // as etcd does
	waits   bool
	unlike  string // how it talks otherwise than it should; "" for not at all, or as it should
}

// List implements kind.Driver: what etcd says of each cluster that manifests ask for. Of a cluster that they do not ask for any more
// nothing is to be known: its machines go, and with them the cluster.
func (d driver) List(ctx context.Context) (all []live, err error) {
	around := kind.AroundOf(ctx)
	for _, name := range []string{"Port", "Server"} {
		if errs := around.Have[name].Errs(); len(around.Want) > 0 && len(errs) > 0 {
			return nil, fmt.Errorf("it is not known where machines are: %w", errors.Join(errs...))
		}
	}
	list := clusters(around)
	if len(list) == 0 {
		return nil, nil
	}
	recorded, err := record.Ports(ctx, d.cloud)
	if err != nil {
		return nil, err
	}
	for _, machines := range list {
		if err := d.introduce(machines, around); err != nil {
			return nil, err
		}
		for _, m := range machines {
			m.recorded = recorded[m.portID]
		}
		machines = askOwn(ctx, machines)
		all = append(all, found(around, machines)...)
	}
	return all, ctx.Err()
}

// clusters are the machines of each cluster, in the order of their numbers.
func clusters(around kind.Around) (all [][]*machine) {
	ports, servers := around.Owned("Port"), around.Owned("Server")
	at := map[[2]string]int{}
	taken := map[manifest.Key]bool{}
	for i := range around.Want {
		taken[around.Want[i].Key] = true
	}
	add := func(cluster [2]string, key manifest.Key, wanted bool, spec *Spec) {
		named := func(kindName string) string {
			return kind.OwnerText(around.Stack, manifest.Key{Kind: kindName, Namespace: key.Namespace, Name: key.Name})
		}
		port := ports[named("Port")]
		if port == nil || port.Facts.Address == "" {
			return
		}
		m := &machine{key: key, cluster: cluster[1], tls: spec.TLS, wanted: wanted, portID: port.ID, address: port.Facts.Address}
		if wanted {
			m.version = spec.Version
		}
		m.host = hosts.HostOf(servers[named("Server")], patience)
		m.ownDisk = ownDisk(servers[named("Server")], around.Have["Volume"])
		all[at[cluster]] = append(all[at[cluster]], m)
	}
	for i := range around.Want {
		d := &around.Want[i]
		spec, ok := d.Spec.(*Spec)
		if !ok {
			continue
		}
		cluster := [2]string{d.Key.Namespace, spec.Cluster}
		if _, known := at[cluster]; !known {
			at[cluster] = len(all)
			all = append(all, nil)
			for name := range etcdstore.MemberNames(spec.Cluster) {
				key := d.Key
				if key.Name = name; !taken[key] {
					add(cluster, key, false, spec)
				}
			}
		}
		add(cluster, d.Key, true, spec)
	}
	return all
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
	if m.waiting, err = m.client.Waiting(ctx, m.address); err != nil || m.waiting.State != "" {
		m.waits, m.unlike = err == nil, etcd.HowUnlike(err)
		return
	}
	if m.status, err = m.client.Status(ctx, m.address); err != nil {
		return
	}
	m.answers = true
	if m.members, err = m.client.Members(ctx, m.address); err != nil {
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
	return scheme + net.JoinHostPort(m.address, strconv.Itoa(etcd.PeerPort))
}
