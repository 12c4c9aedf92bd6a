package service

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/source/webhook"
)

// forwarder forwards webhooks to the agents that serve the affected stacks. If a webhook does not arrive, their polls find the change.
type forwarder struct {
	client *http.Client
	slots  chan struct{}
	log    *slog.Logger
}

const (
	// maxForwards is the maximum number of webhooks that are sent at the same time, and forwardTime is the time limit for one.
	maxForwards = 8
	forwardTime = 10 * time.Second
	// maxForwarded is the maximum number of agents that get one webhook.
	maxForwarded = 20
)

// newForwarder returns a forwarder that trusts the certificates in caFile, or those of the system if caFile is "". The argument own is the address of
// this agent. If it is on this machine, the addresses of other agents may be on this machine, too.
func newForwarder(caFile, own string, log *slog.Logger) (*forwarder, error) {
	roots, err := certificates(caFile)
	if err != nil {
		return nil, err
	}
	home := []string{"none.invalid"}
	if u, err := url.Parse(own); err == nil && outbound.Loopback(u.Hostname()) {
		home = append(home, "127.0.0.1", "::1", "localhost")
	}
	transport := outbound.New(outbound.Config{TLS: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}, MaxAnswer: 64 << 10, Home: home, ConnsPerHost: 4, HeaderTime: forwardTime})
	return &forwarder{outbound.Client(transport, forwardTime), make(chan struct{}, maxForwards), log}, nil
}

// send starts to send a webhook, and returns without waiting for the answers.
func (f *forwarder) send(to []string, m webhook.Message) {
	for _, address := range to[:min(len(to), maxForwarded)] {
		select {
		case f.slots <- struct{}{}:
			go func() {
				defer func() { <-f.slots }()
				f.sendOne(address, m)
			}()
		default:
			f.log.Debug("a webhook is not forwarded: too many webhooks are being forwarded", "to", address)
		}
	}
}

func (f *forwarder) sendOne(address string, m webhook.Message) {
	ctx, cancel := context.WithTimeout(context.Background(), forwardTime)
	defer cancel()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !outbound.Loopback(u.Hostname())) {
		f.log.Debug("a webhook is not forwarded: the other agent has no valid address", "to", address)
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.JoinPath(m.Path).String(), bytes.NewReader(m.Body))
	if err != nil {
		return
	}
	req.Header = m.Header.Clone()
	resp, err := f.client.Do(req)
	var sent *url.Error
	if errors.As(err, &sent) {
		err = sent.Err // the full error contains the path, which may contain the secret
	}
	if err != nil {
		f.log.Debug("a webhook did not reach the agent that serves its stack; that agent finds the change with its next poll", "to", address, "error", err)
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // so that the connection can be used again
	if resp.StatusCode >= http.StatusBadRequest {
		f.log.Warn("another agent refuses a forwarded webhook; give all agents the same --webhook-secret-file", "to", address, "code", resp.StatusCode)
	}
}
