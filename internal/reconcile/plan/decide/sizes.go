package decide

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// sizesNow returns the present sizes of the groups whose manifests leave the size open.
func (p *planner) sizesNow() map[manifest.Key]world.Size {
	there := map[manifest.Key]bool{}
	for owner, d := range p.Optional.ByOwner {
		if d.Scaled && !d.Virtual && p.ownsMember(d.Key.Kind, owner) {
			there[p.Optional.Owner[d.Key]] = true
		}
	}
	sizes := map[manifest.Key]world.Size{}
	for group, members := range p.Optional.Scaled {
		least := p.Optional.Least[group]
		now := least
		for i, member := range members {
			if there[member] {
				now = least + i + 1
			}
		}
		sizes[group] = p.wishFor(p.Optional.First[group]).size(now, least, least+len(members))
	}
	return sizes
}

// ownsMember reports whether the stack owns an object with that owner text that is deleted together with its member.
func (w worldReader) ownsMember(kindName, owner string) bool {
	return slices.ContainsFunc(w.Cloud.Claimed(kindName, owner).Sole, func(l *kind.Live) bool { return !l.Mark.Keep })
}

// wish is a number of members that somebody has written on an object. The text may be invalid.
type wish struct {
	object manifest.Key
	text   string
}

// wishFor returns the wish for the group with that first member.
func (p *planner) wishFor(first manifest.Key) wish {
	works := p.WorkerOf(first)
	for i := range p.Want {
		d := &p.Want[i]
		if d.Key != first && d.Key != works {
			continue
		}
		if sole := p.claims(d).Sole; len(sole) == 1 && sole[0].WantedReplicas != "" {
			return wish{d.Key, sole[0].WantedReplicas}
		}
	}
	return wish{}
}

// size returns the number of members that results from the wish. now is the present number of members; least and most are the bounds
// in the manifest.
func (w wish) size(now, least, most int) world.Size {
	bounds := fmt.Sprintf("between %d and %d", least, most)
	if w.text == "" {
		return world.Size{Members: now, Why: fmt.Sprintf("%s as now, %s: nobody asks for another number", machines(now), bounds)}
	}
	n, err := strconv.Atoi(w.text)
	if err != nil || strconv.Itoa(n) != w.text || n < 0 {
		return world.Size{Members: now, Why: fmt.Sprintf("%s as now, %s: the value in %s is not a number", machines(now), bounds, w.object)}
	}
	if within := min(max(n, least), most); within != n {
		return world.Size{Members: within, Why: fmt.Sprintf("%s: %s asks for %d, and the manifest allows %s", machines(within), w.object, n, bounds)}
	}
	return world.Size{Members: n, Why: fmt.Sprintf("%s, %s: %s asks for this number", machines(n), bounds, w.object)}
}

func machines(n int) string {
	if n == 1 {
		return "1 member"
	}
	return fmt.Sprintf("%d members", n)
}

// workloadNotes returns the notes on a workload. If its manifest leaves the number of members open, one note says how many there
// are.
func (p *planner) workloadNotes(d *kind.Desired) []kind.Note {
	s, open := p.learned.Sizes[d.Key]
	if !open {
		return d.Notes
	}
	return append(slices.Clip(d.Notes), kind.Note{Field: "spec.maxReplicas", Text: s.Why})
}

// beyondSizeCause returns the cause of deleting an object that belongs to a member beyond the present size; zero for any other object.
func (p *planner) beyondSizeCause(item *kind.Live) cause.Cause {
	if p.Optional == nil {
		return cause.Cause{}
	}
	d := p.Optional.ByOwner[item.Mark.Owner]
	if d == nil || !d.Scaled {
		return cause.Cause{}
	}
	group := p.groupOf(p.Optional.Owner[d.Key])
	return cause.Of(cause.Beyond, group, p.learned.Sizes[group].Why)
}

func (w worldReader) groupOf(member manifest.Key) manifest.Key {
	if d := w.Optional.ByKey[member]; d != nil {
		return d.Parent
	}
	return manifest.Key{}
}

// sparesThere counts the spares of each group up to the last one with an object in the cloud.
func (w worldReader) sparesThere() map[manifest.Key]int {
	there := map[manifest.Key]bool{}
	for owner, d := range w.Optional.ByOwner {
		if !d.Virtual && len(w.Cloud.Claimed(d.Key.Kind, owner).Sole) > 0 {
			there[w.Optional.Owner[d.Key]] = true
		}
	}
	count := map[manifest.Key]int{}
	for group, members := range w.Optional.Spares {
		for i, member := range members {
			if there[member] {
				count[group] = i + 1
			}
		}
	}
	return count
}

// isSpare reports whether an object was created for a spare that is not needed now. No other member ever has the name of a
// spare.
func (w worldReader) isSpare(item *kind.Live) bool {
	if w.Optional == nil || item.Mark == nil {
		return false
	}
	d := w.Optional.ByOwner[item.Mark.Owner]
	return d != nil && d.Spare && w.ByKey[d.Key] == nil
}
