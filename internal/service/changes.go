package service

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/events"
	"github.com/stackreeve/stackreeve/internal/events/rabbit"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
)

// changes passes the messages of the clouds' services on to the stacks that this agent serves. Stacks with the same configuration have the same
// source of messages.
type changes struct {
	log     *slog.Logger
	metrics *report.Metrics
	sources map[string]config.AMQP // by their configuration

	mu     sync.Mutex
	stacks map[*hearing]bool
	names  map[string]*userNames              // by the source; the map does not change
	states map[string]map[string]rabbit.State // by the source and the virtual host
}

func newChanges(documents []config.Stack, log *slog.Logger, metrics *report.Metrics) *changes {
	c := &changes{log: log, metrics: metrics, sources: map[string]config.AMQP{}, stacks: map[*hearing]bool{}, names: map[string]*userNames{}, states: map[string]map[string]rabbit.State{}}
	for i := range documents {
		if a := documents[i].Spec.Events.AMQP; a != nil {
			c.sources[sourceOf(a)] = a.WithDefaults()
			c.names[sourceOf(a)] = &userNames{}
		}
	}
	return c
}

// sourceOf identifies a source by its configuration, which contains no secrets.
func sourceOf(a *config.AMQP) string {
	text, _ := json.Marshal(a) // of plain fields
	return string(text)
}

// join returns the hearing of a stack. Until leave is called, it gets the messages of the stack's source, if there is one.
func (c *changes) join(s *config.Stack, look func(engine.Moved)) (h *hearing, leave func()) {
	a := s.Spec.Events.AMQP
	if a == nil {
		return newHearing("", look), func() {}
	}
	h = newHearing(sourceOf(a), look)
	c.mu.Lock()
	defer c.mu.Unlock()
	if names := c.names[h.from]; names != nil {
		h.names = names
	}
	c.stacks[h] = true
	return h, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.stacks, h)
	}
}

// of returns the stacks with a source.
func (c *changes) of(source string) (list []*hearing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for h := range c.stacks {
		if h.from == source {
			list = append(list, h)
		}
	}
	return list
}

// serve reads the messages of all sources until ctx ends.
func (c *changes) serve(ctx context.Context) {
	var all sync.WaitGroup
	for source, a := range c.sources {
		all.Go(func() { c.serveSource(ctx, source, a) })
	}
	all.Wait()
}

// sourceAgain is the interval at which the files of a source are read again, while they are missing or wrong.
const sourceAgain = 30 * time.Second

func (c *changes) serveSource(ctx context.Context, source string, a config.AMQP) {
	for ctx.Err() == nil {
		list, err := c.readers(source, a)
		if err != nil {
			c.changed(source, "", rabbit.State{Err: err})
			_ = backoff.Wait(ctx, sourceAgain) // the loop notices the end of ctx
			continue
		}
		var all sync.WaitGroup
		for _, r := range list {
			all.Go(func() { r.Serve(ctx) })
		}
		all.Wait()
	}
}

// readers returns a reader for each virtual host of a source.
func (c *changes) readers(source string, a config.AMQP) (list []*rabbit.Reader, err error) {
	login, err := a.Login()
	if err != nil {
		return nil, err
	}
	server := rabbit.Server{
		Addresses: login.Servers, Exchanges: a.Exchanges, Topics: a.Topics,
		Login: func() (string, string, error) { l, err := a.Login(); return l.User, l.Password, err },
	}
	if login.TLS {
		if server.TLS, err = tlsConfig(a.CAFile, a.CertFile, a.KeyFile); err != nil {
			return nil, fmt.Errorf("spec.events.amqp: %w", err)
		}
	}
	vhosts := a.VHosts
	if len(vhosts) == 0 {
		vhosts = []string{login.VHost}
	}
	for _, vhost := range vhosts {
		server.VHost = vhost
		list = append(list, &rabbit.Reader{
			Server: server, Log: c.log.With("vhost", vhost),
			Received: func(body []byte) { c.received(source, body) }, Missed: func() { c.missed(source) },
			Changed: func(s rabbit.State) { c.changed(source, vhost, s) },
		})
	}
	return list, nil
}

// received passes a message on to the stacks that it concerns.
func (c *changes) received(source string, body []byte) {
	look, ok, err := events.Decode(body)
	switch {
	case err != nil:
		c.metrics.Notification("unreadable")
		return
	case !ok:
		c.metrics.Notification("no_change")
		return
	}
	if names := c.names[source]; names != nil {
		names.learn(look.Who)
	}
	most, now := events.Never, time.Now()
	for _, h := range c.of(source) {
		most = max(most, h.hear(look, now))
	}
	c.metrics.Notification(map[events.Urgency]string{events.Never: "unrelated", events.Settled: "later", events.Later: "later", events.Now: "now"}[most])
}

// missed makes all stacks with a source look, because messages may have been lost.
func (c *changes) missed(source string) {
	c.metrics.Notification("missed")
	for _, h := range c.of(source) {
		h.miss()
	}
}

// changed stores and logs whether the messages of a virtual host are read.
func (c *changes) changed(source, vhost string, s rabbit.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.states[source] == nil {
		c.states[source] = map[string]rabbit.State{}
	}
	c.states[source][vhost] = s
	c.metrics.Reading(vhost, s.Reading)
	switch missing := strings.Join(s.Missing, ", "); {
	case s.Reading:
		c.log.Info("changes in the cloud are noticed by notifications", "vhost", vhost, "missing_exchanges", missing)
	case s.Err != nil:
		c.log.Warn("notifications are not read; until they are, changes in the cloud are noticed by probes, or by the next drift check", "vhost", vhost, "error", s.Err.Error())
	default:
		c.log.Warn("none of the exchanges exists, so changes in the cloud are noticed by probes, or by the next drift check; turn on notifications in the services", "vhost", vhost, "missing_exchanges", missing)
	}
}

// noticedBy says how changes in the cloud of a stack are noticed now: by notifications, else by probes, or only by drift checks.
func (c *changes) noticedBy(source string, probes bool) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, vhost := range slices.Sorted(maps.Keys(c.states[source])) {
		if c.states[source][vhost].Reading {
			return "notifications"
		}
	}
	if probes {
		return "probes"
	}
	return "drift checks"
}
