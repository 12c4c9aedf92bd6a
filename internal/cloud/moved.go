package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Probe notices changes of a project with one small request to a service. It is a hint: a change that it does not notice, and an object that it
// does not see, prove nothing. One goroutine at a time may use it.
//
//	service                 request                                  notices
//	----------------------  ---------------------------------------  ---------------------------------------------------
//	compute                 servers?changes-since=…, at most one     changes and deletions of servers; not of their tags
//	network, block-storage  the quotas with their use                created and deleted objects, and the sizes of volumes
type Probe struct {
	client *Client
	since  string // by the clock of the compute service; "" before its first answer
	used   map[string]map[string]int64
	lacks  map[string]bool // services that do not exist, or do not answer this user
	unseen *UnseenError    // an error that was not returned yet; nil if there is none
}

// UnseenError says that a probe never notices the changes of some services, because the user has no permission to ask them. All other services
// were asked.
type UnseenError struct {
	// Services are catalog types.
	Services []string
	// Err are the refusals.
	Err error
}

// Error implements error.
func (e *UnseenError) Error() string {
	return "no permission to ask " + strings.Join(e.Services, " and ") + ": " + e.Err.Error()
}

// Unwrap returns the refusals.
func (e *UnseenError) Unwrap() error { return e.Err }

// NewProbe returns a probe of the client's project.
func (c *Client) NewProbe() *Probe {
	return &Probe{client: c, used: map[string]map[string]int64{}, lacks: map[string]bool{}}
}

// overlap is the time before the last probe whose changes are asked for again. Services round times to seconds, and answer before a change is
// visible everywhere.
const overlap = 2 * time.Second

// Moved reports whether something has changed since the last call. It asks every service, even if one of them has changed or fails. The first call
// only learns the present state. An [UnseenError] is returned once.
func (p *Probe) Moved(ctx context.Context) (moved bool, err error) {
	for _, service := range []string{Compute, Network, BlockStorage} {
		if p.lacks[service] {
			continue
		}
		ask := p.usedMoved
		if service == Compute {
			ask = p.serversMoved
		}
		changed, failed := ask(ctx, service)
		if errors.Is(failed, kind.ErrNoService) || errors.Is(failed, kind.ErrForbidden) {
			p.refused(service, failed)
			failed = nil
		}
		moved, err = moved || changed, errors.Join(err, failed)
	}
	if err == nil && p.unseen != nil {
		err, p.unseen = p.unseen, nil
	}
	return moved, err
}

// refused stores that a service does not exist, or does not answer this user.
func (p *Probe) refused(service string, err error) {
	p.lacks[service] = true
	if errors.Is(err, kind.ErrNoService) {
		return
	}
	if p.unseen == nil {
		p.unseen = &UnseenError{}
	}
	p.unseen.Services, p.unseen.Err = append(p.unseen.Services, service), errors.Join(p.unseen.Err, err)
}

// serversMoved asks Nova for one server that has changed, or was deleted, since the last answer.
func (p *Probe) serversMoved(ctx context.Context, service string) (bool, error) {
	first, since := p.since == "", p.since
	if first {
		since = time.Now().UTC().Format(time.RFC3339)
	}
	var answer struct {
		Servers []json.RawMessage `json:"servers"`
	}
	path := "servers?" + url.Values{"limit": {"1"}, "changes-since": {since}}.Encode()
	headers, err := p.client.do(ctx, Call{Service: service, Method: http.MethodGet, Path: path, Into: &answer})
	if err != nil {
		return false, err
	}
	now, err := http.ParseTime(headers.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	p.since = now.Add(-overlap).UTC().Format(time.RFC3339)
	return !first && len(answer.Servers) > 0, nil
}

// usedMoved compares how much of each quota is used with the last answer.
func (p *Probe) usedMoved(ctx context.Context, service string) (bool, error) {
	quotas, err := p.client.Quotas(ctx, service)
	if err != nil {
		return false, err
	}
	used := map[string]int64{}
	for name, q := range quotas {
		used[name] = q.Used
	}
	before, known := p.used[service]
	p.used[service] = used
	return known && !maps.Equal(before, used), nil
}
