// Package lease is how several agents share stacks: each stack is served by one of them at a time.
//
//	register under a lease ─▶ renew, list ─▶ decide (pure) ─▶ take, serve, hand over ─▶ the hold of a stack
//	                              ▲                                                          │
//	                              └──────────────── every sixth of the lease ◀───────────────┘
//
// An agent has one lease, and all that it holds ends with it. What says whether it may still write is its own clock, read
// before each write: [Hold.Check]. It knows agents, stacks by name, and what others store for it; it knows neither what
// serving a stack is nor which program stores the keys.
package lease

import (
	"context"
	"errors"
	"time"
)

// ID is that of a lease.
type ID int64

// Store is where agents agree on who has what. Its functions are bounded in time by themselves, too.
type Store interface {
	// Grant makes a lease that ends, with its keys, when it is not renewed for ttl.
	Grant(ctx context.Context, ttl time.Duration) (ID, error)
	// Renew has a lease last for its whole time again. Its error is an [ErrEnded] when there is no such lease.
	Renew(ctx context.Context, lease ID) error
	// Revoke ends a lease.
	Revoke(ctx context.Context, lease ID) error
	// Write writes a key if nobody has it or this lease has; held is false when another one has. A nil value removes it.
	Write(ctx context.Context, lease ID, key string, value []byte) (held bool, err error)
	// List has all keys. What could not be listed is an error, and never missing.
	List(ctx context.Context) ([]Record, error)
}

// Record is a key that a lease has.
type Record struct {
	Key   string
	Value []byte
	Lease ID
	Since int64 // of two keys, the older has the smaller, or the same
}

var (
	// ErrEnded says that a lease is over.
	ErrEnded = errors.New("the lease has ended")
	// ErrStale says that a lease was not renewed for so long that others may hold what it held.
	ErrStale = errors.New("the lease was not renewed in time")
	// ErrLost says that a stack is no longer held by this agent.
	ErrLost = errors.New("another agent may serve the stack")
)

// Periods are what follows from how long a lease lasts.
type Periods struct{ TTL time.Duration }

// Renew is how often a lease is renewed: 10 s of 60.
func (p Periods) Renew() time.Duration { return p.TTL / 6 }

// Retry is the pause before a request that failed is sent again: 2 s of 60.
func (p Periods) Retry() time.Duration { return p.TTL / 30 }

// Act is how long after its renewal a round begins with further stacks; then it is renewed before the rest: 8 s of 60.
func (p Periods) Act() time.Duration { return p.Renew() - p.Retry() }

// Start is how long after its renewal a lease lets something new begin: 15 s of 60.
func (p Periods) Start() time.Duration { return p.TTL / 4 }

// Quiet is how long after its renewal a lease lets what has begun write: 45 s of 60.
func (p Periods) Quiet() time.Duration { return p.TTL * 3 / 4 }

// Grace is how long what has begun may go on once nothing new begins: 30 s of 60.
func (p Periods) Grace() time.Duration { return p.Quiet() - p.Start() }

// Settle is how long an agent waits for others to register before it takes the first stack: 5 s of 60.
func (p Periods) Settle() time.Duration { return p.TTL / 12 }

// Neglected is how long a stack has to be free before another agent than the preferred one takes it: 120 s of 60.
func (p Periods) Neglected() time.Duration { return 2 * p.TTL }

// GivenUp is how long a stack that could not be served is left to others: 180 s of 60, which is longer than [Periods.Neglected].
func (p Periods) GivenUp() time.Duration { return 3 * p.TTL }
