package plan

import (
	"cmp"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Settling says why the pass goes on checking an object until it serves: other members of a group, or the group itself, wait for it.
type Settling struct {
	Member   manifest.Key  // the member whose health the object reports; zero if the object itself has to serve.
	Until    time.Time     // when the object will have served for long enough; the zero time if the other members wait for something else.
	Patience time.Duration // how long the other members wait; 0 if the group sets no limit.
	Failing  time.Time     // the time since which the member has not served after a change; the zero time if that is not certain.
}

// AwaitServing makes the pass check the object of the step again until it serves. If it is called several times, the earliest Until counts, so that
// the object is checked again as early as possible. The other fields that by leaves empty stay as they were.
func (s *Step) AwaitServing(by Settling) {
	if s.Settles == nil {
		s.Settles = &by
		return
	}
	before := *s.Settles
	if before.Until.IsZero() || !by.Until.IsZero() && before.Until.Before(by.Until) {
		by.Until = before.Until
	}
	if by.Member == (manifest.Key{}) {
		by.Member = before.Member
	}
	by.Patience, by.Failing = cmp.Or(by.Patience, before.Patience), cmp.Or(by.Failing, before.Failing)
	s.Settles = &by
}

// Settling reports whether the pass checks the object again until it serves.
func (s Step) Settling() bool { return s.Settles != nil }

// Until returns when the object will have served for long enough; the zero time if other members wait for something else.
func (s Step) Until() time.Time {
	if s.Settles == nil {
		return time.Time{}
	}
	return s.Settles.Until
}

// Patience returns how long other members wait for the object; 0 if the group sets no limit. failing is the time since which the member has
// not served after a change; the zero time if that is not certain.
func (s Step) Patience() (limit time.Duration, failing time.Time) {
	if s.Settles == nil {
		return 0, time.Time{}
	}
	return s.Settles.Patience, s.Settles.Failing
}

// AwaitedMember returns the member that the object reports as not serving, if other members wait for that member; zero otherwise.
func (s Step) AwaitedMember() manifest.Key {
	if s.Settles == nil {
		return manifest.Key{}
	}
	return s.Settles.Member
}
