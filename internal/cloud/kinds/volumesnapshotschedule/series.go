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

// series is the items that have the mark of a schedule. The newest comes first.
type series struct {
	Mark  *kind.Mark
	Items []item
}

// item is one snapshot or backup.
type item struct {
	id, name, volume, kind, status string
	size                           int
	created                        time.Time
	moment                         time.Time // the moment for which it was created, from its metadata
	mark                           *kind.Mark
	own                            map[string]string // metadata except the mark
	copied                         string
	mine                           bool
}

func (s *item) available() bool { return s.status == "available" }

// usable reports whether the data of the item exist and can be read now.
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

// momentOf is the moment for which the item was created. Anybody who can write the item's metadata can write any moment.
// Therefore a moment that is later than the item's creation, which the cloud reports, does not count.
func (s *item) momentOf() time.Time {
	if latest := s.created.Add(skew); s.moment.IsZero() || s.moment.After(latest) {
		return s.created
	}
	return s.moment
}

// covers reports whether no moment of the schedule has passed since the item's moment. A moment in the future does
// not count. A moment in the past counts even if it contradicts the cloud's clock. Otherwise an agent whose clock is
// wrong would create one item after the other.
func (s *item) covers(times schedule.Schedule, now time.Time) bool {
	said := !s.moment.IsZero() && !s.moment.After(now) && times.Next(s.moment).After(now)
	return said || times.Next(s.momentOf()).After(now)
}

// counted returns the items that belong to the volume and have the schedule's type. Other items can have the mark, too,
// because somebody wrote it there, or because the volume or the type has changed since. They do not count, and the
// agent does not change them.
func (s *series) counted(spec *Spec, volume string) (list []item) {
	for _, i := range s.Items {
		if i.volume == volume && i.kind == spec.kind() {
			list = append(list, i)
		}
	}
	return list
}

// expired returns the surplus and the expired items, the oldest first. Only usable items count, and the newest usable
// item is never among them. The age of an item is the time between the item and the newest item. Therefore neither a
// wrong clock nor a long pause of the agent makes items expire.
func (s *Spec) expired(of []item) (list []item) {
	kept, newest := 0, time.Time{}
	for _, i := range of {
		if !i.usable() {
			continue
		}
		if kept == 0 {
			newest = i.momentOf()
		}
		old := s.keepFor() > 0 && newest.Sub(i.momentOf()) > s.keepFor()
		if kept > 0 && i.available() && (kept >= s.Keep || old) {
			list = append(list, i)
			continue
		}
		kept++
	}
	slices.Reverse(list)
	return list
}

// broken returns the failed items that are no longer needed. An item is not needed if a newer item is usable, or if
// maxFailed newer items failed: then it does not affect when the next item is created.
func broken(of []item) (list []item) {
	failures, superseded := 0, false
	for _, i := range of {
		switch {
		case i.usable():
			superseded = true
		case i.failed():
			if failures++; superseded || failures > maxFailed {
				list = append(list, i)
			}
		}
	}
	slices.Reverse(list)
	return list
}

// These constants define the pause after a failed item. The pause doubles with each failure. At most maxFailed
// failed items remain in the cloud, because the pause does not depend on more.
const (
	firstRetry = 10 * time.Minute
	lastRetry  = 6 * time.Hour
	maxFailed  = 7
	// check is the interval at which an item is read that is being created.
	check = 5 * time.Minute
)

// retry returns the earliest time for another item after failures; the zero time if the newest items have not
// failed.
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

// upkeep returns the changes that are due at the time now. The argument of has the items that count, the newest first. unusable
// is the reason if the volume does not allow an item at the moment.
func (s *Spec) upkeep(of []item, unusable string, now time.Time) (u kind.Upkeep) {
	times, err := s.times()
	if err != nil {
		u.Overdue = err.Error()
		return u
	}
	for _, i := range slices.Concat(s.expired(of), broken(of)) {
		u.Due = append(u.Due, kind.Change{Field: itemsField + "[" + i.id + "]", Have: i.describe(), Want: "", Loss: "the " + strings.ToLower(s.kindWord()) + " of " + text(i.momentOf())})
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
		u.Overdue = fmt.Sprintf("the newest %s failed (status error); the next attempt is made after %s", strings.ToLower(s.kindWord()), text(again))
	case pending >= 0 && !covered:
		u.Overdue = fmt.Sprintf("%s is still %s; no new one is taken until then", of[pending].describe(), of[pending].status)
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

// itemsField is the field of the status that lists the snapshots and backups of a series.
const itemsField = "status.items"

// newest returns the moment of the newest item that neither failed nor is being deleted; the zero time if there is
// none.
func newest(of []item) time.Time {
	for _, i := range of {
		if !i.failed() && !i.leaving() {
			return i.momentOf()
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

// maxMissedMoments is the maximal number of missed moments through which lastMoment searches.
const maxMissedMoments = 10_000

// lastMoment returns the last moment of a schedule between after and now. If there are more than maxMissedMoments such
// moments, it returns now.
func lastMoment(times schedule.Schedule, after, now time.Time) time.Time {
	last := now
	for n := range maxMissedMoments {
		next := times.Next(after)
		if next.IsZero() || next.After(now) {
			return last
		}
		if after, last = next, next; n == maxMissedMoments-1 {
			return now
		}
	}
	return last
}

// times returns the schedule in the declared time zone.
func (s *Spec) times() (schedule.Schedule, error) {
	if strings.Contains(s.Schedule, "=") {
		return schedule.Schedule{}, &schedule.Error{Spec: s.Schedule, Problem: "names a time zone", Fix: "use timeZone"}
	}
	return schedule.Parse("CRON_TZ=" + s.zone() + " " + strings.TrimSpace(s.Schedule))
}

func (s *Spec) zone() string { return cmp.Or(s.TimeZone, "UTC") }

// keepFor is the age at which an item expires; 0 if items never expire.
func (s *Spec) keepFor() time.Duration {
	if s.KeepFor == nil {
		return 0
	}
	d, _ := time.ParseDuration(*s.KeepFor) // Validate reports the error
	return d
}

func (s *Spec) backup() bool { return s.Type == "Backup" }

// kind is the kind of the items.
func (s *Spec) kind() string { return "Volume" + s.kindWord() }

func (s *Spec) kindWord() string { return cmp.Or(s.Type, "Snapshot") }

func (s *item) describe() string { return s.name + " (" + s.id + ")" }

// text formats a time as metadata contain it.
func text(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// newestFirst compares items by the creation times that the cloud reports. Newer items come first.
func newestFirst(a, b item) int {
	return cmp.Or(b.created.Compare(a.created), b.momentOf().Compare(a.momentOf()), strings.Compare(b.id, a.id))
}
