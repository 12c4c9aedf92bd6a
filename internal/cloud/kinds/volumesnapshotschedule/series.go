package volumesnapshotschedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

// series are the items that bear the mark of a schedule, the newest first.
type series struct {
	Mark  *kind.Mark
	Items []item
}

// item is one snapshot or backup.
type item struct {
	id, name, volume, kind, status string
	size                           int
	created                        time.Time
	moment                         time.Time // from its metadata
	mark                           *kind.Mark
	own                            map[string]string // metadata without the mark
	copied                         string
	mine                           bool
}

func (s *item) available() bool { return s.status == "available" }

// usable reports whether its data exist and can be read now.
func (s *item) usable() bool {
	return s.available() || s.status == "backing-up" || s.status == "restoring"
}

func (s *item) failed() bool  { return s.status == "error" }
func (s *item) leaving() bool { return s.status == "deleting" || s.status == "deleted" }
func (s *item) creating() bool {
	return !s.usable() && !s.leaving() && !strings.HasPrefix(s.status, "error")
}

// skew is the maximal difference between the clocks of the agent and of the cloud.
const skew = 15 * time.Minute

// at is the moment that the item was taken for. Anybody who can write its metadata can write any moment. Therefore a
// moment after the item's creation, which the cloud reports, does not count.
func (s *item) at() time.Time {
	if latest := s.created.Add(skew); s.moment.IsZero() || s.moment.After(latest) {
		return s.created
	}
	return s.moment
}

// covers reports whether no moment of the schedule has passed since the item's own moment. A moment in the future is
// not believed. One in the past counts even if the cloud's clock contradicts it: otherwise an agent with a wrong
// clock would take one item after the other.
func (s *item) covers(times schedule.Schedule, now time.Time) bool {
	said := !s.moment.IsZero() && !s.moment.After(now) && times.Next(s.moment).After(now)
	return said || times.Next(s.at()).After(now)
}

// of are the items of a series that belong to the volume, and have the schedule's type. Others may bear the mark,
// too: somebody wrote it there, or the volume or the type was another one before. They do not count, and the agent
// does not change them.
func (s *series) of(spec *Spec, volume string) (list []item) {
	for _, i := range s.Items {
		if i.volume == volume && i.kind == spec.kind() {
			list = append(list, i)
		}
	}
	return list
}

// spare are the surplus and the expired items, the oldest first. Only usable items count, and a newer usable one
// always remains. An item's age is that at the time of the newest item, so neither a wrong clock nor a long absence
// makes items old.
func (s *Spec) spare(of []item) (list []item) {
	kept, newest := 0, time.Time{}
	for _, i := range of {
		if !i.usable() {
			continue
		}
		if kept == 0 {
			newest = i.at()
		}
		old := s.keepFor() > 0 && newest.Sub(i.at()) > s.keepFor()
		if kept > 0 && i.available() && (kept >= s.Keep || old) {
			list = append(list, i)
			continue
		}
		kept++
	}
	slices.Reverse(list)
	return list
}

// broken are the failed items that have no further use. Either a newer item is usable, or so many items failed later
// that these no longer affect the next attempt.
func broken(of []item) (list []item) {
	failures, superseded := 0, false
	for _, i := range of {
		switch {
		case i.usable():
			superseded = true
		case i.failed():
			if failures++; superseded || failures > mostFailed {
				list = append(list, i)
			}
		}
	}
	slices.Reverse(list)
	return list
}

// The pause after a failed item, which doubles with each failure. The cloud keeps no more failed items than are
// needed to count them.
const (
	firstRetry = 10 * time.Minute
	lastRetry  = 6 * time.Hour
	mostFailed = 7
	// check is the interval for looking at an item that is being created.
	check = 5 * time.Minute
)

// retry is the earliest time for an item after the last failures; the zero time if there were none.
func retry(of []item) (at time.Time) {
	failures, last := 0, time.Time{}
	for _, i := range of {
		if i.usable() {
			break
		}
		if i.failed() {
			failures++
			if i.created.After(last) {
				last = i.created
			}
		}
	}
	if failures == 0 {
		return time.Time{}
	}
	return last.Add(backoff.Pause(firstRetry, lastRetry, failures))
}

