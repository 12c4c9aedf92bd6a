package manifest_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// An item of a list has no text of its own. It can be read after Release, like any other object.
func TestReleasedItemsOfLists(t *testing.T) {
	opts := kinds()
	opts.Each = func(o *manifest.Object) {
		for range 2 {
			o.Release()
			if got := fieldOf(t, o, "mtu"); got != "1400" {
				t.Errorf("%s: got mtu %s", o.Key, got)
			}
			if at := o.Where("spec.resource.mtu"); at.Line < 2 {
				t.Errorf("%s: mtu is in line %d", o.Key, at.Line)
			}
		}
	}
	item := strings.ReplaceAll(net("NAME")+"spec: {resource: {cidr: 10.0.0.0/24, mtu: 1400}}", "\n", "\n  ")
	text := "apiVersion: v1\nkind: List\nitems:\n- " + strings.Replace(item, "NAME", "a", 1) + "\n- " + strings.Replace(item, "NAME", "b", 1) + "\n"
	if _, err := manifest.Load(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, opts); err != nil {
		t.Fatal(err)
	}
}
