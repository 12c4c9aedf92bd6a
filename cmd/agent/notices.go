package main

import (
	"context"
	"log/slog"
	"sync"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/notify"
)

// notices are the notifications that are not delivered yet, by rule: a receiver that is away holds up no other.
type notices map[string]*forge.Outbox

func newNotices(stacks []config.Stack, log *slog.Logger) notices {
	n := notices{}
	for _, s := range stacks[:min(1, len(stacks))] { // all have the same
		for _, rule := range s.Notifications() {
			n[rule.Name] = forge.NewOutboxTo("the receiver", log.With("notification", rule.Name))
		}
	}
	return n
}

// send has a notification delivered, and nothing older about its stack.
func (n notices) send(rule *notify.Rule, what notify.Notification) {
	n[rule.Name].Put(what.Stack, func(ctx context.Context) error { return rule.To.Deliver(ctx, what) })
}

func (n notices) each(do func(*forge.Outbox)) {
	var all sync.WaitGroup
	for _, box := range n {
		all.Go(func() { do(box) })
	}
	all.Wait()
}

func (n notices) serve(ctx context.Context) { n.each(func(box *forge.Outbox) { box.Serve(ctx) }) }

// flush delivers what it can before the process ends.
func (n notices) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	n.each(func(box *forge.Outbox) { box.Flush(ctx) })
}
