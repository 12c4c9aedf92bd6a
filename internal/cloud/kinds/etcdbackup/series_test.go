package etcdbackup

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// taken returns snapshots that have these ages at noon, the newest first. A snapshot is half-made if its age begins with
// "half".
func taken(t *testing.T, ago ...string) (list []item) {
	t.Helper()
	for n, text := range ago {
		before, half := strings.CutPrefix(text, "half ")
		d, err := time.ParseDuration(before)
		if err != nil {
			t.Fatal(err)
		}
		at := noon.Add(-d)
		i := item{Container: "backups", Name: fmt.Sprint(len(ago) - n), Written: at, Mark: &kind.Mark{Applied: "x"}, Notes: map[string]string{etcdstore.Sum: "1", etcdstore.Moment: text2(at)}}
		if half {
			i.Mark, i.Notes = &kind.Mark{}, map[string]string{}
		}
		list = append(list, i)
	}
	return list
}

func text2(at time.Time) string { return at.Format(time.RFC3339) }

func due(u kind.Upkeep) string {
	var out []string
	for _, c := range u.Due {
		if c.Field == itemsField {
			out = append(out, "take")
			continue
		}
		out = append(out, "remove "+strings.TrimSuffix(strings.TrimPrefix(c.Field, itemsField+"["), "]"))
	}
	return strings.Join(out, ", ")
}

// clocks sets times for the newest snapshot, as durations after noon: written is the store's time, and noted is the time
// in the metadata.
type clocks struct {
	written, noted time.Duration
	behind         bool // whether the plan must report that this machine's clock is behind
}

func TestUpkeep(t *testing.T) {
	hourly, once := Spec{BackupPolicy: &Policy{Interval: 3600, MaxBackups: 2}}, Spec{}
	for name, c := range map[string]struct {
		spec   Spec
		have   []string
		failed failure
		want   string
		next   time.Duration // after noon; 0 for never
		clocks *clocks       // nil if all clocks are right
	}{
		"one that is new":             {hourly, []string{"10m"}, failure{}, "", 50 * time.Minute, nil},
		"one that is old":             {hourly, []string{"60m"}, failure{}, "take", time.Hour, nil},
		"long away":                   {hourly, []string{"100h"}, failure{}, "take", time.Hour, nil},
		"too many":                    {hourly, []string{"10m", "70m", "130m", "190m"}, failure{}, "remove 1, remove 2", 50 * time.Minute, nil},
		"the last good one stays":     {hourly, []string{"half 5m", "half 6m", "100h"}, failure{}, "take", time.Hour, nil},
		"half-made ones do not count": {hourly, []string{"half 5m", "10m", "70m"}, failure{}, "", 50 * time.Minute, nil},
		"what a process left goes":    {hourly, []string{"10m", "half 26m"}, failure{}, "remove 1", 50 * time.Minute, nil},
		"after a failure":             {hourly, []string{"2h"}, failure{1, noon.Add(-30 * time.Second), "silent"}, "", 30 * time.Second, nil},
		"later after a failure":       {hourly, []string{"2h"}, failure{1, noon.Add(-2 * time.Minute), "silent"}, "take", time.Hour, nil},
		"after many failures":         {hourly, []string{"2h"}, failure{20, noon, "silent"}, "", time.Hour, nil},
		"once":                        {once, []string{"1000h"}, failure{}, "", 0, nil},
		"a future time":               {hourly, []string{"2h"}, failure{}, "take", time.Hour, &clocks{-2 * time.Hour, 100 * time.Hour, false}},
		"none":                        {hourly, nil, failure{}, "take", time.Hour, nil},
		"none, once":                  {once, nil, failure{}, "take", 0, nil},
		"a clock that is ahead":       {hourly, []string{"0s"}, failure{}, "", 50 * time.Minute, &clocks{-2 * time.Hour, -10 * time.Minute, false}},
		"a fast clock, an hour later": {hourly, []string{"0s"}, failure{}, "take", time.Hour, &clocks{-3 * time.Hour, -time.Hour, false}},
		"a forged recent time":        {hourly, []string{"0s"}, failure{}, "", time.Hour, &clocks{-100 * time.Hour, 0, false}},
		"a clock that is behind":      {hourly, []string{"0s"}, failure{}, "", 50 * time.Minute, &clocks{2 * time.Hour, -10 * time.Minute, true}},
		"a machine without delay":     {hourly, []string{"0s"}, failure{}, "", 3 * time.Hour, &clocks{2 * time.Hour, 2 * time.Hour, true}},
		"somewhat behind":             {hourly, []string{"0s"}, failure{}, "", 50 * time.Minute, &clocks{14 * time.Minute, -10 * time.Minute, false}},
		"behind, and one is due":      {hourly, []string{"0s"}, failure{}, "take", time.Hour, &clocks{2 * time.Hour, -time.Hour, false}},
		"behind, once":                {once, []string{"0s"}, failure{}, "", 0, &clocks{2 * time.Hour, -10 * time.Minute, false}},
		"once, with an old failure":   {once, []string{"5m"}, failure{1, noon, "silent"}, "", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			of := taken(t, c.have...)
			if c.clocks != nil {
				of[0].Written, of[0].Notes[etcdstore.Moment] = noon.Add(c.clocks.written), text2(noon.Add(c.clocks.noted))
			}
			u := c.spec.upkeep(of, c.failed, noon)
			next := time.Duration(0)
			if !u.Next.IsZero() {
				next = u.Next.Sub(noon)
			}
			if got := due(u); got != c.want || next != c.next {
				t.Errorf("due: %q, next after %s; want %q, %s", got, next, c.want, c.next)
			}
			if late := strings.Contains(u.Overdue, "silent"); late != (c.failed.again().After(noon) && c.spec.interval() > 0) {
				t.Errorf("overdue: %q", u.Overdue)
			}
			if behind := strings.Contains(u.Overdue, "correct the clock"); behind != (c.clocks != nil && c.clocks.behind) {
				t.Errorf("overdue: %q", u.Overdue)
			}
			later := c.spec.upkeep(of, c.failed, noon.Add(time.Second))
			if !reflect.DeepEqual(later.Due, u.Due) || later.Overdue != u.Overdue {
				t.Errorf("a second later it is %v, %q; want %v, %q", later.Due, later.Overdue, u.Due, u.Overdue)
			}
		})
	}
}

