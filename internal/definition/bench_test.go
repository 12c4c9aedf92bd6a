package definition_test

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkDefined reads a definition and a thousand objects of its kind.
func BenchmarkDefined(b *testing.B) {
	var objects strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&objects, "---\n%sspec: {about: x, size: {cpu: 2, disks: [{size: 10}, {size: 20}]}, env: {a: b, c: d}}\n", strings.Replace(team, "red", fmt.Sprintf("t%d", i), 1))
	}
	files := map[string]string{
		"def.yaml": definitionOf("\n      mtu: integer | default=1450\n      about: string\n      env: 'map[string]string'\n      size: {cpu: integer, memory: integer | default=4, disks: '[]Disk'}\n    types: {Disk: {size: integer, kind: string | default=ssd}}", network),
		"red.yaml": objects.String(),
	}
	for b.Loop() {
		if _, err := reading(files); err != nil {
			b.Fatalf("%.1000s", err)
		}
	}
}
