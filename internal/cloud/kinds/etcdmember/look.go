package etcdmember

import (
	"context"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdquorum"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// machine is a machine on which a member runs, or may run.
type machine struct {
	member.Machine[Spec]
	client  etcd.Client
	ownDisk string // why its data counts as being on its own disk; "" if the data is on a volume.
	answer
}

// voices returns the answers of machines, each with the machine's name and address.
func voices(machines []*machine) (list []*etcdquorum.Answer) {
	for _, m := range machines {
		v := m.voice
		v.Name, v.Address = m.Key.Name, m.Address
		list = append(list, &v)
	}
	return list
}

// answer is the answer of a machine.
type answer struct {
	voice   etcdquorum.Answer // without the name and the address of the machine.
	waiting etcd.Waiting
	waits   bool   // the boot script answers in place of etcd, so etcd does not run; waiting is that answer.
	unlike  string // how its TLS differs from the manifest; "" if it does not differ, or the machine does not answer.
	failure string // the reason that the machine gives why it cannot begin; "" if it gives none.
}

// List implements [typed.Kind]. It returns the members of each cluster that manifests declare, as etcd reports them.
func (d driver) List(ctx context.Context, asked kind.Listing) (all []live, err error) {
	ctx = cloud.At(ctx, asked.Shared)
	clusters, err := d.members.Clusters(ctx, asked.Hosts)
	if err != nil {
		return nil, err
	}
	for _, c := range clusters {
		machines, err := d.withClients(asked.Hosts, c)
		if err != nil {
			return nil, err
		}
		all = append(all, d.found(asked.Hosts, askOwn(ctx, machines))...)
	}
	return all, ctx.Err()
}

// ask asks all machines in parallel what runs on them.
func ask(ctx context.Context, machines []*machine) {
	var asking sync.WaitGroup
	for _, m := range machines {
		asking.Go(func() { m.ask(ctx) })
	}
	asking.Wait()
}

func (m *machine) ask(ctx context.Context) {
	var err error
	m.answer = answer{}
	if m.waiting, err = m.client.Waiting(ctx, m.Address); err != nil || m.waiting.State != "" {
		m.waits, m.unlike, m.failure = err == nil, etcd.HowUnlike(err), boot.Why(err)
		return
	}
	if m.voice.Status, err = m.client.Status(ctx, m.Address); err != nil {
		return
	}
	m.voice.Answers = true
	if m.voice.Members, err = m.client.Members(ctx, m.Address); err != nil {
		m.voice.Members = etcd.Members{} // a learner refuses this request
	}
}

// beat is the time after which all members know a change of the membership. A heartbeat of etcd is 100 ms.
const beat = 300 * time.Millisecond

// consult asks machines, and lets choose pick one of the answers. If machines are in touch with a leader but do not
// agree, it asks again after beat, because the membership may just have changed.
func consult(ctx context.Context, machines []*machine, choose func([]*etcdquorum.Answer) *etcdquorum.Answer) *etcdquorum.Answer {
	ask(ctx, machines)
	if knows := choose(voices(machines)); knows != nil || len(etcdquorum.WithLeader(voices(machines))) < 2 {
		return knows
	}
	select {
	case <-ctx.Done():
	case <-time.After(beat):
		ask(ctx, machines)
	}
	return choose(voices(machines))
}

func (m *machine) peerURL() string {
	scheme := "http://"
	if m.client.TLS != nil {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(m.Address, strconv.Itoa(etcd.PeerPort))
}
