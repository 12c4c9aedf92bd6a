package service

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/outbox"
	"github.com/stackreeve/stackreeve/internal/session"
)

// notices are the pending notifications, by rule: a receiver that is down does not delay the others.
type notices struct {
	boxes map[string]notice
	sent  *notify.Memory // the notifications that were sent; only for stacks that no other agent may serve
}

type notice struct {
	*outbox.Outbox
	crowd *notify.Crowd // nil if the receivers are programs
}

func newNotices(documents []config.Stack, dataDir string, log *slog.Logger) *notices {
	n := &notices{map[string]notice{}, notify.NewMemory()}
	if dataDir != "" {
		n.sent = notify.OpenMemory(filepath.Join(dataDir, "notified.json"))
	}
	for _, s := range documents[:min(1, len(documents))] { // all documents have the same rules
		for _, rule := range s.Notifications() {
			to := notice{Outbox: outbox.New("the receiver", notify.Judge, log.With("notification", rule.Name))}
			if rule.To.Format.ForPeople() {
				to.crowd = notify.NewCrowd(func(what notify.Notification) { to.put(rule.To, what) })
			}
			n.boxes[rule.Name] = to
		}
	}
	return n
}

// linkOf returns the address that notifications of a stack link to: its page, or the commit at its forge. It returns nil if both are
// unknown.
func linkOf(s *config.Stack) func(commit string) string {
	if page := strings.TrimSuffix(strings.TrimSuffix(s.Spec.Report.Page, "/"), "/ui"); page != "" {
		return func(string) string { return page + "/ui/#/stack/" + url.PathEscape(s.Name) }
	}
	if at := session.Browser(s); at.Known() {
		return at.Commit
	}
	return nil
}

// send queues a notification for delivery. It replaces an older notification about the same stack that is still queued.
func (n *notices) send(rule *notify.Rule, what notify.Notification) {
	to := n.boxes[rule.Name]
	if to.crowd != nil {
		to.crowd.Tell(what)
		return
	}
	to.put(rule.To, what)
}

func (n notice) put(to notify.Receiver, what notify.Notification) {
	n.Put(what.About(), func(ctx context.Context) error {
		ctx, end := withExtraTime(ctx)
		defer end()
		return to.Deliver(ctx, what)
	})
}

// withExtraTime returns a context that ends some time after the process was told to end. Most receivers cannot deduplicate, so a delivery in
// progress is allowed to finish.
func withExtraTime(ctx context.Context) (longer context.Context, end func()) {
	longer, end = context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			end()
			return
		}
		time.AfterFunc(endTime, end)
	})
	return longer, end
}

func (n *notices) each(do func(*outbox.Outbox)) {
	var all sync.WaitGroup
	for _, box := range n.boxes {
		all.Go(func() { do(box.Outbox) })
	}
	all.Wait()
}

func (n *notices) serve(ctx context.Context) { n.each(func(box *outbox.Outbox) { box.Serve(ctx) }) }

// flush delivers as many notifications as possible before the process ends.
func (n *notices) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	for _, box := range n.boxes {
		if box.crowd != nil {
			box.crowd.Flush()
		}
	}
	n.each(func(box *outbox.Outbox) { box.Flush(ctx) })
}
