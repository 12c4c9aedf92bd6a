package defaults_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
)

// A memory stays when the agent logs in again. Each entry and each kind has its own.
func TestMemories(t *testing.T) {
	main := &defaults.Memory{}
	seen := map[*int]string{}
	for name, of := range map[string]func() *int{
		"main":         func() *int { return recalled(main, "Image") },
		"another kind": func() *int { return recalled(main, "EtcdBackup") },
		"an entry":     func() *int { return recalled(main.Of("west"), "Image") },
		"another one":  func() *int { return recalled(main.Of("east"), "Image") },
	} {
		if of() != of() {
			t.Errorf("%s: another login has forgotten it", name)
		}
		if other := seen[of()]; other != "" {
			t.Errorf("%s and %s have one", name, other)
		}
		seen[of()] = name
	}
	if none := (*defaults.Memory)(nil).Of("west"); none != nil || recalled(none, "Image") == recalled(none, "Image") {
		t.Error("there is a memory where none was given")
	}
}

func recalled(m *defaults.Memory, kind string) *int {
	return defaults.Recall(m, kind, func() *int { return new(int) })
}
