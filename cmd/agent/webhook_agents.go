package main

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/source/webhook"
)

// waking has a stack look for commits, if this agent serves it.
func (svc *service) waking(stacks []config.Stack, i int) func() {
	if svc.among == nil {
		return svc.stacks[i].Wake
	}
	return func() {
		if s, ok := svc.among.at(stacks[i].Name); ok {
			s.loop.Wake()
		}
	}
}

// pullsOf are the repositories of pull requests of stacks that this agent may serve: each stack has its own.
func (svc *service) pullsOf(stacks []config.Stack) (list []*pullHints) {
	for i := range stacks {
		name := stacks[i].Name
		for _, t := range svc.forges.targets(&stacks[i]) {
			list = append(list, newPullHints(t.forgeKey, func() *review.Repository {
				s, ok := svc.among.at(name)
				if !ok {
					return nil
				}
				return s.forges.at[t.forgeKey]
			}))
		}
	}
	return list
}

// concerned are the addresses of the other agents that serve stacks which an event may be about.
func (svc *service) concerned(known hinted, e webhook.Event) (addresses []string) {
	for _, f := range known.branches {
		h, ok := svc.among.Elsewhere(f.stack)
		if ok && h.Address != "" && (e.Kind == webhook.Any || f.at(e.Repository)) && !slices.Contains(addresses, h.Address) {
			addresses = append(addresses, h.Address)
		}
	}
	return addresses
}
