// Package kubernetes reads and writes Leases (coordination.k8s.io/v1) at an API server of Kubernetes. Leases are
// the only kind of object that this program creates there. The package implements requests and answers, and does
// not depend on the purpose of a lease.
package kubernetes

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

// Lease is a Lease of Kubernetes with the fields that are used here. (k8s.io/api/coordination/v1: Lease)
type Lease struct {
	Metadata Metadata `json:"metadata"`
	Spec     Spec     `json:"spec"`
}

// Metadata contains the fields that every object has. Only the server writes UID, ResourceVersion and
// CreationTimestamp.
type Metadata struct {
	Name              string            `json:"name,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"` // another value after each change
	CreationTimestamp time.Time         `json:"creationTimestamp,omitzero"`
}

// Spec contains the holder of a lease, its duration and its times. RenewTime has microseconds, and is a time of
// the clock of the agent that wrote it.
type Spec struct {
	HolderIdentity       string `json:"holderIdentity,omitempty"`
	LeaseDurationSeconds int    `json:"leaseDurationSeconds,omitempty"`
	RenewTime            string `json:"renewTime,omitempty"`
}

// Moment returns a time in the format of a Lease. (k8s.io/apimachinery/pkg/apis/meta/v1: RFC3339Micro)
func Moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }

// Leases is a client for the Leases of one namespace.
type Leases struct {
	at     *url.URL
	client *http.Client
	token  func() (string, error)
}

const (
	// maxAnswer is the maximum size of an answer: 10,000 leases with 1.5 KiB each.
	maxAnswer = 16 << 20
	// patience is the time limit for an answer.
	patience = 20 * time.Second
)

// NewLeases returns a client for the Leases of a namespace. server is the address of the API server, such as
// https://10.96.0.1:443. If trust is nil, the client trusts the system's authorities and sends no certificate.
// token, unless nil, is called before each request, because tokens are replaced.
func NewLeases(server, namespace string, trust *tls.Config, token func() (string, error)) (*Leases, error) {
	at, err := url.Parse(server)
	if err != nil || at.Host == "" {
		return nil, fmt.Errorf("%q is not the address of an API server; write it as https://host:6443", server)
	}
	l := &Leases{at: at.JoinPath("apis/coordination.k8s.io/v1/namespaces", url.PathEscape(namespace), "leases"), token: token}
	return l.Through(outbound.New(outbound.Config{TLS: trust, MaxAnswer: maxAnswer, Home: []string{at.Hostname()}, ConnsPerHost: 4, HeaderTime: patience})), nil
}

// Through returns a client that sends its requests with the transport way.
func (l *Leases) Through(way http.RoundTripper) *Leases {
	return &Leases{at: l.at, token: l.token, client: outbound.Client(way, patience)}
}

// List returns all Leases with a label, as they were at one moment.
func (l *Leases) List(ctx context.Context, label, value string) ([]Lease, error) {
	at := *l.at
	at.RawQuery = url.Values{"labelSelector": {label + "=" + value}}.Encode()
	var got struct {
		Items    []Lease `json:"items"`
		Metadata struct {
			Continue string `json:"continue"`
		} `json:"metadata"`
	}
	err := l.ask(ctx, http.MethodGet, &at, "", nil, &got)
	if err == nil && got.Metadata.Continue != "" {
		err = fmt.Errorf("%s has answered with only a part of the leases", at.Host)
	}
	return got.Items, err
}

// Get returns the Lease with a name, or [ErrNotFound].
func (l *Leases) Get(ctx context.Context, name string) (one Lease, err error) {
	return one, l.ask(ctx, http.MethodGet, l.at.JoinPath(name), "", nil, &one)
}

// Create creates a Lease. It returns [ErrConflict] if there is already one with the same name.
func (l *Leases) Create(ctx context.Context, one Lease) error {
	return l.ask(ctx, http.MethodPost, l.at, "application/json", one, nil)
}

// Patch changes the Lease with this name: it writes the fields of change that are not empty. If change contains
// a UID or a resource version, the Lease must have the same one. Patch returns [ErrNotFound] if there is no such
// Lease, and [ErrConflict] if the Lease is a different one.
func (l *Leases) Patch(ctx context.Context, name string, change Lease) error {
	return l.ask(ctx, http.MethodPatch, l.at.JoinPath(name), "application/merge-patch+json", change, nil)
}

// Delete deletes the Lease if it is still the one that was read. It returns [ErrNotFound] if there is no such
// Lease, and [ErrConflict] if the Lease has changed.
func (l *Leases) Delete(ctx context.Context, seen Lease) error {
	type preconditions struct {
		UID             string `json:"uid"`
		ResourceVersion string `json:"resourceVersion"`
	}
	type options struct {
		Kind          string        `json:"kind"`
		APIVersion    string        `json:"apiVersion"`
		Preconditions preconditions `json:"preconditions"`
	}
	of := options{"DeleteOptions", "v1", preconditions{seen.Metadata.UID, seen.Metadata.ResourceVersion}}
	return l.ask(ctx, http.MethodDelete, l.at.JoinPath(seen.Metadata.Name), "application/json", of, nil)
}

func (l *Leases) ask(ctx context.Context, method string, at *url.URL, mediaType string, body, into any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", mediaType)
	}
	if l.token != nil {
		token, err := l.token()
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", at.Host, err)
	}
	if err := understand(resp.StatusCode, answer, into); err != nil {
		return fmt.Errorf("%s: %w", at.Host, err)
	}
	return nil
}
