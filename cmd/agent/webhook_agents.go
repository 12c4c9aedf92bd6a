package main

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/source/webhook"
)

// wake has the stacks of a document look for commits that this agent serves.
func (svc *service) wake(document string) {
	for _, name := range svc.roster.names(document) {
		if s, ok := svc.roster.at(name); ok {
			s.loop.Wake()
		}
	}
}

// reviewing are the repositories of pull requests on a forge that this agent visits: where stacks are shared, each has its own.
func (svc *service) reviewing(key forgeKey) (list []*review.Repository) {
	if svc.among == nil {
		return []*review.Repository{svc.forges.at[key]}
	}
	for _, s := range svc.roster.serving() {
		if r := s.forges.at[key]; r != nil {
			list = append(list, r)
		}
	}
	return list
}

// concerned are the addresses of the other agents that serve stacks which an event may be about.
func (svc *service) concerned(known hinted, e webhook.Event) (addresses []string) {
	for _, f := range known.branches {
		if e.Kind != webhook.Any && !f.at(e.Repository) {
			continue
		}
		for _, name := range svc.roster.names(f.document) {
			if h, ok := svc.among.Elsewhere(name); ok && h.Address != "" && !slices.Contains(addresses, h.Address) {
				addresses = append(addresses, h.Address)
			}
		}
	}
	return addresses
}
