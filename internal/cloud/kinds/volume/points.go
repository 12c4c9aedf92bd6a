package volume

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// before is the latest time of a snapshot or backup that may be restored; the zero time if any
// may be.
func (r *RestoreFrom) before() (time.Time, error) {
	if r.Before == nil {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, *r.Before)
}

// point returns the snapshot or backup whose data a new volume gets, or the reason why there is
// none. Other people can have marked snapshots of another volume as members of the series. If
// the series has snapshots of several volumes, point chooses none of them.
func (r *RestoreFrom) point(w typed.Want[Spec]) (found kind.Point, why string) {
	const series = "VolumeSnapshotSchedule"
	name := series + "/" + r.ScheduleRef
	facts, err := w.Marked(series, r.ScheduleRef)
	switch {
	case errors.Is(err, kind.ErrGone):
		return found, fmt.Sprintf("no snapshot or backup in the cloud has the mark of %s; correct the name, or wait for its first snapshot or backup", name)
	case err != nil:
		return found, fmt.Sprintf("%s: %v", name, err)
	}
	before, _ := r.before() // Validate reports the error
	var of []string
	for _, p := range facts.Points {
		switch {
		case r.VolumeID != nil && p.SourceID != *r.VolumeID:
			continue
		case !slices.Contains(of, p.SourceID):
			of = append(of, p.SourceID)
		}
		if (before.IsZero() || !p.At.After(before)) && p.At.After(found.At) {
			found = p
		}
	}
	switch {
	case len(of) > 1:
		return found, fmt.Sprintf("%s has snapshots or backups of several volumes; choose one with volumeID: %s", name, strings.Join(of, ", "))
	case found.ID == "" && r.Before != nil:
		return found, fmt.Sprintf("%s has no snapshot or backup that is available and not later than %s", name, *r.Before)
	case found.ID == "":
		return found, fmt.Sprintf("%s has no snapshot or backup that is available", name)
	}
	return found, ""
}
