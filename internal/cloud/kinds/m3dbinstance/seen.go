package m3dbinstance

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// seen is what the machines of a cluster say of its placement.
type seen struct {
	answers  []answer
	answered map[string]bool   // addresses
	failures map[string]string // why the machine at an address cannot begin, as it says
	whole    map[string]bool   // those whose nodes have their data
	agreed   *answer
	bare     bool // shards wait for the first namespace
}

type answer = member.Answer[*m3.Placement]

func look(ctx context.Context, at m3.Client, addresses []string) seen {
	s := seen{answers: member.Everywhere(ctx, addresses, at.Placement), answered: map[string]bool{}, failures: map[string]string{}, whole: map[string]bool{}}
	var there []string
	for _, a := range s.answers {
		if s.answered[a.Address] = a.Err == nil; a.Err == nil {
			there = append(there, a.Address)
		}
		s.failures[a.Address] = boot.Why(a.Err)
	}
	for _, a := range member.Everywhere(ctx, there, at.Bootstrapped) {
		s.whole[a.Address] = a.Err == nil && a.Said
	}
	if same := member.Agreed(s.answers, (*m3.Placement).Alike); len(same) > 0 {
		newest := slices.MaxFunc(same, func(a, b answer) int { return cmp.Compare(version(a.Said), version(b.Said)) })
		s.agreed = &newest
	}
	return s
}

func version(p *m3.Placement) int {
	if p == nil {
		return 0
	}
	return p.Version
}

// bare reports a cluster without a namespace, whose nodes take no shards: M3DB starts with the first one. It asks only where shards wait.
func bare(ctx context.Context, at m3.Client, s seen) bool {
	p := s.placement()
	if p == nil || p.Unsettled() == nil {
		return false
	}
	namespaces, err := at.Namespaces(ctx, s.agreed.Address)
	return err == nil && len(namespaces) == 0
}

// placement is what most say; nil when there is none, or nothing that most say.
func (s seen) placement() *m3.Placement {
	if s.agreed == nil {
		return nil
	}
	return s.agreed.Said
}

var errDisagree = fmt.Errorf("%w: no machine of the cluster answers, or they do not agree", kind.ErrBusy)

// calm returns why nothing may change now, besides one instance: shards are moving, a machine does not answer, or it has not read its data. Coordinators
// check themselves whether shards move. They do not check the machines, whose shards the others would miss.
func (s seen) calm(besides string) error {
	p := s.placement()
	if p == nil {
		return errDisagree
	}
	if h := p.Unsettled(); h != nil {
		return fmt.Errorf("%w: shards of %s are coming or going", kind.ErrBusy, h.ID)
	}
	for _, h := range p.Instances {
		switch {
		case h.ID == besides:
		case !s.answered[h.Address]:
			return fmt.Errorf("%w: %s", kind.ErrBusy, member.Failure("the machine at "+h.Address, s.failures[h.Address], "the machine of "+h.ID+" does not answer"))
		case !s.whole[h.Address]:
			return fmt.Errorf("%w: the node of %s has not read its data", kind.ErrBusy, h.ID)
		}
	}
	return nil
}
