package source

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxSigned      = 5000 // number of commits that are checked for one revision.
	maxDoubts      = 20   // number of doubts that an error has.
	maxForgeMerges = 200  // number of merges by a forge that are computed for one revision.
	maxTags        = 100  // number of tags of one commit that are checked.
)

// Verify reports who signed a commit of the branch. The argument last is the last verified commit, or "". The error is an [*Unverified] if the commit
// is not trusted. Verify does not read the files of the commit, except to compute merges.
//
// Results are remembered for an hour, because signatures can expire. So a poll without a new commit costs nothing.
func (r *Repo) Verify(ctx context.Context, commit, last string, t Trust, now time.Time) (Signed, error) {
	key := verifying{commit, last, t.Since, t.Tags, r.tagSum(ctx, t), t.Keys.Sum(), t.Forge.Sum(), t.Mode, t.Rewrites, now.Truncate(time.Hour)}
	if v, ok := r.verified.get(key); ok {
		return v.signed, v.err
	}
	v := verifier{repo: r, trust: t, now: now, head: plumbing.NewHash(commit)}
	var signed Signed
	var refused *Unverified
	err := r.inConversation(ctx, func(ctx context.Context, conv *conversation) (err error) {
		v.conv, v.failed, refused = conv, nil, nil
		signed, err = v.verify(ctx, last)
		if v.failed == nil && errors.As(err, &refused) {
			return nil
		}
		return cmp.Or(v.failed, err)
	})
	switch {
	case err != nil:
		return Signed{}, err
	case refused != nil:
		r.verified.put(key, verdict{err: refused})
		return Signed{}, refused
	}
	r.verified.put(key, verdict{signed: signed})
	return signed, nil
}

// verifying is everything that a verdict depends on.
type verifying struct {
	commit, last, since, tags, refs, keys, forge string
	mode                                         VerifyMode
	rewrites                                     bool
	at                                           time.Time
}

type verdict struct {
	signed Signed
	err    error
}

// verdicts are the results of earlier calls of Verify.
type verdicts struct {
	mu sync.Mutex
	of map[verifying]verdict
}

const maxVerdicts = 256

func (k *verdicts) get(key verifying) (v verdict, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok = k.of[key]
	return v, ok
}

func (k *verdicts) put(key verifying, v verdict) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || len(k.of) >= maxVerdicts {
		k.of = map[verifying]verdict{}
	}
	k.of[key] = v
}
