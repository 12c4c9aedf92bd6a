package readapi

import (
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

func TestAges(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for old, want := range map[time.Duration]string{
		-time.Second: "0s", 119 * time.Second: "119s", 5*time.Minute + 7*time.Second: "5m7s", 59 * time.Minute: "59m", 7*time.Hour + 5*time.Minute: "7h5m",
		47 * time.Hour: "47h", 49 * time.Hour: "2d1h", 48 * time.Hour: "2d", 30 * 24 * time.Hour: "30d", 800 * 24 * time.Hour: "2y70d", 10 * 365 * 24 * time.Hour: "10y",
	} {
		if got := age(stamp(now.Add(-old)), now); got != want {
			t.Errorf("%s: %s, want %s", old, got, want)
		}
	}
	if got := age("", now); got != "<unknown>" {
		t.Errorf("of what has no time: %s", got)
	}
}

// kubectl writes the kind before the text in the name column. Without a name column, the kind would be missing.
func TestEveryTableHasAColumnOfNames(t *testing.T) {
	kinds := []manifest.GroupVersionKind{{Group: "x", Version: "v1", Kind: "Other"}}
	for gvk := range own {
		kinds = append(kinds, gvk)
	}
	for _, gvk := range kinds {
		names := 0
		for _, c := range columnsOf(gvk) {
			if c.(map[string]any)["format"] == "name" {
				names++
			}
		}
		if names != 1 {
			t.Errorf("%s has %d", gvk.Kind, names)
		}
	}
}
