package pulls

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// people remembers for a while who may push.
type people struct {
	forge forge.Pulls
	log   *slog.Logger

	mu    sync.Mutex
	known map[string]right
	said  string // why nobody can be asked about
}

type right struct {
	write bool
	at    time.Time
}

// rightAge is how long the answer about a person is good for.
const rightAge = time.Minute

// mayWrite tells whether a person may push to the repository. Where the forge
// does not tell us, nobody may.
func (p *people) mayWrite(ctx context.Context, login string) (bool, error) {
	p.mu.Lock()
	r, ok := p.known[login]
	p.mu.Unlock()
	if ok && time.Since(r.at) < rightAge {
		return r.write, nil
	}
	write, err := p.forge.MayWrite(ctx, login)
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
	if p.known == nil || len(p.known) > 1000 {
		p.known = map[string]right{}
	}
	p.known[login] = right{write, time.Now()}
	return write, nil
}
