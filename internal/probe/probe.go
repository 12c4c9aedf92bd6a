// Package probe checks whether machines work. It implements addresses and protocols. Package rollout
// (reconcile/rollout) decides what to do after an answer.
//
//	tcp          a connection is accepted
//	http, https  an answer with a status from 200 to 399 begins; certificates are not verified,
//	             redirects not followed
//	grpc         the gRPC health checking protocol, in HTTP/2 without TLS, says SERVING
package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Asker checks machines. The zero value refuses addresses of the agent's own machine.
type Asker struct{ Machines outbound.Machines }

// Ask returns nil if the machine at an IP address passes the probe within the probe's timeout. Its error
// contains no address, and no text of the machine except a status.
func (a Asker) Ask(ctx context.Context, address string, p rollout.Probe) error {
	ctx, stop := context.WithTimeout(ctx, p.Timeout)
	defer stop()
	err := a.ask(ctx, net.JoinHostPort(address, strconv.Itoa(p.Port)), p)
	var connecting *net.OpError
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no answer within %s", p.Timeout)
	case errors.As(err, &connecting) && connecting.Op == "dial" && !errors.Is(err, outbound.ErrRefused):
		return connecting.Err
	case errors.Is(err, outbound.ErrRefused), errors.As(err, new(status)), errors.As(err, new(health)):
		return err
	}
	return fmt.Errorf("no answer in %s", strings.ToUpper(p.Type)) // the error may repeat a text of the machine
}

// status is the error for an HTTP status that means failure.
type status int

func (s status) Error() string { return fmt.Sprintf("status %d", int(s)) }

func (a Asker) ask(ctx context.Context, at string, p rollout.Probe) error {
	if p.Type == "tcp" {
		conn, err := a.Machines.Dial(ctx, "tcp", at)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	if p.Type == "grpc" {
		return a.health(ctx, at, p)
	}
	to := url.URL{Scheme: p.Type, Host: at, Path: "/"}
	to.Path, to.RawQuery, _ = strings.Cut(p.Path, "?")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return errors.New("cannot be asked for that path")
	}
	req.Host = p.Host
	req.Header.Set("User-Agent", "stackreeve-probe")
	resp, err := a.Machines.Do(req, p.Host)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 399 {
		return status(resp.StatusCode)
	}
	return nil
}
