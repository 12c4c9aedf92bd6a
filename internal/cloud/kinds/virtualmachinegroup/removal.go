package virtualmachinegroup

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// hinted are the numbers of the machines that the group omits; ok is false where a hint names no machine of
// the group.
func (s *Spec) hinted(e *kind.Expansion) (numbers map[int]bool, ok bool) {
	numbers, ok = map[int]bool{}, true
	for i, hint := range s.RemovalHints {
		of, number, numbered := numbered(hint)
		if !numbered || of != e.Key.Name {
			e.Problem(fmt.Sprintf("spec.removalHints[%d]", i), fmt.Sprintf("is %q, no machine of this group", hint), fmt.Sprintf("write it like %s-2", e.Key.Name))
			ok = false
			continue
		}
		numbers[number] = true
	}
	return numbers, ok
}

// noteIdle notes the hints at machines that would not exist anyway.
func (s *Spec) noteIdle(numbers []int, e *kind.Expansion) {
	for i, hint := range s.RemovalHints {
		if _, number, _ := numbered(hint); number > last(numbers) {
			e.Note(fmt.Sprintf("spec.removalHints[%d]", i), fmt.Sprintf("%s has no effect: without the hint, the group has no such machine", hint))
		}
	}
}

// last is the highest number; -1 where there is none.
func last(numbers []int) int {
	if len(numbers) == 0 {
		return -1
	}
	return numbers[len(numbers)-1]
}

// withVolumes is the template with end as the onDelete of volumes that declare none.
func withVolumes(t machine.Template, end string) machine.Template {
	list := make([]machine.Volume, len(t.Volumes))
	for i, v := range t.Volumes {
		if v.VolumeRef == "" && v.OnDelete == "" {
			v.OnDelete = end
		}
		if end == "delete" { // a spare has no data to keep, and a number that no other machine had
			v.Snapshots, v.RestoreFrom = nil, nil
		}
		list[i] = v
	}
	t.Volumes = list
	return t
}
