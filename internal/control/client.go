package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/printable"
)

const (
	askTime   = 30 * time.Second
	maxAnswer = 1 << 20
)

var stackForm = pattern.Of(`^[a-z0-9-]+$`)

// Client sends requests to an agent.
type Client struct {
	server *url.URL
	token  string
	http   *http.Client
}

// NewClient returns a client for the agent at an address, with the token in a file. The token is sent unencrypted
// only if the address is this machine. caFile contains the certificates, in PEM, of authorities to trust in addition
// to the system's, or is "".
func NewClient(address, tokenFile, caFile string) (*Client, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%q is not an address; write it as https://host", address)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the address has more than a host and a path; give the token in a file")
	case u.Scheme == "http" && !outbound.Loopback(u.Hostname()):
		return nil, errors.New("the address is not encrypted, so others could read the token; use https (http is only for loopback addresses of this machine)")
	}
	token, err := tokenOf(tokenFile)
	if err != nil {
		return nil, err
	}
	trust, err := outbound.Trusting(caFile)
	if err != nil {
		return nil, err
	}
	transport := outbound.New(outbound.Config{TLS: trust, MaxAnswer: maxAnswer, Home: []string{u.Hostname()}})
	return &Client{server: u, token: token, http: outbound.Client(transport, askTime)}, nil
}

// Reconcile makes the agent reconcile a stack immediately.
func (c *Client) Reconcile(ctx context.Context, stack string) error {
	return c.ask(ctx, stack, "reconcile", "")
}

// Approve approves the held plan of a stack with this hash.
func (c *Client) Approve(ctx context.Context, stack, hash string) error {
	return c.ask(ctx, stack, "approve", hash)
}

// Replace requests the replacement of targets, such as Server/web-1, by the plan with a hash.
func (c *Client) Replace(ctx context.Context, stack, hash string, targets []string) error {
	return c.ask(ctx, stack, "replace", strings.Join(append([]string{hash}, targets...), "\n"))
}

// State reads the agent's report about a stack into a value.
func (c *Client) State(ctx context.Context, stack string, into any) error {
	resp, err := c.send(ctx, http.MethodGet, stack, "", "")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refusal(resp)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(into); err != nil {
		return fmt.Errorf("the agent's answer: %w", err)
	}
	return nil
}

func (c *Client) ask(ctx context.Context, stack, verb, body string) error {
	resp, err := c.send(ctx, http.MethodPost, stack, verb, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		return refusal(resp)
	}
	return nil
}

func (c *Client) send(ctx context.Context, method, stack, verb, body string) (*http.Response, error) {
	if !stackForm.MatchString(stack) {
		return nil, fmt.Errorf("%q cannot be a stack's name", stack)
	}
	address := c.server.JoinPath(Prefix, stack, verb).String()
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask the agent: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "text/plain")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the agent: %w", err)
	}
	return resp, nil
}

func refusal(resp *http.Response) error {
	const shown = 500
	text, err := io.ReadAll(io.LimitReader(resp.Body, shown))
	if err != nil {
		return fmt.Errorf("the agent answers %s: %w", resp.Status, err)
	}
	return fmt.Errorf("the agent answers %d: %s", resp.StatusCode, printable.Line(strings.TrimSpace(string(text))))
}
