package lease

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/kubernetes"
)

// Kubernetes stores leases and keys in Leases of Kubernetes. Kubernetes itself never ends a Lease, so an agent that lists the Leases deletes
// those that were not renewed. The clocks of different machines are not compared. A lease has ended if two lists contain it unchanged, and at
// least its TTL lies between the answer to the first list and the request for the second one.
//
//	here     in Kubernetes
//	-------  -------------------------------------------------------------------------------------
//	a lease  a Lease with its own name as holder, whose renewTime changes
//	a key    a Lease with the name of a lease as holder, and the key and its value as annotations
type Kubernetes struct {
	Leases *kubernetes.Leases
	Group  string // the group of agents, as the value of a label

	mu   sync.Mutex
	seen map[ID]seenVersion // by lease
}

var _ Store = (*Kubernetes)(nil)

// seenVersion is the version of a lease and the time since when it has that version.
type seenVersion struct {
	version string
	since   time.Time
}

const (
	groupLabel      = "stackreeve.dev/agents"
	keyAnnotation   = "stackreeve.dev/key"
	valueAnnotation = "stackreeve.dev/value"
	leasePrefix     = "stackreeve-lease-"
	keyPrefix       = "stackreeve-key-"
)

func leaseName(id ID) string { return fmt.Sprintf("%s%016x", leasePrefix, uint64(id)) } //nolint:gosec // only the bits matter, not the sign

// leaseOf returns the lease that a Lease stands for. For the Lease of a key, it returns the lease that has the key. It returns 0 if the
// holder cannot be read.
func leaseOf(one kubernetes.Lease) ID {
	text, ours := strings.CutPrefix(one.Spec.HolderIdentity, leasePrefix)
	id, err := strconv.ParseUint(text, 16, 63)
	if !ours || err != nil || leaseName(ID(id)) != one.Spec.HolderIdentity { //nolint:gosec // of 63 bits
		return 0
	}
	return ID(id) //nolint:gosec // of 63 bits
}

func (k *Kubernetes) keyName(key string) string {
	sum := sha256.Sum256([]byte(k.Group + "\x00" + key))
	return keyPrefix + hex.EncodeToString(sum[:16])
}

// Grant implements Store.
func (k *Kubernetes) Grant(ctx context.Context, ttl time.Duration) (ID, error) {
	var random [8]byte
	_, _ = rand.Read(random[:])                         // Read never fails
	id := ID(binary.BigEndian.Uint64(random[:])>>1 | 1) //nolint:gosec // of 63 bits
	one := k.object(leaseName(id), id)
	one.Spec.LeaseDurationSeconds, one.Spec.RenewTime = int(ttl/time.Second), kubernetes.Moment(time.Now())
	return id, k.Leases.Create(ctx, one)
}

// object returns a Lease of this group.
func (k *Kubernetes) object(name string, holder ID) kubernetes.Lease {
	return kubernetes.Lease{
		Metadata: kubernetes.Metadata{Name: name, Labels: map[string]string{groupLabel: k.Group}},
		Spec:     kubernetes.Spec{HolderIdentity: leaseName(holder)},
	}
}

// Renew implements Store.
func (k *Kubernetes) Renew(ctx context.Context, lease ID) error {
	return kubernetesError(k.Leases.Patch(ctx, leaseName(lease), kubernetes.Lease{Spec: kubernetes.Spec{RenewTime: kubernetes.Moment(time.Now())}}))
}

// Revoke implements Store.
func (k *Kubernetes) Revoke(ctx context.Context, lease ID) error {
	all, err := k.Leases.List(ctx, groupLabel, k.Group)
	if err != nil {
		return err
	}
	itself := ErrEnded
	for _, one := range all {
		if leaseOf(one) != lease {
			continue
		}
		if _, err := k.remove(ctx, one); err != nil {
			return err
		}
		if one.Metadata.Name == leaseName(lease) {
			itself = nil
		}
	}
	return itself
}

// Write implements Store.
func (k *Kubernetes) Write(ctx context.Context, lease ID, key string, value []byte) (held bool, err error) {
	if value == nil {
		return true, k.removeKey(ctx, lease, k.keyName(key))
	}
	wanted := k.object(k.keyName(key), lease)
	wanted.Metadata.Annotations = map[string]string{keyAnnotation: key, valueAnnotation: string(value)}
	return k.hold(ctx, lease, wanted)
}

