package decide

import (
	"cmp"
	"slices"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// An import may mean the newest of several objects, such as images. Then it finds another one after each upload. No commit asked for that change, so a
// machine keeps the image that it was made from:
//
//	the object was made from               and its manifest    the new image is
//	-------------------------------------  ------------------  ------------------------------------------------
//	an image that the import still finds   any                 a note, and used when the object is recreated
//	an image that is gone                  was applied before  the same
//	any other image                        is new              a change that a commit asked for
//
// The annotation about changes gives consent for a field. Then the change is planned, and held until a person approves it.

// newestFilter is implemented by import filters that can mean the newest of several objects.
type newestFilter interface{ Newest() bool }

// trustingFilter is implemented by import filters that can exclude the objects of strangers, because they name an owner.
type trustingFilter interface{ Trusting() bool }

func trusts(d *kind.Desired) bool {
	f, ok := d.Import.Filter.(trustingFilter)
	return ok && f.Trusting()
}

// moves reports whether an import means the newest of several objects.
func moves(d *kind.Desired) bool {
	if d.Import == nil {
		return false
	}
	f, ok := d.Import.Filter.(newestFilter)
	return ok && f.Newest()
}

// eligible returns those objects that may be the newest: ready ones that belong to the project, or that the
// cloud offers to everybody. If the import names the owner, all ready ones that it finds may be the newest.
func eligible(found []*kind.Live, trusted bool) []*kind.Live {
	return slices.DeleteFunc(slices.Clone(found), func(l *kind.Live) bool { return l.Phase != kind.Ready || !trusted && !l.Facts.Trusted })
}

// newestOf returns the newest of the eligible objects; none if there is none.
func newestOf(found []*kind.Live, trusted bool) []*kind.Live {
	list := eligible(found, trusted)
	if len(list) == 0 {
		return nil
	}
	newest := slices.MaxFunc(list, func(a, b *kind.Live) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return []*kind.Live{newest}
}

// movedImport returns the import that a change results from, if that import means the newest object and no commit asked for the change.
func (p *planner) movedImport(d *kind.Desired, have *kind.Live, c kind.Change) *kind.Desired {
	for _, ref := range d.Refs {
		if ref.Order || !kind.Within(ref.Field, c.Field) && !kind.Within(c.Field, ref.Field) {
			continue
		}
		target := p.ByKey[ref.Key]
		if target == nil || !target.Unmanaged || !moves(target) || p.found.Live[target] == nil {
			continue
		}
		present, known := p.presentOf(target, c)
		if known && p.KindOf[target.Key.Kind].Match(p.view(target, target.Import.Filter), present.State) || !known && p.Applied(d, have.Mark) {
			return target
		}
	}
	return nil
}

// presentOf returns the object whose ID the cloud shows in a changed field; false if the lists do not show it.
func (p *planner) presentOf(target *kind.Desired, c kind.Change) (*kind.Live, bool) {
	id, _ := c.Have.(string)
	present := p.Cloud.Collection(target.Key.Kind).Find(id, target.Entry)
	return present, present != nil
}

// newerNote tells people about a newer object that an import finds.
func (p *planner) newerNote(d *kind.Desired, have *kind.Live, c kind.Change) kind.Note {
	target := p.movedImport(d, have, c)
	newer := p.found.Live[target]
	text := "a newer one exists: " + printable.Name(newer.Name) + " (" + newer.ID + "); kept: "
	if present, known := p.presentOf(target, c); known {
		return kind.Note{Field: c.Field, Text: text + printable.Name(present.Name) + " (" + present.ID + ")"}
	}
	id, _ := c.Have.(string)
	return kind.Note{Field: c.Field, Text: text + id + ", which no longer exists or cannot be listed"}
}

// proposed reports whether a step changes an object because an import finds a newer object, and no commit asked for that.
func (p *planner) proposed(s plan.Step) bool {
	return s.Have != nil && s.Want != nil && (s.Action == plan.Update || s.Action == plan.Recreate) &&
		slices.ContainsFunc(s.Changes, func(c kind.Change) bool {
			return c.Disruption >= kind.Rebuild && s.Want.Options.Way(c.Field) != "" && s.Want.Options.Way(c.Field) != "next" && p.movedImport(s.Want, s.Have, c) != nil
		})
}
