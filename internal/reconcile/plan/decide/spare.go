package decide

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// sparesThere counts the spares of each group of which something is in the cloud: the last one, and those
// before it.
func (w given) sparesThere() map[manifest.Key]int {
	there := map[manifest.Key]bool{}
	for owner, d := range w.All.ByOwner {
		if !d.Virtual && len(w.Cloud.Claimed(d.Key.Kind, owner).Sole) > 0 {
			there[w.All.Owner[d.Key]] = true
		}
	}
	count := map[manifest.Key]int{}
	for group, members := range w.All.Members {
		for i, member := range members {
			if there[member] {
				count[group] = i + 1
			}
		}
	}
	return count
}

// isSpare reports whether something in the cloud was made for a spare that is not needed now: no other member
// is ever called so.
func (w given) isSpare(item *kind.Live) bool {
	if w.All == nil || item.Mark == nil {
		return false
	}
	d := w.All.ByOwner[item.Mark.Owner]
	return d != nil && d.Spare && w.ByKey[d.Key] == nil
}
