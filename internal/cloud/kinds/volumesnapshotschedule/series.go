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

// series is what bears the mark of a schedule, the newest first.
type series struct {
	Mark  *kind.Mark
	Items []item
}

// item is one snapshot or backup.
type item struct {
	id, name, volume, kind, status string
	size                           int
	created                        time.Time
	moment                         time.Time // that it stands for, as it says itself
	mark                           *kind.Mark
	own                            map[string]string // metadata without the mark
	copied                         string
	mine                           bool
}

func (s *item) available() bool { return s.status == "available" }

// usable reports whether its data is there: something may be read from it now.
func (s *item) usable() bool {
	return s.available() || s.status == "backing-up" || s.status == "restoring"
}

func (s *item) failed() bool  { return s.status == "error" }
func (s *item) leaving() bool { return s.status == "deleting" || s.status == "deleted" }
func (s *item) creating() bool {
	return !s.usable() && !s.leaving() && !strings.HasPrefix(s.status, "error")
}

// skew is by how much the clocks of the agent and of the cloud may differ.
const skew = 15 * time.Minute

// at is the moment that the item stands for. Who can write its metadata can write any: one that is after its
// creation, which the cloud says, is none.
func (s *item) at() time.Time {
	if latest := s.created.Add(skew); s.moment.IsZero() || s.moment.After(latest) {
		return s.created
	}
	return s.moment
}

// covers reports whether no moment of the schedule has passed since the one that the item stands for. A moment in
// the future is not believed; of one in the past it counts even if the cloud's clock says otherwise, or an
// agent with a wrong clock would take one after the other.
func (s *item) covers(times schedule.Schedule, now time.Time) bool {
	said := !s.moment.IsZero() && !s.moment.After(now) && times.Next(s.moment).After(now)
	return said || times.Next(s.at()).After(now)
}

// of are those of a series that are of the volume, and of the type that the schedule takes. Others bear
// the mark as well, because somebody wrote it there, or the volume or the type was another one before: they do not
// count, and nothing is done about them.
func (s *series) of(spec *Spec, volume string) (list []item) {
	for _, i := range s.Items {
		if i.volume == volume && i.kind == spec.kind() {
			list = append(list, i)
		}
	}
	return list
}

// spare are those that are too many or too old, the oldest first. There is always a newer one that is
// usable, and only those are counted. An age is that at the time of the newest, so neither a clock that is wrong
// nor a long absence makes any old.
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

// broken are those that failed and are of no more use: a newer one is there, or so many failed since
// that these say nothing more about when to try again.
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

// How long it takes until one is tried again after one has failed, which doubles with each. No more of those
// are left in the cloud than it takes to count them.
const (
	firstRetry = 10 * time.Minute
	lastRetry  = 6 * time.Hour
	mostFailed = 7
	// check is when what is being created is looked at again.
	check = 5 * time.Minute
)

// retry is when one may be taken after those that failed last; the zero time where none has.
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

// upkeep says what is due at a time of those that count, the newest first. unusable says why none can be taken of the
// volume at the moment.
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

// itemsField is where a status shows the snapshots and backups of a series.
const itemsField = "status.items"

// newest is the moment of the newest that has not failed; the zero time for none.
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

// mostMissed bounds how many moments are gone through that nobody was there for.
const mostMissed = 10_000

// lastMoment is the last one of a schedule after a time that has passed; now where that is not to be found.
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
		return schedule.Schedule{}, fmt.Errorf("schedule %q names a time zone; use timeZone", s.Schedule)
	}
	return schedule.Parse("CRON_TZ=" + s.zone() + " " + strings.TrimSpace(s.Schedule))
}

func (s *Spec) zone() string { return cmp.Or(s.TimeZone, "UTC") }

// keepFor is 0 where age does not matter.
func (s *Spec) keepFor() time.Duration {
	if s.KeepFor == nil {
		return 0
	}
	d, _ := time.ParseDuration(*s.KeepFor) // validate has read it
	return d
}

func (s *Spec) backup() bool { return s.Type == "Backup" }

// kind is that of what is taken.
func (s *Spec) kind() string { return "Volume" + s.kindWord() }

func (s *Spec) kindWord() string { return cmp.Or(s.Type, "Snapshot") }

func (s *item) called() string { return s.name + " (" + s.id + ")" }

// text is a time as it is written into metadata.
func text(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// newestFirst orders by what the cloud says of when they were made.
func newestFirst(a, b item) int {
	return cmp.Or(b.created.Compare(a.created), b.at().Compare(a.at()), strings.Compare(b.id, a.id))
}
