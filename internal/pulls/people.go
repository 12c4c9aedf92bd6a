package pulls

import (
	"context"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// people remembers for a while who may push.
type people struct {
	forge forge.Pulls

	mu    sync.Mutex
	known map[string]right
}

type right struct {
	write bool
	at    time.Time
}

// rightAge is how long the answer about a person is good for.
const rightAge = time.Minute

// mayWrite tells whether a person may push to the repository.
func (p *people) mayWrite(ctx context.Context, login string) (bool, error) {
	p.mu.Lock()
	r, ok := p.known[login]
	p.mu.Unlock()
	if ok && time.Since(r.at) < rightAge {
		return r.write, nil
	}
	write, err := p.forge.MayWrite(ctx, login)
	if err != nil {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known) > 1000 {
		p.known = map[string]right{}
	}
	p.known[login] = right{write, time.Now()}
	return write, nil
}
