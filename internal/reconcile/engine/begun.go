package engine

import (
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Begun are the objects that passes have begun to change, or that refer to one, and have not seen as wanted since. How they differ is the stack's own doing,
// whatever their marks say: what a pass does last is to write the mark, and before that it may end and the branch go back. It outlives passes and
// engines. Only one engine uses it at a time.
type Begun struct {
	objects map[manifest.Key]begun
}

// begun is what is known of the last request about an object.
type begun struct {
	until time.Time // when lists may not show what comes of it; zero where that does not matter
	goes  bool      // whether it deletes the object
}

// note records that a step was started.
func (b *Begun) note(key manifest.Key) {
	if b.objects == nil {
		b.objects = map[manifest.Key]begun{}
	}
	if _, known := b.objects[key]; !known {
		b.objects[key] = begun{}
	}
}

// goesOn records until when lists may not show what comes of a step.
func (b *Begun) goesOn(s *plan.Step, until time.Time) {
	o, known := b.objects[s.Key]
	if !known || s.Surplus() {
		return
	}
	if until.After(o.until) {
		o.until = until
	}
	o.goes = o.goes || s.Action.Destroys()
	b.objects[s.Key] = o
}

// going reports whether the cloud may yet delete an object.
func (b *Begun) going(key manifest.Key) bool { return b.objects[key].goes }

// keys are those of all of them; none of a nil Begun.
func (b *Begun) keys() map[manifest.Key]bool {
	if b == nil {
		return nil
	}
	keys := make(map[manifest.Key]bool, len(b.objects))
	for key := range b.objects {
		keys[key] = true
	}
	return keys
}

// settle drops those that a plan shows as wanted, or nobody's any more. listed is when a kind was listed for it.
func (b *Begun) settle(p plan.Plan, listed func(kind string) time.Time) {
	open := map[manifest.Key]bool{}
	for i := range p.Steps {
		s := &p.Steps[i]
		open[s.Key] = open[s.Key] || s.Want() == nil || s.Have() == nil || s.Action != plan.Keep || len(s.Changes) > 0
	}
	maps.DeleteFunc(b.objects, func(key manifest.Key, o begun) bool {
		return !open[key] && o.until.Before(listed(key.Kind))
	})
}
