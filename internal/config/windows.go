package config

import (
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

// Window is a period in which the stack's cloud may be changed, or may not be changed.
type Window struct {
	Kind     string `json:"kind,omitempty" rule:"enum=allow|deny,default=allow" doc:"allow: changes are made only within windows of this kind. deny: no changes are made within this window, even if another window allows them."`
	Schedule string `json:"schedule" rule:"required,max=100" doc:"When the window begins: a cron expression of five fields, such as 0 22 * * 1-5."`
	Duration string `json:"duration" rule:"required,max=20" doc:"How long the window lasts, from 1m to 744h. 8h are always eight hours, even in a night in which clocks change."`
	TimeZone string `json:"timeZone,omitempty" rule:"max=64" doc:"Time zone of the schedule, such as Europe/Berlin; the agent's time zone if left out."`
	Changes  string `json:"changes,omitempty" rule:"enum=all|destructive,default=all" doc:"all: nothing is changed outside of the window. destructive: the window applies only to deleting, replacing and wiping. All other changes are made at any time."`
}

// windows parses the windows for all changes, or those for destructive changes only. It calls problem for each
// mistake. It returns false if there are no such windows.
func (s *Sync) windows(changes string, problem func(field, what string)) (list schedule.Windows, some bool) {
	for i, w := range s.Windows {
		parsed, err := schedule.ParseWindow(w.Schedule, w.Duration, w.TimeZone)
		if err != nil {
			problem(fmt.Sprintf("spec.sync.windows[%d]", i), err.Error())
			continue
		}
		if (w.Changes == "destructive") != (changes == "destructive") {
			continue
		}
		some = true
		if w.Kind == "deny" {
			list.Deny = append(list.Deny, parsed)
		} else {
			list.Allow = append(list.Allow, parsed)
		}
	}
	return list, some
}

// inTime returns the policies that the windows define.
func (s *Sync) inTime() (policies []plan.Policy) {
	none := func(string, string) {} // check reports these problems
	if list, some := s.windows("all", none); some {
		policies = append(policies, guard.Within(closed(list, "spec.sync.windows of the agent's configuration allow no change")))
	}
	if list, some := s.windows("destructive", none); some {
		policies = append(policies, guard.DestroyWithin(closed(list, "spec.sync.windows of the agent's configuration allow nothing to be deleted, replaced or wiped")))
	}
	return policies
}

// closed returns a function for changes at a time. The function returns the time until which a change is allowed, or
// the reason why it is not allowed.
func closed(w schedule.Windows, what string) func(at time.Time) (closes time.Time, why string) {
	return func(at time.Time) (closes time.Time, why string) {
		until, open := w.Open(at)
		switch {
		case open:
			return until, ""
		case until.IsZero():
			return time.Time{}, what + " now; no later time was found at which this ends"
		}
		return time.Time{}, what + " before " + until.Format("Mon 2006-01-02 15:04 MST")
	}
}
