package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/source/webhook"
)

// followed is a branch that a stack follows, and whom to wake when it moves.
type followed struct {
	repositories []string // owner/name, by any name under which it may be known
	branch       string   // "" for the repository's own
	stack        *agent.Stack
}

// receive makes the endpoint of webhooks, if they are asked for.
func (svc *service) receive(stacks []config.Stack, f runFlags) (err error) {
	switch {
	case f.webhookSecret == "":
		return nil
	case f.listen == "":
		return errors.New("--webhook-secret-file: there is no --listen, so nobody can send webhooks; give it an address")
	}
	var known []followed
	for i := range stacks {
		known = append(known, followed{repositories(&stacks[i]), stacks[i].Spec.Source.Branch, svc.stacks[i]})
	}
	svc.hooks, err = webhook.New(webhook.Config{
		Secrets: func() ([]string, error) { return webhook.Secrets(f.webhookSecret) },
		Notify:  func(e webhook.Event) { svc.woken(known, e) },
		Count:   func(from webhook.Forge, o webhook.Outcome) { svc.metrics.Webhook(string(from), string(o)) },
		Log:     svc.log,
	})
	if err != nil {
		return fmt.Errorf("--webhook-secret-file: %w", err)
	}
	return nil
}

// woken looks at what an event may be about. What it claims is not believed.
func (svc *service) woken(known []followed, e webhook.Event) {
	svc.log.Debug("webhook", "forge", string(e.Forge), "event", e.Kind.String(), "repository", e.Repository, "branch", e.Branch, "number", e.Number)
	if e.Kind != webhook.Push {
		svc.forges.wake(e)
		return
	}
	for _, f := range known {
		if f.at(e.Repository) && (f.branch == "" || f.branch == e.Branch) {
			f.stack.Wake()
		}
	}
}

func (f followed) at(repository string) bool {
	return slices.ContainsFunc(f.repositories, func(name string) bool { return strings.EqualFold(name, repository) })
}

// wake looks at the pull requests of an event's repository.
func (f *forges) wake(e webhook.Event) {
	for key, r := range f.at {
		if key.kind == string(e.Forge) && strings.EqualFold(key.repository, e.Repository) {
			r.Heard(e.Number)
		}
	}
}

// repositories are the names under which a forge may know a stack's
// repository: that of its reports, and the end of its address.
func repositories(s *config.Stack) (names []string) {
	if g := s.Spec.Report.GitHub; g != nil {
		names = append(names, g.Repository)
	}
	if g := s.Spec.Report.Gitea; g != nil {
		names = append(names, g.Repository)
	}
	parts := strings.FieldsFunc(strings.TrimSuffix(strings.TrimRight(s.Spec.Source.URL, "/"), ".git"), func(r rune) bool { return r == '/' || r == ':' })
	if n := len(parts); n >= 2 {
		names = append(names, parts[n-2]+"/"+parts[n-1])
	}
	return names
}
