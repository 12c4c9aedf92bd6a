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
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Probe notices changes of a project with small requests. It is a hint: a change that it does not notice, and an object that it does not see,
// prove nothing. At most one goroutine at a time may ask about each service.
type Probe struct {
	client *Client
	of     map[string]*serviceProbe // by catalog type
}

// serviceProbe is what a probe knows about one service.
type serviceProbe struct {
	turn int
	seen map[string]seen // the last answers, by the question's path
	off  map[string]bool // questions that the service does not answer, by their path
}

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
	p := &Probe{client: c, of: map[string]*serviceProbe{}}
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

// Asks reports whether there is a question to the service about one of the collections that matter (see
// [kind.Info.Lists]).
func (p *Probe) Asks(service string, matter map[string]bool) bool {
	return p.next(service, matter) != nil
}

// Moved asks a service one question, and returns the collections with objects that have changed since the question was asked before. Each call asks
// the next question. The first answer to a question only shows the present state. Collections that do not matter are left out. An [UnseenError] is
// returned once for each question.
func (p *Probe) Moved(ctx context.Context, service string, matter map[string]bool) (moved []string, err error) {
	q := p.next(service, matter)
	if q == nil {
		return nil, nil
	}
	one := p.of[service]
	if one.turn++; one.seen == nil {
		one.seen, one.off = map[string]seen{}, map[string]bool{}
	}
	paths, changed, err := p.ask(context.WithValue(ctx, answeredOnce{}, true), service, q) // a service that is busy is asked later
	if refusesQuestion(err) {
		one.off[q.path] = true
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

// next returns the question to ask next; nil if there is none.
func (p *Probe) next(service string, matter map[string]bool) *probeQuestion {
	one := p.of[service]
	if one == nil {
		return nil
	}
	var list, instead []*probeQuestion
	for i := range questions[service] {
		switch q := &questions[service][i]; {
		case one.off[q.path] || !q.worth(service, matter):
		case q.instead:
			instead = append(instead, q)
		default:
			list = append(list, q)
		}
	}
	for _, q := range instead {
		if q.lacks(service, matter, list) {
			list = append(list, q)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[one.turn%len(list)]
}
