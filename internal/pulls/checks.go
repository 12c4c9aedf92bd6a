package pulls

import (
	"reflect"
	"sync"

	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// checks remembers which check runs were written, and that none can be.
type checks struct {
	mu    sync.Mutex
	never bool
	last  map[[2]string]forge.Check // by commit and name
}

func (c *checks) off() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.never
}

func (c *checks) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.never = true
}

func (c *checks) news(check forge.Check) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, ok := c.last[[2]string{check.Commit, check.Name}]
	return !ok || !reflect.DeepEqual(before, check)
}

func (c *checks) wrote(check forge.Check) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil || len(c.last) > 1000 {
		c.last = map[[2]string]forge.Check{}
	}
	c.last[[2]string{check.Commit, check.Name}] = check
}
