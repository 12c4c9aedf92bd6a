package schedule_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func window(t testing.TB, spec, lasts string) schedule.Window {
	t.Helper()
	w, err := schedule.ParseWindow(spec, lasts, "Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func berlin(t testing.TB, text string) time.Time {
	t.Helper()
	place, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", text, place)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestWindows(t *testing.T) {
	nights := []schedule.Window{window(t, "0 22 * * *", "8h")}
	for _, c := range []struct {
		name  string
		is    schedule.Windows
		at    string
		open  bool
		until string // "" means forever
	}{
		{"no windows", schedule.Windows{}, "2026-11-23 12:00", true, ""},
		{"before an allowed time", schedule.Windows{Allow: nights}, "2026-11-23 21:59", false, "2026-11-23 22:00"},
		{"its first moment", schedule.Windows{Allow: nights}, "2026-11-23 22:00", true, "2026-11-24 06:00"},
		{"its last minute", schedule.Windows{Allow: nights}, "2026-11-24 05:59", true, "2026-11-24 06:00"},
		{"its end", schedule.Windows{Allow: nights}, "2026-11-24 06:00", false, "2026-11-24 22:00"},
		{"a denied time", schedule.Windows{Deny: nights}, "2026-11-23 23:00", false, "2026-11-24 06:00"},
		{"before a denied time", schedule.Windows{Deny: nights}, "2026-11-23 12:00", true, "2026-11-23 22:00"},
		{"denied within an allowed time", schedule.Windows{Allow: nights, Deny: []schedule.Window{window(t, "0 0 * * *", "1h")}}, "2026-11-24 00:30", false, "2026-11-24 01:00"},
		{"before that", schedule.Windows{Allow: nights, Deny: []schedule.Window{window(t, "0 0 * * *", "1h")}}, "2026-11-23 22:30", true, "2026-11-24 00:00"},
		{"denied to the end of the allowed time", schedule.Windows{Allow: nights, Deny: []schedule.Window{window(t, "0 4 * * *", "3h")}}, "2026-11-24 05:00", false, "2026-11-24 22:00"},
		{"two that meet", schedule.Windows{Deny: []schedule.Window{window(t, "0 8 * * *", "4h"), window(t, "0 12 * * *", "4h")}}, "2026-11-24 09:00", false, "2026-11-24 16:00"},
		{"one that overlaps itself", schedule.Windows{Deny: []schedule.Window{window(t, "0 * * * *", "90m")}}, "2026-11-24 09:00", false, ""},
		{"summer time begins: eight hours are eight hours", schedule.Windows{Allow: nights}, "2026-03-28 23:00", true, "2026-03-29 07:00"},
		{"summer time ends", schedule.Windows{Allow: nights}, "2026-10-24 23:00", true, "2026-10-25 05:00"},
		{"it begins in the hour that there is not", schedule.Windows{Allow: []schedule.Window{window(t, "30 2 * * *", "1h")}}, "2026-03-29 03:10", true, "2026-03-29 04:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			until, open := c.is.Open(berlin(t, c.at))
			want := time.Time{}
			if c.until != "" {
				want = berlin(t, c.until)
			}
			if open != c.open || !until.Equal(want) {
				t.Errorf("%t until %s, want %t until %s", open, until, c.open, want)
			}
		})
	}
}

// TestAWindowInTheHourThatThereIsTwice uses a window that begins in the hour that occurs twice. It has its
// configured length, and opens once.
func TestAWindowInTheHourThatThereIsTwice(t *testing.T) {
	for _, lasts := range []string{"30m", "1h", "90m", "3h"} {
		w, open := schedule.Windows{Allow: []schedule.Window{window(t, "0 2 * * *", lasts)}}, time.Duration(0)
		for at, end := berlin(t, "2026-10-24 12:00"), berlin(t, "2026-10-25 12:00"); at.Before(end); at = at.Add(time.Minute) {
			if _, is := w.Open(at); is {
				open += time.Minute
			}
		}
		if want, _ := time.ParseDuration(lasts); open != want {
			t.Errorf("one that lasts for %s is open for %s", lasts, open)
		}
	}
}

// TestWindowsReopen checks the moment from which a change is allowed again. A change is allowed at that moment,
// and at no earlier one.
func TestWindowsReopen(t *testing.T) {
	testcost.Long(t)
	rapid.Check(t, func(rt *rapid.T) {
		any := func(name string) (list []schedule.Window) {
			for range rapid.IntRange(0, 2).Draw(rt, name) {
				hour, lasts := rapid.IntRange(0, 23).Draw(rt, "hour"), rapid.SampledFrom([]string{"30m", "2h", "8h", "30h"}).Draw(rt, "lasts")
				list = append(list, window(t, "0 "+string(rune('0'+hour/10))+string(rune('0'+hour%10))+" * * *", lasts))
			}
			return list
		}
		w := schedule.Windows{Allow: any("allow"), Deny: any("deny")}
		at := berlin(t, "2026-03-28 12:00").Add(time.Duration(rapid.IntRange(0, 3000).Draw(rt, "minutes")) * time.Minute)
		until, open := w.Open(at)
		if until.IsZero() {
			return
		}
		if _, then := w.Open(until); !open && !then {
			rt.Fatalf("closed until %s, and then, too", until)
		}
		for step := at; step.Before(until) && step.Before(at.Add(72*time.Hour)); step = step.Add(10 * time.Minute) {
			if _, is := w.Open(step); is != open {
				rt.Fatalf("%t until %s, and %t at %s", open, until, is, step)
			}
		}
	})
}

func TestNoWindows(t *testing.T) {
	for _, c := range [][4]string{
		{"@every 1h", "8h", "", "at times such as"}, {"CRON_TZ=UTC 0 1 * * *", "8h", "", "a field of its own"}, {"0 1 * * *", "8h", "Nowhere/Land", "no time zone"},
		{"0 1 * * *", "10s", "", "from one minute"}, {"0 1 * * *", "10000h", "", "from one minute"}, {"0 1 * * *", "night", "", "from one minute"}, {"0 1 30 2 *", "1h", "", "never comes"}, {"at night", "1h", "UTC", "cannot be read"},
	} {
		if _, err := schedule.ParseWindow(c[0], c[1], c[2]); err == nil || !strings.Contains(err.Error(), c[3]) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
