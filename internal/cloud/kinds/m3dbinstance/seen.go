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

// answers is the answers of a cluster's machines about its placement.
type answers struct {
	answers  []answer
	answered map[string]bool   // addresses at which a coordinator answered
	failures map[string]string // by address: why the machine cannot start M3DB, if the machine reports a reason
	whole    map[string]bool   // addresses of nodes that have read all their data
	agreed   *answer
	bare     bool // the cluster has no namespace yet, and shards wait for the first one
}

type answer = member.Answer[*m3.Placement]

func ask(ctx context.Context, at m3.Client, addresses []string) answers {
	s := answers{answers: member.Everywhere(ctx, addresses, at.Placement), answered: map[string]bool{}, failures: map[string]string{}, whole: map[string]bool{}}
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

// waitsForNamespace reports whether shards wait because the cluster has no namespace. In M3DB, nodes take their shards only once the first namespace exists.
func waitsForNamespace(ctx context.Context, at m3.Client, s answers) bool {
	p := s.placement()
	if p == nil || p.Unsettled() == nil {
		return false
	}
	namespaces, err := at.Namespaces(ctx, s.agreed.Address)
	return err == nil && len(namespaces) == 0
}

// placement is the placement that most machines report; nil if most report none, or if no answer has a majority.
func (s answers) placement() *m3.Placement {
	if s.agreed == nil {
		return nil
	}
	return s.agreed.Said
}

var errDisagree = fmt.Errorf("%w: no machine of the cluster answers, or they do not agree", kind.ErrBusy)

// checkQuiet returns why no instance except besides may change now: shards are moving, a machine does not answer, or a node has not read its data.
// Coordinators themselves check whether shards move. They do not check the machines, and if one is down, its shards would have too few replicas
// during the change.
func (s answers) checkQuiet(besides string) error {
	p := s.placement()
	if p == nil {
		return errDisagree
	}
	if h := p.Unsettled(); h != nil {
		return fmt.Errorf("%w: shards of %s are being added or removed", kind.ErrBusy, h.ID)
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
