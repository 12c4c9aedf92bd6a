package pulls

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// people remembers for a while who may push.
type people struct {
	forge forge.Pulls
	log   *slog.Logger

	mu    sync.Mutex
	known map[person]right
	said  string // why nobody can be asked about
	heard map[person]heard
}

// person is an account: whoever takes over a name that another one gave up has
// another number.
type person struct {
	id    int64
	login string
}

// heard is how often a person was answered of late.
type heard struct {
	answers int
	since   time.Time
}

const (
	// mostAnswers is how many commands of a person are answered in answersAge: an
	// answer costs requests that statuses need, too. Beyond that they are done in
	// silence.
	mostAnswers = 20
	answersAge  = 10 * time.Minute
	mostPeople  = 10_000 // that are remembered
)

// mayAnswer tells whether a person is to be answered once more.
func (p *people) mayAnswer(who person) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.heard == nil || len(p.heard) > mostPeople {
		p.heard = map[person]heard{}
	}
	h := p.heard[who]
	if time.Since(h.since) >= answersAge {
		h = heard{since: time.Now()}
	}
	h.answers++
	p.heard[who] = h
	return h.answers <= mostAnswers
}

type right struct {
	write bool
	at    time.Time
}

// rightAge is how long the answer is good for that a person may push, and noneAge
// that they may not: of those there can be many.
const (
	rightAge = time.Minute
	noneAge  = 10 * time.Minute
)

func (r right) fresh() bool {
	return time.Since(r.at) < rightAge || !r.write && time.Since(r.at) < noneAge
}

// knows tells whether the forge need not be asked about a person.
func (p *people) knows(who person) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.known[who]
	return ok && r.fresh()
}

// mayWrite tells whether a person may push to the repository. Where the forge
// does not tell us, nobody may.
func (p *people) mayWrite(ctx context.Context, who person) (bool, error) {
	p.mu.Lock()
	r, ok := p.known[who]
	p.mu.Unlock()
	if ok && r.fresh() {
		return r.write, nil
	}
	write, err := p.forge.MayWrite(ctx, who.login)
	if err != nil && !errors.Is(err, forge.ErrRefused) {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		write = false
		if p.said != err.Error() {
			p.said = err.Error()
			p.log.Error("nobody's commands count: the forge does not tell who may push", "error", err)
		}
	}
	if p.known == nil || len(p.known) > mostPeople {
		p.known = map[person]right{}
	}
	p.known[who] = right{write, time.Now()}
	return write, nil
}
