package notify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/outbound"
)

// Receiver is the destination of notifications. Its files are read for each notification, so that their content
// can be replaced. Either URLFile or URL is set: an address that is itself a secret is in a file.
type Receiver struct {
	Format    Format
	URL       string
	URLFile   string
	TokenFile string // "" if there is none; for PagerDuty, the file with the routing key.
	Room      string // the room of Matrix
	Mail      *Mail  // the data of e-mail
}

// Format is the format that a receiver needs.
type Format string

// CloudEvents and PagerDuty are formats for programs: a notification carries its data. The other formats are texts
// for people.
const (
	CloudEvents Format = "webhook"
	Slack       Format = "slack"
	Teams       Format = "teams"
	PagerDuty   Format = "pagerDuty"
	Matrix      Format = "matrix"
	Email       Format = "email"
)

// ForPeople reports whether people read the messages, and not programs.
func (f Format) ForPeople() bool { return f == Slack || f == Teams || f == Matrix || f == Email }

// remembers reports whether the receiver stores a problem until a message ends it. The message may come from
// another process.
func (f Format) remembers() bool { return f == PagerDuty }

const (
	// limit is the time limit for sending to a receiver.
	limit = 15 * time.Second
	// maxSecret is the maximum number of bytes that are read from a file with an address or a token.
	maxSecret = 16 << 10
	// maxAnswer is the maximum number of bytes of an answer that are read.
	maxAnswer = 64 << 10
)

// Deliver sends a notification. Its error shows neither the address nor the token.
func (r *Receiver) Deliver(ctx context.Context, n Notification) error {
	address, token := r.URL, ""
	var err error
	if r.URLFile != "" {
		if address, err = secretIn(r.URLFile); err != nil {
			return err
		}
	}
	if r.TokenFile != "" {
		if token, err = secretIn(r.TokenFile); err != nil {
			return err
		}
	}
	to, err := url.Parse(address)
	if err == nil && r.Format == Email {
		return r.deliverMail(ctx, to, token, n)
	}
	if err != nil || to.Host == "" || to.Scheme != "https" && (to.Scheme != "http" || !outbound.Loopback(to.Hostname())) {
		return fmt.Errorf("%w: the receiver's address is not of the form https://host/path", ErrRefused)
	}
	method, body, kind := http.MethodPost, any(nil), "application/json"
	switch r.Format {
	case CloudEvents:
		body, kind = cloudEvent(n), "application/cloudevents+json; charset=utf-8"
	case Slack:
		body = slack(n)
	case Teams:
		body = teams(n)
	case PagerDuty:
		body, token = pagerDuty(n, token), ""
	case Matrix:
		method, body = http.MethodPut, matrix(n)
		to = to.JoinPath("_matrix/client/v3/rooms", url.PathEscape(r.Room), "send/m.room.message", id(n))
	case Email: // delivered in another way
	}
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return send(ctx, method, to, kind, token, text)
}

func secretIn(file string) (string, error) {
	text, err := localfile.Read(file, maxSecret)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err) // somebody may be replacing the file
	}
	return strings.TrimSpace(string(text)), nil
}

func send(ctx context.Context, method string, to *url.URL, kind, token string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: the receiver's address cannot be used", ErrRefused)
	}
	req.Header.Set("Content-Type", kind)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	transport := outbound.New(outbound.Config{MaxAnswer: maxAnswer, Home: []string{to.Hostname()}})
	defer transport.CloseIdleConnections()
	client := outbound.Client(transport, limit)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %s does not answer", ErrUnavailable, to.Hostname())
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // the answer is not shown, because it may repeat the request
	switch code := resp.StatusCode; {
	case code < 300:
		return nil
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500:
		return fmt.Errorf("%w: %s answers %s", ErrUnavailable, to.Hostname(), resp.Status)
	default:
		return fmt.Errorf("%w: %s answers %s", ErrRefused, to.Hostname(), resp.Status)
	}
}

// id returns the same text each time the same notification is sent, so that receivers can ignore duplicates.
func id(n Notification) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{n.About(), n.Commit, n.State, n.At.Format(time.RFC3339Nano)}, "\x00")))
	return hex.EncodeToString(sum[:16])
}
