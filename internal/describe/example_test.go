package describe

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Every kind has an example. If an example is read alone, its only mistake is that it refers to missing objects.
func TestEveryKindHasAnExample(t *testing.T) {
	for _, d := range All() {
		text, err := d.Example()
		if err != nil {
			t.Errorf("%s: %v", d.GVK.Kind, err)
			continue
		}
		if config.Holds(d.GVK) {
			continue
		}
		want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, all.Kinds(nil, defaults.Defaults{Network: "n", VIPNetworks: map[string]string{"private": "n"}, Zones: map[string]string{"dev": "a"}, ServiceTypes: map[string]string{"generic": ""}, Etcd: &defaults.Etcd{Image: "i", Flavor: "f", MasterKeyFile: "k"}, M3: &defaults.M3{Image: "i", Flavor: "f"}}))
		problems := manifest.Problems(nil)
		errors.As(err, &problems)
		for _, p := range problems {
			if !strings.Contains(p.What, "refers to") {
				t.Errorf("%s: %v\n%s", d.GVK.Kind, p, text)
			}
		}
		if err == nil && len(want) == 0 {
			t.Errorf("%s: nothing comes of\n%s", d.GVK.Kind, text)
		}
	}
}
