package volumesnapshotschedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// said reads a series from texts, the newest item first. A text has a status, the creation time and, after
// "for", the moment in the metadata.
func said(t *testing.T, words ...string) (list []item) {
	t.Helper()
	for n, text := range words {
		status, rest, _ := strings.Cut(text, " ")
		made, moment, named := strings.Cut(rest, " for ")
		i := item{id: fmt.Sprint(len(words) - n), name: "data", volume: "v", kind: "VolumeSnapshot", status: status, created: clock(t, made)}
		if named {
			i.moment = clock(t, moment)
		}
		list = append(list, i)
	}
	return list
}

// clock reads a time. A text without year and month is a time in June 2026.
func clock(t *testing.T, text string) time.Time {
	t.Helper()
	if len(text) == len("01 15:04") {
		text = "2026-06-" + text
	}
	at, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// due describes an upkeep in a text: the IDs of items to remove, and the moment of a new item.
func due(u kind.Upkeep) string {
	var out []string
	for _, c := range u.Due {
		if c.Field == itemsField {
			out = append(out, "take "+strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(c.Want), "2026-06-"), ":00Z"))
			continue
		}
		out = append(out, "remove "+strings.TrimSuffix(strings.TrimPrefix(c.Field, itemsField+"["), "]"))
	}
	return strings.Join(out, ", ")
}

