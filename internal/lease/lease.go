// Package lease lets several agents share stacks: each stack is served by one agent at a time.
//
//	register under a lease ─▶ renew, list ─▶ decide (pure) ─▶ take, serve, hand over ─▶ the hold of a stack
//	                              ▲                                                          │
//	                              └──────────────── every sixth of the lease ◀───────────────┘
//
// An agent has one lease, and all its keys end with the lease. The agent's own clock, read before each write, determines whether
// it may still write: [Hold.Check]. The package knows agents, stacks by name, and the values that other agents store. It does
// not know how a stack is served, nor which program stores the keys.
package lease

import (
	"context"
	"errors"
	"time"
)

// ID identifies a lease.
type ID int64

// Store stores leases and keys. With them, agents agree on which agent serves which stack. Its methods have their own time limits, besides
// ctx.
type Store interface {
	// Grant makes a lease that ends, with its keys, when it is not renewed for ttl.
	Grant(ctx context.Context, ttl time.Duration) (ID, error)
	// Renew starts the time of a lease again. The error is an [ErrEnded] if there is no such lease.
	Renew(ctx context.Context, lease ID) error
	// Revoke ends a lease.
	Revoke(ctx context.Context, lease ID) error
	// Write writes a key if no other lease has it. held is false if another lease has it. If value is nil, Write removes the key.
	Write(ctx context.Context, lease ID, key string, value []byte) (held bool, err error)
	// List returns all keys. If one of them cannot be listed, it returns an error, so that no key is ever missing.
	List(ctx context.Context) ([]Record, error)
}

// Record is a key that a lease has, with its value.
type Record struct {
	Key   string
	Value []byte
	Lease ID
	Since int64 // the older of two keys has the smaller number, or the same
}

var (
	// ErrEnded means that a lease has ended.
	ErrEnded = errors.New("the lease has ended")
	// ErrStale means that a lease was not renewed for so long that other agents may have its keys.
	ErrStale = errors.New("the lease was not renewed in time")
	// ErrLost means that this agent does not have a stack any more.
	ErrLost = errors.New("another agent may serve the stack")
)

// Periods are the times that depend on the TTL of a lease.
type Periods struct{ TTL time.Duration }

// Renew is the interval between renewals: 10 s at a TTL of 60 s.
func (p Periods) Renew() time.Duration { return p.TTL / 6 }

// Retry is the pause before a failed request is sent again: 2 s at a TTL of 60 s.
func (p Periods) Retry() time.Duration { return p.TTL / 30 }

// Act is the time after a renewal during which the agent may go on taking or leaving stacks: 8 s at a TTL of 60 s. After that, the lease is
// renewed first.
func (p Periods) Act() time.Duration { return p.Renew() - p.Retry() }

// Start is the time after a renewal during which a lease allows new work to begin: 15 s at a TTL of 60 s.
func (p Periods) Start() time.Duration { return p.TTL / 4 }

// WriteTime is the time after a renewal during which work that has begun may write: 45 s at a TTL of 60 s.
func (p Periods) WriteTime() time.Duration { return p.TTL * 3 / 4 }

// Grace is the time for which work may continue once no new work may begin: 30 s at a TTL of 60 s.
func (p Periods) Grace() time.Duration { return p.WriteTime() - p.Start() }

// Settle is the time for which an agent waits for others to register before it takes its first stack: 5 s at a TTL of 60 s.
func (p Periods) Settle() time.Duration { return p.TTL / 12 }

// Neglected is the time after which a free stack may be taken by an agent that is not the preferred one: 120 s at a TTL of 60 s.
func (p Periods) Neglected() time.Duration { return 2 * p.TTL }

// GivenUp is the time for which an agent leaves a stack to others after it could not serve it: 180 s at a TTL of 60 s. It is
// longer than [Periods.Neglected].
func (p Periods) GivenUp() time.Duration { return 3 * p.TTL }
