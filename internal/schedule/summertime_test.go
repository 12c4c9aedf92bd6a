package schedule

import (
	"testing"
	"time"
	_ "time/tzdata" // the test names time zones
)

// TestASchedulesMomentsInSummerTime checks that no moment is lost when clocks are put forward, and that no
// moment is repeated when they are put back.
func TestASchedulesMomentsInSummerTime(t *testing.T) {
	const layout = "2006-01-02 15:04 -0700"
	for _, tt := range []struct {
		spec, from string
		want       []string
	}{
		{"CRON_TZ=Europe/Berlin 30 2 * * *", "2026-03-27 12:00 +0100", []string{"2026-03-28 02:30 +0100", "2026-03-29 03:00 +0200", "2026-03-30 02:30 +0200"}},
		{"CRON_TZ=Europe/Berlin */20 2 * * *", "2026-03-28 12:00 +0100", []string{"2026-03-29 03:00 +0200", "2026-03-30 02:00 +0200"}},
		{"CRON_TZ=Europe/Berlin 30 3 * * *", "2026-03-28 12:00 +0100", []string{"2026-03-29 03:30 +0200", "2026-03-30 03:30 +0200"}},
		{"CRON_TZ=Europe/Berlin 0 * * * *", "2026-03-29 00:30 +0100", []string{"2026-03-29 01:00 +0100", "2026-03-29 03:00 +0200", "2026-03-29 04:00 +0200"}},
		{"CRON_TZ=America/New_York 15 2 8 3 *", "2026-03-01 12:00 -0500", []string{"2026-03-08 03:00 -0400", "2027-03-08 02:15 -0500"}},
		{"CRON_TZ=Australia/Lord_Howe 10 2 * * *", "2026-10-03 12:00 +1030", []string{"2026-10-04 02:30 +1100", "2026-10-05 02:10 +1100"}},
		{"CRON_TZ=Europe/Berlin 30 2 * * *", "2026-10-24 12:00 +0200", []string{"2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100"}},
		{"CRON_TZ=Europe/Berlin 30 2 * * *", "2026-10-25 02:45 +0200", []string{"2026-10-26 02:30 +0100"}},
		{"CRON_TZ=Europe/Berlin 30 2 * * *", "2026-10-25 02:15 +0100", []string{"2026-10-26 02:30 +0100"}},
		{"CRON_TZ=Europe/Berlin */20 1-3 * * *", "2026-10-25 02:30 +0200", []string{"2026-10-25 02:40 +0200", "2026-10-25 03:00 +0100", "2026-10-25 03:20 +0100"}},
		{"CRON_TZ=Europe/Berlin 0 */2 * * *", "2026-10-25 01:00 +0200", []string{"2026-10-25 02:00 +0200", "2026-10-25 04:00 +0100"}},
		{"CRON_TZ=Europe/Berlin 0 3 * * *", "2026-10-24 12:00 +0200", []string{"2026-10-25 03:00 +0100", "2026-10-26 03:00 +0100"}},
		{"CRON_TZ=Europe/Berlin 0 * * * *", "2026-10-25 01:30 +0200", []string{"2026-10-25 02:00 +0200", "2026-10-25 02:00 +0100", "2026-10-25 03:00 +0100"}},
		{"CRON_TZ=Europe/Berlin 30 0-23 * * *", "2026-10-25 02:00 +0200", []string{"2026-10-25 02:30 +0200", "2026-10-25 02:30 +0100"}},
		{"CRON_TZ=America/Havana @daily", "2026-10-31 12:00 -0400", []string{"2026-11-01 00:00 -0400", "2026-11-02 00:00 -0500"}},
		{"CRON_TZ=Australia/Lord_Howe 40 1 * * *", "2026-04-04 12:00 +1100", []string{"2026-04-05 01:40 +1100", "2026-04-06 01:40 +1030"}},
		{"@every 1h", "2026-10-25 01:30 +0200", []string{"2026-10-25 02:30 +0200", "2026-10-25 02:30 +0100"}},
		{"CRON_TZ=UTC 30 2 * * *", "2026-03-28 12:00 +0000", []string{"2026-03-29 02:30 +0000", "2026-03-30 02:30 +0000"}},
		{"@every 1h", "2026-03-29 00:30 +0100", []string{"2026-03-29 01:30 +0100", "2026-03-29 02:30 +0100"}},
	} {
		s, err := Parse(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(layout, tt.from)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range tt.want {
			want, err := time.Parse(layout, text)
			if err != nil {
				t.Fatal(err)
			}
			if at = s.Next(at); !at.Equal(want) {
				t.Errorf("%s: next is %s, want %s", tt.spec, at.Format(layout), text)
			}
		}
	}
}