func TestUpkeep(t *testing.T) {
	nightly, month := Spec{Schedule: "0 3 * * *", Keep: 2}, "48h"
	aged := Spec{Schedule: "0 3 * * *", Keep: 10, KeepFor: &month}
	for name, tt := range map[string]struct {
		spec    Spec
		now     string
		have    []string
		want    string
		next    string
		overdue string
	}{
		"nothing passed since the newest":    {nightly, "02 02:59", []string{"available 01 03:00"}, "", "02 03:00", ""},
		"the moment has come":                {nightly, "02 03:00", []string{"available 01 03:00"}, "take 02T03:00", "03 03:00", ""},
		"several missed times":               {nightly, "09 17:20", []string{"available 01 03:00"}, "take 09T03:00", "10 03:00", ""},
		"a late snapshot":                    {nightly, "10 02:00", []string{"available 09 17:20 for 09 03:00"}, "", "10 03:00", ""},
		"the time after a late one":          {nightly, "10 03:01", []string{"available 09 17:20 for 09 03:00"}, "take 10T03:00", "11 03:00", ""},
		"a slow clock of the cloud":          {nightly, "02 03:01", []string{"creating 02 02:57 for 02 03:00", "available 01 03:00"}, "", "02 03:06", ""},
		"one in creation is not repeated":    {nightly, "03 03:00", []string{"creating 02 03:00"}, "", "03 03:05", "data (1) is still creating; no new one is taken until then"},
		"the first one of another volume":    {nightly, "02 14:00", nil, "take 02T14:00", "03 03:00", ""},
		"surplus goes, the oldest first":     {nightly, "04 04:00", []string{"available 04 03:00", "available 03 03:00", "available 02 03:00", "available 01 03:00"}, "remove 1, remove 2", "05 03:00", ""},
		"no newer one yet":                   {nightly, "03 03:01", []string{"creating 03 03:00", "available 02 03:00", "available 01 03:00"}, "", "03 03:06", ""},
		"what fails does not count":          {nightly, "03 03:01", []string{"error 03 03:00", "available 02 03:00", "available 01 03:00"}, "", "03 03:10", "the newest snapshot failed (status error); the next attempt is made after 2026-06-03T03:10:00Z"},
		"a later attempt":                    {nightly, "03 03:10", []string{"error 03 03:00", "available 02 03:00"}, "take 03T03:00", "04 03:00", "the newest snapshot failed (status error); the next attempt is made after 2026-06-03T03:10:00Z"},
		"later each time":                    {nightly, "03 03:29", []string{"error 03 03:10", "error 03 03:00", "available 02 03:00"}, "", "03 03:30", "the newest snapshot failed (status error); the next attempt is made after 2026-06-03T03:30:00Z"},
		"a newer one exists":                 {nightly, "03 05:00", []string{"available 03 04:00 for 03 03:00", "error 03 03:00"}, "remove 1", "04 03:00", ""},
		"not while that is in creation":      {nightly, "03 04:01", []string{"creating 03 04:00 for 03 03:00", "error 03 03:00", "available 02 03:00"}, "", "03 04:06", "the newest snapshot failed (status error); the next attempt is made after 2026-06-03T03:10:00Z"},
		"the last one never goes":            {Spec{Schedule: "0 3 * * *", Keep: 1}, "01 04:00", []string{"error 01 03:30", "error 01 03:10", "available 01 03:00"}, "", "01 03:50", ""},
		"in use":                             {Spec{Schedule: "0 3 * * *", Keep: 1}, "02 04:00", []string{"available 02 03:00", "backing-up 01 03:00"}, "", "03 03:00", ""},
		"removal in progress":                {Spec{Schedule: "0 3 * * *", Keep: 1}, "02 04:00", []string{"available 02 03:00", "deleting 01 03:00"}, "", "03 03:00", ""},
		"too old, whatever their number":     {aged, "05 04:00", []string{"available 05 03:00", "available 03 03:00", "available 02 03:00"}, "remove 1", "06 03:00", ""},
		"age at the newest":                  {aged, "25 02:00", []string{"available 05 03:00", "available 03 03:00"}, "take 24T03:00", "25 03:00", ""},
		"a forged moment in the future":      {nightly, "05 04:00", []string{"available 01 03:00 for 2036-01-01 00:00"}, "take 05T03:00", "06 03:00", ""},
		"a wrong clock":                      {nightly, "2030-01-01 12:00", []string{"creating 02 12:00 for 2030-01-01 03:00"}, "", "2030-01-01 12:05", ""},
		"a corrected clock":                  {nightly, "03 04:00", []string{"available 02 12:00 for 2030-01-01 03:00"}, "take 03T03:00", "04 03:00", ""},
		"an interval counts from the newest": {Spec{Schedule: "@every 6h", Keep: 5}, "01 14:00", []string{"available 01 01:30"}, "take 01T13:30", "01 20:00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			u := tt.spec.upkeep(said(t, tt.have...), "", clock(t, tt.now))
			if got := due(u); got != tt.want {
				t.Errorf("does %q, want %q", got, tt.want)
			}
			if name == "the last one never goes" {
				return // this case does not test the time of the next upkeep
			}
			if !u.Next.Equal(clock(t, tt.next)) || u.Overdue != tt.overdue {
				t.Errorf("next %s, want %s; overdue %q, want %q", u.Next, tt.next, u.Overdue, tt.overdue)
			}
		})
	}
}

// When summer time begins, no night's snapshot is skipped. When it ends, the clock shows half past two twice,
// but only one snapshot is created.
func TestUpkeepOverSummerTime(t *testing.T) {
	for begin, want := range map[string]int{"2026-03-25 12:00": 8, "2026-10-22 12:00": 8} {
		s := Spec{Schedule: "30 2 * * *", TimeZone: "Europe/Berlin", Keep: 100}
		now := clock(t, begin)
		have := []item{{id: "0", volume: "v", kind: "VolumeSnapshot", status: "available", created: now, moment: now}}
		for range 8 * 24 * 12 {
			now = now.Add(5 * time.Minute)
			for _, c := range s.upkeep(have, "", now).Due {
				moment, err := time.Parse(time.RFC3339, fmt.Sprint(c.Want))
				if err != nil {
					t.Fatal(err)
				}
				have = slices.Insert(have, 0, item{id: fmt.Sprint(len(have)), volume: "v", kind: "VolumeSnapshot", status: "available", created: now, moment: moment})
			}
		}
		if len(have)-1 != want {
			t.Errorf("from %s on: %d snapshots in 8 nights", begin, len(have)-1)
		}
	}
}

