package engine

import (
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// mergeLists merges the lists that several entries show of a collection. An object that more than one of them shows
// becomes one object. The view of the entry that prefer names is used, if that entry shows the object. Otherwise
// the view of the first entry whose project the object belongs to is used, or of the first such entry that also
// shows a mark.
func mergeLists(parts []kind.Shown, prefer func(*kind.Live) (entry string, ok bool)) kind.Collection {
	type identity struct{ id, realm string }
	at := map[identity]int{}
	var sights [][]kind.Live
	for _, part := range parts {
		if part.Err != nil {
			continue
		}
		for _, seen := range part.Items {
			item := *seen
			item.Entry = part.Entry
			who := identity{item.ID, part.Realm}
			if uuid.MatchString(item.ID) {
				who.realm = ""
			}
			i, seen := at[who]
			switch {
			case !seen:
				at[who] = len(sights)
				sights = append(sights, []kind.Live{item})
			case sights[i][len(sights[i])-1].Entry != part.Entry: // an entry may list an object twice, if the boundary between two pages moves
				sights[i] = append(sights[i], item)
			}
		}
	}
	c := kind.Collection{Items: make([]*kind.Live, len(sights)), Parts: parts}
	for i := range sights {
		one := mergeViews(sights[i], prefer)
		c.Items[i] = &one
	}
	return c
}

// uuid matches the IDs that are unique everywhere.
var uuid = pattern.Of(`^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$`)

// mergeViews merges the views of one object by several entries. The object is in the stack's project if one view says
// so. It has a mark that one of the views shows: the mark of the preferred view, if that shows one.
func mergeViews(sights []kind.Live, prefer func(*kind.Live) (string, bool)) kind.Live {
	if len(sights) == 1 {
		return sights[0]
	}
	best := &sights[0]
	for i := range sights {
		if sights[i].InOwnProject && (!best.InOwnProject || best.Mark == nil && sights[i].Mark != nil) {
			best = &sights[i]
		}
	}
	out := *best
	if entry, ok := prefer(best); ok {
		for i := range sights {
			if sights[i].Entry == entry {
				if out = sights[i]; out.InOwnProject && out.Mark != nil {
					break
				}
				out.InOwnProject, out.Mark, out.Guarded, out.Copied, out.AlsoListedAs = best.InOwnProject, best.Mark, best.Guarded, best.Copied, best.AlsoListedAs
			}
		}
	}
	out.OtherViews = sights
	return out
}
