package service

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/outbox"
)

// If a receiver already has a notification when the process is told to end, it does not get the notification again.
func TestANotificationOnItsWayIsNotSentTwice(t *testing.T) {
	got, answer := make(chan struct{}, 2), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		got <- struct{}{}
		<-answer
	}))
	defer receiver.Close()
	box := notice{Outbox: outbox.New("the receiver", notify.Judge, slog.New(slog.DiscardHandler))}
	n := &notices{boxes: map[string]notice{"chat": box}}
	box.put(notify.Receiver{URL: receiver.URL, Format: notify.Slack}, notify.Notification{Stack: "shop", State: "failed"})
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan struct{})
	go func() { n.serve(ctx); close(served) }()
	<-got
	stop()
	close(answer)
	<-served
	if n.flush(ctx); len(got) > 0 || box.Len() > 0 {
		t.Errorf("sent %d times more, and %d wait", len(got), box.Len())
	}
}
