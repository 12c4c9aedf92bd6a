package status

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// theCloud is the value of Status.WaitsFor while the cloud is working on the object itself.
const theCloud = "the cloud"

// waits contains the data to find the objects that others wait for.
type waits struct {
	at        map[manifest.Key]*subject
	destroyed map[string]bool         // names of objects that the plan destroys.
	roots     map[manifest.Key]string // known results of root
}

func waitsOf(list []subject) waits {
	w := waits{map[manifest.Key]*subject{}, map[string]bool{}, map[manifest.Key]string{}}
	for i := range list {
		s := &list[i]
		if !s.Surplus {
			w.at[s.Key] = s
		}
		if name := s.LiveName(); name != "" && s.Action.Destroys() {
			w.destroyed[name] = true
		}
	}
	return w
}

// blocker returns the name of the object that a step waits for, if the plan does not provide that object. It returns "" if the step can continue
// in its turn.
func (w waits) blocker(s subject) string {
	switch {
	case s.Error || s.Action == plan.Keep || s.Action == plan.Refuse:
		return ""
	case s.Action == plan.Wait && len(s.Awaits) == 0:
		return theCloud
	}
	for _, key := range s.Awaits {
		if root := w.root(key); root != "" {
			return root
		}
	}
	if s.Action == plan.Wait {
		return s.Awaits[0].String()
	}
	if s.Action.Destroys() || s.Action == plan.Detach {
		for _, name := range s.Blockers {
			if !w.destroyed[name] {
				return name
			}
		}
	}
	return ""
}

// root follows the objects that a key waits for. It returns the first one that does not continue without a person or the cloud; "" if all
// of them continue. The result is stored for each key, so that a circle of waiting keys ends.
func (w waits) root(key manifest.Key) string {
	if known, ok := w.roots[key]; ok {
		return known
	}
	w.roots[key] = ""
	s := w.at[key]
	switch {
	case s == nil:
	case s.Error || s.Action == plan.Refuse || s.Action == plan.Wait:
		w.roots[key] = key.String()
	case s.Action == plan.Keep:
		if s.have == nil || !s.have.Phase.Usable() {
			w.roots[key] = key.String()
		}
	default:
		w.roots[key] = w.blocker(*s)
	}
	return w.roots[key]
}

// missingObject returns the name of the missing object that an object waits for, for K-ORC's message. It returns "" if the object waits for
// anything else, or for several objects.
func (w waits) missingObject(s subject) string {
	if s.have != nil || s.Error || s.Action != plan.Create || len(s.Awaits) != 1 || w.root(s.Awaits[0]) == "" {
		return ""
	}
	key, end := s.Awaits[0], "ready"
	if target := w.at[key]; target != nil && target.want != nil && target.want.Absent() {
		end = "created"
	}
	return "Waiting for " + key.String() + " to be " + end
}
