package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/events"
)

// unprobed are the collections whose changes no probe shows. The next drift check notices them.
var unprobed = map[string]string{
	"compute/flavors":             "an administrator's; Nova has no small request for changes",
	"compute/os-keypairs":         "a user's; Nova does not change them",
	"compute/os-server-groups":    "Nova does not change them, and lists them only in full",
	"block-storage/types":         "an administrator's; Cinder has no small request for changes",
	"network/rbac-policies":       "a network's revision shows its own; those of other objects have no revision",
	"compute/os-quota-sets":       "an administrator's",
	"block-storage/os-quota-sets": "an administrator's",
	"network/quotas":              "an administrator's",
	"identity/":                   "Keystone has no small request for changes",
}

// A probe shows the changes of every collection that a kind lists, or unprobed has the reason why not.
func TestProbesShowWhatKindsList(t *testing.T) {
	listed, used := map[string]bool{}, map[string]bool{}
	p := (&cloud.Client{}).NewProbe()
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		for _, name := range slices.Concat(k.Info.Lists, k.Info.Joins) {
			listed[name] = true
			service, _, _ := strings.Cut(name, "/")
			reason := name
			if service == cloud.Identity {
				reason = "identity/"
			}
			used[reason] = true
			if questions, _ := p.Asks(service, map[string]bool{name: true}); (questions > 0) == (unprobed[reason] != "") {
				t.Errorf("%s of %s is asked for by %d questions; want a question or a reason", name, k.Info.Kind, questions)
			}
		}
	}
	for _, name := range events.Collections() {
		if !listed[name] && unprobed[name] == "" {
			t.Errorf("%s is the collection of messages, but no kind lists it", name)
		}
		used[name] = true
	}
	for name := range unprobed {
		if !used[name] {
			t.Errorf("%s: no kind lists it any more", name)
		}
	}
}