// upkeep says what is due at a time for the items that count, the newest first. unusable is the cause why the volume
// allows none at the moment.
func (s *Spec) upkeep(of []item, unusable string, now time.Time) (u kind.Upkeep) {
	times, err := s.times()
	if err != nil {
		u.Overdue = err.Error()
		return u
	}
	for _, i := range slices.Concat(s.spare(of), broken(of)) {
		u.Due = append(u.Due, kind.Change{Field: itemsField + "[" + i.id + "]", Have: i.called(), Want: "", Loss: "the " + strings.ToLower(s.kindWord()) + " of " + text(i.at())})
	}
	u.Next = times.Next(now)
	covered := slices.ContainsFunc(of, func(i item) bool { return !i.failed() && !i.leaving() && i.covers(times, now) })
	pending := slices.IndexFunc(of, func(i item) bool { return i.creating() })
	if pending >= 0 || unusable != "" {
		u.Next = sooner(u.Next, now.Add(check))
	}
	again := retry(of)
	if again.After(now) {
		u.Next = sooner(u.Next, again)
	}
	switch {
	case !again.IsZero():
		u.Overdue = fmt.Sprintf("the newest %s failed (status error); tried again from %s on", strings.ToLower(s.kindWord()), text(again))
	case pending >= 0 && !covered:
		u.Overdue = fmt.Sprintf("%s is still %s, and no other is taken meanwhile", of[pending].called(), of[pending].status)
	}
	if !covered && pending < 0 && unusable == "" && !again.After(now) {
		have, moment := newest(of), now
		if !have.IsZero() {
			moment = lastMoment(times, have, now)
		}
		u.Due = append(u.Due, kind.Change{Field: itemsField, Have: table.Timestamp(have), Want: text(moment)})
	}
	return u
}

// itemsField is the field of the status with the snapshots and backups of a series.
const itemsField = "status.items"

// newest is the moment of the newest item that has not failed; the zero time for none.
func newest(of []item) time.Time {
	for _, i := range of {
		if !i.failed() && !i.leaving() {
			return i.at()
		}
	}
	return time.Time{}
}

func sooner(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// mostMissed is the maximal number of missed moments that lastMoment goes through.
const mostMissed = 10_000

// lastMoment is the last moment of a schedule between after and now. It is now if that moment cannot be found.
func lastMoment(times schedule.Schedule, after, now time.Time) time.Time {
	last := now
	for n := range mostMissed {
		next := times.Next(after)
		if next.IsZero() || next.After(now) {
			return last
		}
		if after, last = next, next; n == mostMissed-1 {
			return now
		}
	}
	return last
}

// times are the moments of the schedule.
func (s *Spec) times() (schedule.Schedule, error) {
	if strings.Contains(s.Schedule, "=") {
		return schedule.Schedule{}, &schedule.Error{Spec: s.Schedule, Problem: "names a time zone", Fix: "use timeZone"}
	}
	return schedule.Parse("CRON_TZ=" + s.zone() + " " + strings.TrimSpace(s.Schedule))
}

func (s *Spec) zone() string { return cmp.Or(s.TimeZone, "UTC") }

// keepFor is 0 where age does not matter.
func (s *Spec) keepFor() time.Duration {
	if s.KeepFor == nil {
		return 0
	}
	d, _ := time.ParseDuration(*s.KeepFor) // Validate has checked it
	return d
}

func (s *Spec) backup() bool { return s.Type == "Backup" }

// kind is the kind of the items.
func (s *Spec) kind() string { return "Volume" + s.kindWord() }

func (s *Spec) kindWord() string { return cmp.Or(s.Type, "Snapshot") }

func (s *item) called() string { return s.name + " (" + s.id + ")" }

// text is the form of a time in metadata.
func text(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// newestFirst orders items by the creation times of the cloud.
func newestFirst(a, b item) int {
	return cmp.Or(b.created.Compare(a.created), b.at().Compare(a.at()), strings.Compare(b.id, a.id))
}
