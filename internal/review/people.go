package review

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

	mu      sync.Mutex
	rights  map[person]right
	logged  string // the last reason why permissions cannot be read
	answers map[person]answers
}

// person is an account: whoever takes over a name that another one gave up has
// another number.
type person struct {
	id    int64
	login string
}

// answers is how often a person was answered of late.
type answers struct {
	count int
	since time.Time
}

const (
	// mostAnswers is how many commands of a person are answered in answersAge: an
	// answer costs requests that statuses need, too. Beyond that they are done in
	// silence.
	mostAnswers = 20
	answersAge  = 10 * time.Minute
	mostPeople  = 10_000 // that are remembered
)

// countAnswer counts an answer to a person, and reports whether it is to be given.
func (p *people) countAnswer(who person) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers == nil || len(p.answers) > mostPeople {
		p.answers = map[person]answers{}
	}
	a := p.answers[who]
	if time.Since(a.since) >= answersAge {
		a = answers{since: time.Now()}
	}
	a.count++
	p.answers[who] = a
	return a.count <= mostAnswers
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

// knows reports whether the forge need not be asked about a person.
func (p *people) knows(who person) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.rights[who]
	return ok && r.fresh()
}

// mayWrite reports whether a person may push to the repository. Where the forge
// does not say, nobody may.
func (p *people) mayWrite(ctx context.Context, who person) (bool, error) {
	p.mu.Lock()
	r, ok := p.rights[who]
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
		if p.logged != err.Error() {
			p.logged = err.Error()
			p.log.Error("ignoring all commands: cannot read repository permissions", "error", err)
		}
	}
	if p.rights == nil || len(p.rights) > mostPeople {
		p.rights = map[person]right{}
	}
	p.rights[who] = right{write, time.Now()}
	return write, nil
}
