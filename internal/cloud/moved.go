package cloud

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Probe notices changes of a project with small requests. It is a hint: a change that it does not notice, and an object that it does not see,
// prove nothing. At most one goroutine at a time may ask about each service.
type Probe struct {
	client *Client
	of     map[string]*serviceProbe // by catalog type; shared with the probes that Continue returns
	login  func() string            // see Login
	now    func() time.Time
}

// serviceProbe is what a probe knows about one service.
type serviceProbe struct {
	turn int
	seen map[string]seen // the last answers, by the question's path
	// tried are the questions that were asked, by their path.
	tried map[string]bool
	off   map[refusal]time.Time // questions that the service does not answer to a login, with the time when that login asks again
}

// refusal is a question that a service does not answer to a login.
type refusal struct{ login, path string }

// seen is what is kept of an answer.
type seen struct {
	at    time.Time        // of the answer, by the clock of the service
	sum   string           // of the whole answer
	keys  map[string]bool  // the objects in the answer, with their revisions
	count map[string]int64 // how much of each quota is used
}

// UnseenError says that a probe does not notice some changes, because the service does not answer a question of this user.
type UnseenError struct {
	Service string // catalog type
	// Collections are the paths of the collections whose changes the question shows; nil for all of the service.
	Collections []string
	// Err has the refusals.
	Err error
}

// Error implements error.
func (e *UnseenError) Error() string {
	return fmt.Sprintf("%s of the %s service: %v", e.Question(), e.Service, e.Err)
}

// Question says in words what the question shows.
func (e *UnseenError) Question() string {
	return cmp.Or(strings.Join(e.Collections, ", "), "created and deleted objects")
}

// Unwrap returns the refusals.
func (e *UnseenError) Unwrap() error { return e.Err }

// NewProbe returns a probe of the client's project.
func (c *Client) NewProbe() *Probe {
	p := &Probe{client: c, of: map[string]*serviceProbe{}, now: time.Now, login: sync.OnceValue(func() string {
		l := c.Login()
		return strings.Join(append([]string{l.User}, slices.Sorted(slices.Values(l.Roles))...), " ")
	})}
	for service := range questions {
		p.of[service] = &serviceProbe{}
	}
	return p
}

// overlap is the time before the last answer whose changes are asked for again. Services round times to seconds, and answer before a change is
// visible everywhere.
const overlap = 2 * time.Second

// ProbedServices returns the catalog types of the services that can be asked.
func ProbedServices() []string { return slices.Sorted(maps.Keys(questions)) }

// Continue returns a probe with the client of p that compares with the answers to another probe of the same project.
func (p *Probe) Continue(other *Probe) *Probe {
	return &Probe{client: p.client, of: other.of, login: p.login, now: p.now}
}

// Login identifies the user of the client, and the user's roles.
func (p *Probe) Login() string { return p.login() }

// Asks returns the number of questions to the service about collections that matter (see [kind.Info.Lists]), and whether one of them was never asked.
func (p *Probe) Asks(service string, matter map[string]bool) (questions int, untried bool) {
	list := p.list(service, matter)
	return len(list), slices.ContainsFunc(list, func(q *probeQuestion) bool {
		return !p.of[service].tried[q.path]
	})
}

// Moved asks a service one question, and returns the collections with objects that have changed since the question was asked before. Each call asks
// the next question. After the first answer to a question, its collections count as changed, because lists may be older than the answer. Collections that do not
// matter are left out. After an [UnseenError], this login does not ask the question for an hour.
func (p *Probe) Moved(ctx context.Context, service string, matter map[string]bool) (moved []string, err error) {
	q := p.next(service, matter)
	if q == nil {
		return nil, nil
	}
	one := p.of[service]
	if one.turn++; one.seen == nil {
		one.seen, one.tried, one.off = map[string]seen{}, map[string]bool{}, map[refusal]time.Time{}
	}
	one.tried[q.path] = true
	paths, changed, err := p.ask(context.WithValue(ctx, answeredOnce{}, true), service, q) // a service that is busy is asked later
	if refusesQuestion(err) {
		one.off[refusal{p.login(), q.path}] = p.now().Add(unansweredLasts)
		err = &UnseenError{Service: service, Collections: q.shows, Err: err}
	}
	if err != nil || !changed {
		return nil, err
	}
	return among(matter, service, paths), nil
}

// refusesQuestion reports whether an error means that the service never answers the question, or never answers this user. Other errors can pass.
func refusesQuestion(err error) bool {
	if errors.Is(err, kind.ErrForbidden) || errors.Is(err, kind.ErrGone) || errors.Is(err, kind.ErrNoService) || errors.Is(err, errTooOld) || errors.Is(err, errTooMany) {
		return true
	}
	answer := (*answerError)(nil)
	return errors.As(err, &answer) && answer.code == http.StatusBadRequest
}

// unansweredLasts is the time after which a question is asked again that the service has not answered. The reason may have been a wrong role, or an answer of a proxy.
const unansweredLasts = time.Hour

// next returns the question to ask next; nil if there is none. Questions that were never asked come first.
func (p *Probe) next(service string, matter map[string]bool) *probeQuestion {
	list := p.list(service, matter)
	if len(list) == 0 {
		return nil
	}
	one := p.of[service]
	for _, q := range list {
		if !one.tried[q.path] {
			return q
		}
	}
	return list[one.turn%len(list)]
}

// list returns the questions to a service.
func (p *Probe) list(service string, matter map[string]bool) (list []*probeQuestion) {
	one := p.of[service]
	if one == nil {
		return nil
	}
	now := p.now()
	var instead []*probeQuestion
	for i := range questions[service] {
		switch q := &questions[service][i]; {
		case len(one.off) > 0 && now.Before(one.off[refusal{p.login(), q.path}]) || !q.worth(service, matter):
		case q.instead:
			instead = append(instead, q)
		default:
			list = append(list, q)
		}
	}
	regular := list
	for _, q := range instead {
		if q.lacks(service, matter, regular) {
			list = append(list, q)
		}
	}
	return list
}
