package lease

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/etcd"
)

// Etcd stores leases and keys in a cluster of etcd. All keys begin with Prefix, which ends in a slash.
type Etcd struct {
	Cluster *etcd.Endpoints
	Prefix  string
}

var _ Store = Etcd{}

// maxKeys is the maximum number of keys that are read. Each agent and each stack has one.
const maxKeys = 10_000

// Grant implements Store.
func (e Etcd) Grant(ctx context.Context, ttl time.Duration) (ID, error) {
	id, err := e.Cluster.Grant(ctx, ttl)
	return ID(id), err
}

// Renew implements Store.
func (e Etcd) Renew(ctx context.Context, lease ID) error {
	return etcdError(e.Cluster.Renew(ctx, int64(lease)))
}

// Revoke implements Store.
func (e Etcd) Revoke(ctx context.Context, lease ID) error {
	return etcdError(e.Cluster.Revoke(ctx, int64(lease)))
}

// Write implements Store.
func (e Etcd) Write(ctx context.Context, lease ID, key string, value []byte) (held bool, err error) {
	if value == nil {
		return true, etcdError(e.Cluster.Let(ctx, int64(lease), e.Prefix+key))
	}
	held, err = e.Cluster.Hold(ctx, int64(lease), e.Prefix+key, value)
	return held, etcdError(err)
}

// List implements Store.
func (e Etcd) List(ctx context.Context) (list []Record, err error) {
	found, err := e.Cluster.List(ctx, e.Prefix, maxKeys)
	for _, r := range found {
		list = append(list, Record{strings.TrimPrefix(r.Key, e.Prefix), r.Value, ID(r.Lease), r.Created})
	}
	return list, err
}

// etcdError adds [ErrEnded] to the error for a lease that does not exist.
func etcdError(err error) error {
	if errors.Is(err, etcd.ErrNoLease) {
		return fmt.Errorf("%w: %w", ErrEnded, err)
	}
	return err
}
