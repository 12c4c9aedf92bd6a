package virtualmachinegroup

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// hinted returns the numbers of the machines that removalHints name. ok is false if a hint does not name a
// machine of the group.
func (s *Spec) hinted(e *kind.Expansion) (numbers map[int]bool, ok bool) {
	numbers, ok = map[int]bool{}, true
	for i, hint := range s.RemovalHints {
		of, number, numbered := numbered(hint)
		if !numbered || of != e.Key.Name {
			e.Problem(fmt.Sprintf("spec.removalHints[%d]", i), fmt.Sprintf("is %q, which is not a machine of this group", hint), fmt.Sprintf("write it like %s-2", e.Key.Name))
			ok = false
			continue
		}
		numbers[number] = true
	}
	return numbers, ok
}

// noteIdle notes hints that name machines which would not exist even without the hint.
func (s *Spec) noteIdle(numbers []int, e *kind.Expansion) {
	for i, hint := range s.RemovalHints {
		if _, number, _ := numbered(hint); number > last(numbers) {
			e.Note(fmt.Sprintf("spec.removalHints[%d]", i), fmt.Sprintf("%s has no effect: the group has no such machine", hint))
		}
	}
}

// last is the highest number; -1 if there is none.
func last(numbers []int) int {
	if len(numbers) == 0 {
		return -1
	}
	return numbers[len(numbers)-1]
}

// withVolumes returns a copy of the template. Volumes that belong to the template and have no onDelete get the value of the parameter
// end.
func withVolumes(t machine.Template, end string) machine.Template {
	list := make([]machine.Volume, len(t.Volumes))
	for i, v := range t.Volumes {
		if v.VolumeRef == "" && v.OnDelete == "" {
			v.OnDelete = end
		}
		if end == "delete" { // a spare machine has no data to keep, and no other machine had its number, so there is nothing to restore
			v.Snapshots, v.RestoreFrom = nil, nil
		}
		list[i] = v
	}
	t.Volumes = list
	return t
}