// No snapshot is taken from a member that lies, has no contact to the others, or has damaged data.
func TestAttackChoose(t *testing.T) {
	list := etcd.Members{List: []etcd.Member{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4, IsLearner: true}}}
	says := func(cluster, leader, id, applied uint64, errs ...string) answer {
		return answer{answers: true, members: list, status: etcd.Status{ClusterID: cluster, Leader: leader, MemberID: id, AppliedIndex: applied, Errors: errs}}
	}
	alone := says(9, 9, 9, 1000)
	alone.members = etcd.Members{List: []etcd.Member{{ID: 9}}}
	for name, c := range map[string]struct {
		all  []answer
		want uint64 // 0 if no member may be chosen
	}{
		"the follower who is ahead":    {[]answer{says(7, 1, 1, 9), says(7, 1, 2, 8), says(7, 1, 3, 9)}, 3},
		"the leader where none other":  {[]answer{says(7, 1, 1, 9), says(7, 1, 2, 9, "memberID:2 alarm:CORRUPT"), says(7, 1, 3, 9, "no leader")}, 0},
		"no space is no harm":          {[]answer{says(7, 1, 1, 9), says(7, 1, 2, 9, "memberID:2 alarm:NOSPACE"), {}}, 2},
		"one that has heard the most":  {[]answer{alone, says(7, 1, 2, 8), says(7, 1, 1, 8)}, 2},
		"two that do not agree":        {[]answer{alone, says(7, 1, 2, 8)}, 0},
		"no majority":                  {[]answer{says(7, 1, 1, 9), {}, {}}, 0},
		"no leader":                    {[]answer{says(7, 0, 1, 9), says(7, 0, 2, 9), says(7, 0, 3, 9)}, 0},
		"one that stands for three":    {[]answer{says(7, 1, 1, 9), says(7, 1, 1, 9), says(7, 1, 1, 9)}, 0},
		"a learner is not asked":       {[]answer{says(7, 1, 1, 9), says(7, 1, 2, 8), says(7, 1, 4, 99)}, 2},
		"one that is no member":        {[]answer{says(7, 1, 1, 9), says(7, 1, 2, 8), says(7, 1, 5, 99)}, 2},
		"nobody":                       {[]answer{{}, {}, {}}, 0},
		"nobody who says who they are": {[]answer{{answers: true, status: etcd.Status{ClusterID: 7, Leader: 1, MemberID: 1}}}, 0},
		"an apparent single member":    {[]answer{alone}, 9},
	} {
		t.Run(name, func(t *testing.T) {
			best, err := choose(c.all)
			if best.status.MemberID != c.want || (err != nil) != (c.want == 0) {
				t.Errorf("%d is asked, %v; want %d", best.status.MemberID, err, c.want)
			}
		})
	}
}