// hold writes a key, unless another lease has it.
func (k *Kubernetes) hold(ctx context.Context, lease ID, wanted kubernetes.Lease) (held bool, err error) {
	have, err := k.Leases.Get(ctx, wanted.Metadata.Name)
	switch {
	case errors.Is(err, kubernetes.ErrNotFound):
		if err = k.Leases.Create(ctx, wanted); errors.Is(err, kubernetes.ErrConflict) {
			return false, nil // another agent was faster
		}
		return err == nil, err
	case err != nil:
		return false, err
	case leaseOf(have) != lease:
		_, err = k.List(ctx) // List removes the key when its lease has ended
		return false, err
	}
	wanted.Metadata.UID, wanted.Metadata.ResourceVersion = have.Metadata.UID, have.Metadata.ResourceVersion
	err = k.Leases.Patch(ctx, wanted.Metadata.Name, wanted)
	return err == nil, err
}

// removeKey removes a key if the given lease has it.
func (k *Kubernetes) removeKey(ctx context.Context, lease ID, name string) error {
	have, err := k.Leases.Get(ctx, name)
	switch {
	case errors.Is(err, kubernetes.ErrNotFound):
		return nil
	case err == nil && leaseOf(have) == lease:
		_, err = k.remove(ctx, have)
	}
	return err
}

// List implements Store. It first removes the leases that have ended, and then their keys. So if an agent renews its lease at that moment, it
// either gets an error or still has all its keys.
func (k *Kubernetes) List(ctx context.Context) (records []Record, err error) {
	asked := time.Now()
	all, err := k.Leases.List(ctx, groupLabel, k.Group)
	if err != nil {
		return nil, err
	}
	living := k.living(all, asked, time.Now())
	for _, one := range all {
		if id := leaseOf(one); !living[id] && one.Metadata.Name == leaseName(id) {
			removed, err := k.remove(ctx, one)
			if err != nil {
				return nil, fmt.Errorf("remove a lease that has ended: %w", err)
			}
			living[id] = !removed
		}
	}
	for _, one := range all {
		key, isKey := one.Metadata.Annotations[keyAnnotation]
		if !isKey || one.Metadata.Name != k.keyName(key) {
			continue
		}
		if living[leaseOf(one)] {
			records = append(records, Record{key, []byte(one.Metadata.Annotations[valueAnnotation]), leaseOf(one), one.Metadata.CreationTimestamp.Unix()})
		} else if _, err := k.remove(ctx, one); err != nil {
			return nil, fmt.Errorf("remove the records of a lease that has ended: %w", err)
		}
	}
	return records, nil
}

// living returns the leases that have not ended, according to a list that was requested at asked and received at answered.
func (k *Kubernetes) living(all []kubernetes.Lease, asked, answered time.Time) map[ID]bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	seen, out := map[ID]seenVersion{}, map[ID]bool{}
	for _, one := range all {
		id := leaseOf(one)
		if id == 0 || one.Metadata.Name != leaseName(id) {
			continue
		}
		s, known := k.seen[id]
		if !known || s.version != one.Metadata.ResourceVersion {
			s = seenVersion{one.Metadata.ResourceVersion, answered}
		}
		seen[id] = s
		out[id] = asked.Sub(s.since) < time.Duration(one.Spec.LeaseDurationSeconds)*time.Second
	}
	k.seen = seen
	return out
}

// remove deletes a Lease, unless it has changed since it was listed. removed is false if it has changed.
func (k *Kubernetes) remove(ctx context.Context, seen kubernetes.Lease) (removed bool, err error) {
	switch err = k.Leases.Delete(ctx, seen); {
	case errors.Is(err, kubernetes.ErrNotFound):
		return true, nil // another agent was faster
	case errors.Is(err, kubernetes.ErrConflict):
		return false, nil
	}
	return err == nil, err
}

// kubernetesError adds [ErrEnded] to the error for a lease that does not exist.
func kubernetesError(err error) error {
	if errors.Is(err, kubernetes.ErrNotFound) {
		return fmt.Errorf("%w: %w", ErrEnded, err)
	}
	return err
}
