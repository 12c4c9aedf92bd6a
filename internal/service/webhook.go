package service

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/source/webhook"
)

// followedBranch is a branch that the stacks of a document follow. If the branch may have changed, pace limits how often they are woken.
type followedBranch struct {
	repositories []string // owner/name, in every form that a forge may use
	branch       string   // "" for the repository's default branch
	pace         *agent.Pace
	document     string
}

// hintTargets contains the branches of stacks and the repositories of pull requests that messages may be about. Their number depends only on the
// configuration, not on the messages.
type hintTargets struct {
	branches []followedBranch
	pulls    []*pullHints
}

// setUpWebhooks sets up the endpoint for webhooks, if it is configured.
func (svc *service) setUpWebhooks(f Options) (err error) {
	switch {
	case f.WebhookSecret == "":
		return nil
	case f.Listen.Address == "":
		return errors.New("--webhook-secret-file: there is no --listen, so no webhook can arrive; give it an address")
	}
	var known hintTargets
	for i := range svc.documents {
		d := &svc.documents[i]
		wake := func() { svc.wake(d.Name) }
		if d.PerFolder() {
			wake = svc.requestLook(d.Name)
		}
		known.branches = append(known.branches, followedBranch{repositories(d), d.Spec.Source.Branch, agent.NewPace(wake), d.Name})
		for _, t := range svc.forges.reporting().Targets(d) {
			if !slices.ContainsFunc(known.pulls, func(h *pullHints) bool { return h.ForgeKey == t.ForgeKey }) {
				known.pulls = append(known.pulls, newPullHints(t.ForgeKey, func() []*review.Repository { return svc.reviewing(t.ForgeKey) }))
			}
		}
	}
	var forward func(webhook.Event, webhook.Message)
	if svc.group != nil {
		forward = func(e webhook.Event, m webhook.Message) { svc.group.forward.send(svc.otherServers(known, e), m) }
	}
	secrets := func() ([]string, error) { return webhook.Secrets(f.WebhookSecret) }
	svc.looks = svc.receiveLook(secrets)
	svc.hooks, err = webhook.New(webhook.Config{
		Secrets: secrets,
		Notify:  func(e webhook.Event) { svc.wakeFor(known, e) },
		Count:   func(from webhook.Forge, o webhook.Outcome) { svc.metrics.Webhook(string(from), string(o)) },
		Log:     svc.log, Forward: forward,
	})
	if err != nil {
		return fmt.Errorf("--webhook-secret-file: %w", err)
	}
	return nil
}

// wakeFor wakes the stacks and the reviews that an event may be about. The content of the event is not trusted.
func (svc *service) wakeFor(known hintTargets, e webhook.Event) {
	svc.log.Debug("webhook", "forge", string(e.Forge), "event", e.Kind.String(), "repository", e.Repository, "branch", e.Branch, "number", e.Number)
	if e.Kind == webhook.Push || e.Kind == webhook.Any {
		for _, f := range known.branches {
			if e.Kind == webhook.Any || f.isIn(e.Repository) && (f.branch == "" || f.branch == e.Branch) {
				f.pace.Hint()
			}
		}
	}
	if e.Kind != webhook.Push {
		for _, h := range known.pulls {
			h.add(e)
		}
	}
}

func (f followedBranch) isIn(repository string) bool {
	return repository != "" && slices.ContainsFunc(f.repositories, func(name string) bool {
		name, repository := strings.ToLower(name), strings.ToLower(repository)
		return name == repository || strings.HasSuffix(name, "/"+repository) // a forge may have a path before the names of its repositories
	})
}

// pullHints collects the numbers of a repository's pull requests that messages are about.
type pullHints struct {
	session.ForgeKey
	pace    *agent.Pace
	mu      sync.Mutex
	numbers map[int]bool
}

// maxPendingPulls is the maximum number of pull requests that are stored until the next visit. The visit finds other changed pull
// requests, too, unless their only change is a new comment.
const maxPendingPulls = 1000

func newPullHints(key session.ForgeKey, at func() []*review.Repository) *pullHints {
	h := &pullHints{ForgeKey: key, numbers: map[int]bool{}}
	h.pace = agent.NewPace(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, r := range at() {
			for number := range h.numbers {
				r.Notify(number)
			}
			r.Wake()
		}
		clear(h.numbers)
	})
	return h
}

// add stores an event that may be about a pull request of the repository.
func (h *pullHints) add(e webhook.Event) {
	if h.Kind != string(e.Forge) || e.Kind != webhook.Any && !strings.EqualFold(h.Repository, e.Repository) {
		return
	}
	h.mu.Lock()
	if e.Number > 0 && len(h.numbers) < maxPendingPulls {
		h.numbers[e.Number] = true
	}
	h.mu.Unlock()
	h.pace.Hint()
}

// repositories returns the names by which a forge may know a stack's repository: those in its reports, and the path of its address.
func repositories(s *config.Stack) (names []string) {
	for _, a := range s.Spec.Report.Forges() {
		names = append(names, a.Repository)
	}
	return append(names, pathOf(s.Spec.Source.URL))
}

// pathOf returns the path of a repository's address, without .git. The path of https://host/a/b.git and of git@host:a/b.git is a/b.
func pathOf(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		_, address, _ = strings.Cut(rest, "/")
	} else if _, path, ok := strings.Cut(address, ":"); ok {
		address = path
	}
	return strings.TrimSuffix(strings.Trim(address, "/"), ".git")
}

// wake makes the stacks of a document that this agent serves look for new commits.
func (svc *service) wake(document string) {
	for _, name := range svc.roster.names(document) {
		if s, ok := svc.roster.servedAs(name); ok {
			s.loop.Wake()
		}
	}
}

// reviewing returns the repositories on a forge whose pull requests this agent visits. If stacks are shared, each stack has its own
// repository.
func (svc *service) reviewing(key session.ForgeKey) (list []*review.Repository) {
	if svc.group == nil {
		return []*review.Repository{svc.forges.byKey[key]}
	}
	for _, s := range svc.roster.serving() {
		if r := s.forges.byKey[key]; r != nil {
			list = append(list, r)
		}
	}
	return list
}

// otherServers returns the addresses of the other agents that serve stacks which an event may be about.
func (svc *service) otherServers(known hintTargets, e webhook.Event) (addresses []string) {
	for _, f := range known.branches {
		if e.Kind != webhook.Any && !f.isIn(e.Repository) {
			continue
		}
		for _, name := range svc.roster.names(f.document) {
			if h, ok := svc.group.ServedByOther(name); ok && h.Address != "" && !slices.Contains(addresses, h.Address) {
				addresses = append(addresses, h.Address)
			}
		}
	}
	return addresses
}
