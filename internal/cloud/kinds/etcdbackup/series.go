package etcdbackup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// item is one snapshot.
type item = etcdstore.Object

// series are the objects that have the mark of an EtcdBackup, the newest first.
type series struct {
	Mark   *kind.Mark
	Items  []item
	failed failure // the last failed attempts
}

// itemsIn returns the items of the series that are in a container. Items in another container may have the mark, too:
// somebody wrote it, or the manifest named that container before. They do not count, and none of them is removed.
func (s *series) itemsIn(container string) (list []item) {
	for _, i := range s.Items {
		if i.Container == container {
			list = append(list, i)
		}
	}
	return list
}

func countUsable(of []item) (n int) {
	for i := range of {
		if of[i].Whole() {
			n++
		}
	}
	return n
}

// surplus returns the complete items beyond the number that is kept, the oldest first. At least one complete item always
// remains.
func (s *Spec) surplus(of []item) (list []item) {
	kept := 0
	for _, i := range of {
		if !i.Whole() {
			continue
		}
		if kept >= s.keep() {
			list = append(list, i)
			continue
		}
		kept++
	}
	slices.Reverse(list)
	return list
}

// incomplete returns the incomplete items that a process left when it ended. An item that a process may still write is not
// among them.
func (s *Spec) incomplete(of []item, now time.Time) (list []item) {
	for _, i := range of {
		if !i.Whole() && now.Sub(i.Written) > s.longest()+etcdstore.Skew {
			list = append(list, i)
		}
	}
	return list
}

// The pause after a failed snapshot. It doubles with each failure, up to lastRetry.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// failure is the number, the time and the cause of the last failed attempts.
type failure struct {
	times int
	at    time.Time
	why   string
}

// again returns the earliest time for the next attempt.
func (f failure) again() time.Time {
	if f.times == 0 {
		return time.Time{}
	}
	return f.at.Add(backoff.Pause(firstRetry, lastRetry, f.times))
}

// maxRemoved is the number of snapshots that one pass removes at most.
const maxRemoved = 100

// upkeep returns the changes that are due now. The argument of has the items that count, the newest first.
func (s *Spec) upkeep(of []item, failed failure, now time.Time) (u kind.Upkeep) {
	gone := slices.Concat(s.surplus(of), s.incomplete(of, now))
	for _, i := range gone[:min(len(gone), maxRemoved)] {
		u.Due = append(u.Due, kind.Change{Field: itemsField + "[" + i.Name + "]", Have: etcdstore.ShortName(i.Name), Want: "", Loss: "the snapshot of " + text(i.At())})
	}
	every, newest := s.interval(), newest(of)
	due := newest == nil
	have, moment := time.Time{}, "first"
	if newest != nil && every > 0 {
		have = since(newest, now)
		next := have.Add(every)
		moment = text(next) // the text stays the same until there is a newer snapshot
		if due = !next.After(now); !due {
			u.Next = next
			if newest.Written.After(now.Add(etcdstore.Skew)) {
				u.Overdue = clockBehind
			}
		}
	}
	if !due {
		return u
	}
	if again := failed.again(); again.After(now) {
		u.Next, u.Overdue = again, fmt.Sprintf("the last backup failed: %s; the next attempt is made after %s", failed.why, text(again))
		return u
	}
	u.Due = append(u.Due, kind.Change{Field: itemsField, Have: table.Timestamp(have), Want: moment})
	if every > 0 {
		u.Next = now.Add(every)
	}
	return u
}

// clockBehind tells operators that the clock of this machine may be behind the store's clock.
const clockBehind = "the store says that the newest snapshot was written in the future, so the clock of this machine is behind, and the next one may come too late; correct the clock"

// newest returns the newest complete item, or nil if there is none.
func newest(of []item) *item {
	for i := range of {
		if of[i].Whole() {
			return &of[i]
		}
	}
	return nil
}

// since returns the time from which the interval to the next snapshot is counted. It is the time in the item's metadata,
// from the clock of the process that took the snapshot, even if that clock is ahead of the store's clock. A time later
// than now is ignored, because otherwise backups would stop. A forged earlier time delays one backup by one interval at
// most.
func since(newest *item, now time.Time) time.Time {
	if at, ok := newest.Noted(); ok && !at.After(now) {
		return at
	}
	return newest.At()
}

// text returns a time in the form that is used in metadata.
func text(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// newestFirst orders items by the times at which the snapshots were taken.
func newestFirst(a, b item) int {
	return cmp.Or(b.At().Compare(a.At()), cmp.Compare(b.Number(etcdstore.Revision), a.Number(etcdstore.Revision)), strings.Compare(b.Name, a.Name))
}

// Status implements [typed.Kind].
func (rules) Status(have *series) any {
	out := shown{Items: []shownItem{}, Reason: have.failed.why}
	for _, i := range have.Items {
		if !i.Whole() {
			continue
		}
		version := printable.Clip(printable.Line(i.Notes[etcdstore.Version]), 40)
		if out.LastSuccess == "" {
			out.LastSuccess, out.EtcdVersion, out.EtcdRevision = text(i.At()), version, i.Number(etcdstore.Revision)
			out.Succeeded = have.failed.times == 0
		}
		out.Items = append(out.Items, shownItem{i.Container + "/" + i.Name, text(i.At()), i.Number(etcdstore.Revision), version, i.Size, printable.Clip(printable.Line(i.Notes[etcdstore.Sum]), 64)})
	}
	return out
}

// live converts a series to a [typed.Live].
func live(items []item, failed failure) typed.Live[series] {
	s := &series{Items: items, failed: failed}
	oldest := items[len(items)-1]
	out := typed.Live[series]{Live: kind.Live{ID: oldest.Container + "/" + oldest.Name, Name: items[0].Name, InOwnProject: true, Created: oldest.Written, Updated: items[0].Written, Phase: kind.Begun,
		Message: "no snapshot is complete yet"}, State: s}
	for _, i := range items {
		if i.Whole() {
			out.Phase, out.Message = kind.Ready, ""
			s.Mark = mark.Join(s.Mark, i.Mark)
		}
		if !slices.Contains(out.Uses, i.Container) {
			out.Uses = append(out.Uses, i.Container)
		}
	}
	if s.Mark == nil {
		for _, i := range items {
			s.Mark = mark.Join(s.Mark, i.Mark)
		}
	}
	out.Mark, out.Copied = s.Mark, oldest.Copied
	return out
}
