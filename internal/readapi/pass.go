package readapi

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/report"
)

var passGVK = manifest.GroupVersionKind{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Pass"}

const (
	// maxPasses is the maximum number of passes of a stack in memory. Older passes are dropped.
	maxPasses = 40
	// maxFailures is the maximum number of failures of a pass in memory.
	maxFailures = 10
)

// pass describes the end of a run, and counts the later runs that ended in the same way.
type pass struct {
	first, last time.Time // the start times of the first and the last of these runs
	took        time.Duration
	count       int
	commit      string
	outcome     string
	message     string
	did         string // "" if the cloud was not changed
	drifted     int
	failures    []string
}

func passOf(run report.Run) pass {
	p := pass{
		first: run.Started, last: run.Started, took: run.Took, count: 1, commit: run.Revision.Commit, outcome: run.Outcome().String(),
		message: report.Clean(report.StateAfter(&run).Message),
	}
	if run.Pass == nil {
		return p
	}
	p.did, p.drifted = report.ChangeCounts(*run.Pass), run.Pass.Drifted()
	for _, f := range run.Pass.Failures[:min(maxFailures, len(run.Pass.Failures))] {
		p.failures = append(p.failures, report.Clean(f.String()))
	}
	return p
}

// repeats reports whether two runs differ only in their times. It is false if one of them changed the cloud.
func (p pass) repeats(other pass) bool {
	return p.did == "" && other.did == "" && p.commit == other.commit && p.outcome == other.outcome && p.message == other.message &&
		p.drifted == other.drifted && slices.Equal(p.failures, other.failures)
}

// recorded adds a run to the passes of a stack.
func recorded(had []pass, run report.Run) []pass {
	all, now := slices.Clone(had), passOf(run)
	if n := len(all); n > 0 && all[n-1].repeats(now) {
		now.first, now.count = all[n-1].first, all[n-1].count+1
		all = all[:n-1]
	}
	all = append(all, now)
	return all[max(0, len(all)-maxPasses):]
}

func (p pass) draft(stack string) draft {
	status := map[string]any{
		"started": stamp(p.last), "first": stamp(p.first), "count": p.count, "seconds": p.took.Seconds(), "commit": p.commit, "outcome": p.outcome, "drifted": p.drifted,
	}
	for name, text := range map[string]string{"message": p.message, "did": p.did} {
		if text != "" {
			status[name] = text
		}
	}
	if len(p.failures) > 0 {
		status["failures"] = p.failures
	}
	name := stack + "." + strings.ToLower(p.first.UTC().Format("20060102t150405.000000"))
	return draft{
		item: item{
			gvk: passGVK, name: name, namespace: stack,
			labels: map[string]string{stackLabel: stack}, created: stamp(p.first), cells: clean(name, stamp(p.last), p.outcome, report.Short(p.commit), p.did, strconv.Itoa(p.count), p.message),
		},
		whole: map[string]any{"status": status},
	}
}
