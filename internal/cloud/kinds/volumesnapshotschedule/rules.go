package volumesnapshotschedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

type rules struct{}

type want = typed.Want[Spec]

// minInterval is the shortest allowed time between two snapshots.
const minInterval = 10 * time.Minute

// Validate implements [typed.Kind].
func (rules) Validate(s *Spec, r *kind.Report) { s.Validate("spec", r) }

// Validate reports errors in a schedule at a path such as spec.
func (s *Spec) Validate(at string, r *kind.Report) {
	if _, err := time.LoadLocation(s.TimeZone); err != nil || s.TimeZone == "Local" || strings.ContainsAny(s.TimeZone, " =") {
		r.Problem(at+".timeZone", fmt.Sprintf("%q is not known", s.TimeZone), "use a name of the IANA time zone database, such as Europe/Berlin or UTC")
		return
	}
	times, err := s.times()
	if wrong := (*schedule.Error)(nil); errors.As(err, &wrong) {
		r.Problem(at+".schedule", fmt.Sprintf("%q %s", s.Schedule, wrong.Problem), wrong.Fix)
		return
	}
	first := times.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
	for range 100 {
		next := times.Next(first)
		if !next.IsZero() && next.Sub(first) < minInterval {
			r.Problem(at+".schedule", "is more frequent than every 10 minutes", "write a less frequent schedule, such as @hourly")
			return
		}
		first = next
	}
	if s.KeepFor != nil {
		if d, err := time.ParseDuration(*s.KeepFor); err != nil || d < time.Hour {
			r.Problem(at+".keepFor", fmt.Sprintf("is %q", *s.KeepFor), "write a duration of at least one hour, such as 720h for 30 days")
		}
	}
	if s.Container != nil && !s.backup() {
		r.Problem(at+".container", "is given for snapshots, which are always on the storage of the volume", "remove it, or set type: Backup")
	}
}

// Lasts implements [typed.Kind]: snapshots protect a volume's data, so they are deleted only if a manifest says so.
func (rules) Lasts(s *Spec) bool { return s.OnDelete != "delete" }

// Diff implements [typed.Kind]. The cloud stores nothing of a schedule except its mark. Therefore a change by a
// commit only shows as a different mark, and Diff adds the snapshots or backups that the change deletes.
func (rules) Diff(w want, have *series, c *kind.Changes) {
	of := have.counted(w.Spec, w.Ref("Volume", w.Spec.VolumeRef).ID)
	if n := len(have.Items) - len(of); n > 0 && w.Ref("Volume", w.Spec.VolumeRef).ID != "" {
		c.Note("spec", fmt.Sprintf("%d snapshots or backups with the mark of this object belong to another volume or type: they do not count and are not changed", n))
	}
	if have.Mark != nil && have.Mark.Applied == w.Mark.Applied {
		return // other changes depend on the time (see Upkeep)
	}
	spare := w.Spec.expired(of)
	if len(spare) == 0 {
		return
	}
	usable := 0
	for _, i := range of {
		if i.usable() {
			usable++
		}
	}
	c.Add(kind.Change{Field: keepField, Have: usable, Want: usable - len(spare), Destroys: true,
		Loss: fmt.Sprintf("%d of the %d %ss, from %s to %s", len(spare), usable, strings.ToLower(w.Spec.kindWord()), text(spare[0].momentOf()), text(spare[len(spare)-1].momentOf()))})
}

const keepField = "spec.keep"

// Upkeep implements [typed.Kind].
func (rules) Upkeep(w want, have *series, now time.Time) kind.Upkeep {
	volume := w.Ref("Volume", w.Spec.VolumeRef)
	return w.Spec.upkeep(have.counted(w.Spec, volume.ID), volume.Facts.Unusable, now)
}

// shown is the status of a series.
type shown struct {
	Newest string      `json:"newest,omitempty"`
	Items  []shownItem `json:"items"`
}

type shownItem struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	At       string `json:"at"`
	Status   string `json:"status"`
	Size     int    `json:"size"`
	VolumeID string `json:"volumeID"`
}

// Status implements [typed.Kind].
func (rules) Status(have *series) any {
	out := shown{Items: []shownItem{}}
	for _, i := range have.Items {
		if i.usable() && out.Newest == "" {
			out.Newest = text(i.momentOf())
		}
		out.Items = append(out.Items, shownItem{i.id, i.name, strings.TrimPrefix(i.kind, "Volume"), text(i.momentOf()), i.status, i.size, i.volume})
	}
	return out
}

// QuotaNeeded implements [typed.Kind]. It counts one item, because a new series has one, and other items are created
// later.
func (rules) QuotaNeeded(s *Spec, _ kind.FactsOf) kind.Amounts {
	name := "snapshots"
	if s.backup() {
		name = "backups"
	}
	return kind.Amounts{{Service: cloud.BlockStorage, Name: name}: 1}
}

// QuotaUsed implements [typed.Kind]. It counts nothing, because existing items already count as snapshots and backups.
func (rules) QuotaUsed(have *series, _ kind.FactsOf) kind.Amounts { return kind.Amounts{} }

// live returns a series as a [typed.Live].
func live(items []item) typed.Live[series] {
	s := &series{Items: items}
	oldest := items[len(items)-1]
	out := typed.Live[series]{Live: kind.Live{ID: oldest.id, Name: items[0].name, InOwnProject: oldest.mine, Created: oldest.created, Updated: items[0].created}, State: s}
	staying := slices.DeleteFunc(slices.Clone(items), func(i item) bool { return i.leaving() })
	if len(staying) == 0 {
		staying = items
	}
	for _, i := range staying {
		s.Mark = mark.Join(s.Mark, i.mark)
	}
	for _, i := range items {
		if i.kind == "VolumeSnapshot" && !slices.Contains(out.Uses, i.volume) {
			out.Uses = append(out.Uses, i.volume)
		}
		if i.usable() {
			out.Facts.Points = append(out.Facts.Points, kind.Point{At: i.momentOf(), SourceID: i.volume, Kind: i.kind, ID: i.id, Size: i.size})
		}
	}
	out.Mark, out.Copied = s.Mark, oldest.copied
	out.Phase, out.Message = phase(items)
	return out
}

// phase is the state of a series.
func phase(items []item) (kind.Phase, string) {
	if at := slices.IndexFunc(items, func(i item) bool { return strings.HasPrefix(i.status, "error_") }); at >= 0 {
		return kind.Degraded, items[at].describe() + " is in the status " + items[at].status + "; ask an administrator to reset the status, so that it can be deleted"
	}
	if slices.ContainsFunc(items, func(i item) bool { return i.usable() }) {
		return kind.Ready, ""
	}
	for _, i := range items {
		switch {
		case i.creating(): // creation can take hours, and no other step waits for it
			return kind.Ready, ""
		case !i.leaving():
			return kind.Degraded, i.describe() + " is in the status " + i.status + ", and there is no other"
		}
	}
	return kind.Deleting, "is being deleted"
}

// label returns the name of a new item: the name of its volume, and its time.
func label(w want, at time.Time) string {
	const longest = 200 // bytes; Cinder accepts 255 characters
	name := w.Spec.VolumeRef
	return name[:min(len(name), longest)] + "-" + at.UTC().Format("20060102T150405Z")
}