// If snapshots fail repeatedly, there are few attempts, and few failed items.
func TestFailuresDoNotStorm(t *testing.T) {
	s := Spec{Schedule: "@hourly", Keep: 3}
	now, made := clock(t, "01 00:00"), 0
	have := []item{{id: "good", name: "data", volume: "v", kind: "VolumeSnapshot", status: "available", created: now}}
	for range 3 * 24 * 12 {
		now = now.Add(5 * time.Minute)
		for _, c := range s.upkeep(have, "", now).Due {
			if c.Field != itemsField {
				have = slices.DeleteFunc(have, func(i item) bool { return c.Field == itemsField+"["+i.id+"]" })
				continue
			}
			made++
			have = slices.Insert(have, 0, item{id: fmt.Sprint(made), name: "data", volume: "v", kind: "VolumeSnapshot", status: "error", created: now})
		}
	}
	if made < 10 || made > 20 || len(have) > maxFailed+2 || have[len(have)-1].id != "good" {
		t.Errorf("%d were tried in 3 days, %d are left, the oldest is %s", made, len(have), have[len(have)-1].id)
	}
}

// While the volume is backed up, the agent requests no snapshot of it, and checks it again soon.
func TestABusyVolumeIsLeftAlone(t *testing.T) {
	s, now := Spec{Schedule: "0 3 * * *", Keep: 1}, clock(t, "05 03:00")
	if u := s.upkeep(said(t, "available 04 03:00"), "a backup is being made of it", now); len(u.Due) != 0 || !u.Next.Equal(now.Add(check)) {
		t.Errorf("does %q, next %s", due(u), u.Next)
	}
}

// If an item has the mark but belongs to another volume, or has the other type, it is neither counted nor
// removed.
func TestOthersDoNotCount(t *testing.T) {
	s := Spec{Schedule: "0 3 * * *", Keep: 1}
	all := said(t, "available 05 03:00", "available 04 03:00", "available 03 03:00", "available 02 03:00")
	all[0].volume, all[1].kind = "another", "VolumeBackup"
	have := series{Items: all}
	if got := due(s.upkeep(have.counted(&s, "v"), "", clock(t, "05 03:10"))); got != "remove 1, take 05T03:00" {
		t.Errorf("does %q", got)
	}
}

func TestValidate(t *testing.T) {
	short, long := "30m", "720h"
	for _, tt := range []struct {
		spec Spec
		want string
	}{
		{Spec{Schedule: "0 3 * * *", TimeZone: "UTC", Keep: 1, KeepFor: &long}, ""},
		{Spec{Schedule: "at night"}, "spec.schedule \"at night\" cannot be read"},
		{Spec{Schedule: "*/5 * * * *"}, "spec.schedule is more frequent than every 10 minutes"},
		{Spec{Schedule: "0,1 3 * * *"}, "spec.schedule is more frequent than every 10 minutes"},
		{Spec{Schedule: "TZ=UTC 0 3 * * *"}, "spec.schedule \"TZ=UTC 0 3 * * *\" names a time zone"},
		{Spec{Schedule: "0 3 * * *", TimeZone: "Nowhere/X"}, "spec.timeZone \"Nowhere/X\" is not known"},
		{Spec{Schedule: "0 3 * * *", TimeZone: "Local"}, "spec.timeZone \"Local\" is not known"},
		{Spec{Schedule: "0 3 * * *", TimeZone: "UTC 1 1 * * *\nTZ=UTC"}, "spec.timeZone"},
		{Spec{Schedule: "0 3 * * *", KeepFor: &short}, "spec.keepFor is \"30m\""},
		{Spec{Schedule: "0 3 * * *", Container: &long}, "spec.container is given for snapshots"},
	} {
		var r kind.Report
		tt.spec.Validate("spec", &r)
		got := ""
		for _, p := range r.Problems(new(manifest.Object)) {
			got += p.Field + " " + p.What
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%+v: %s, want %s", tt.spec, got, tt.want)
		}
	}
}
