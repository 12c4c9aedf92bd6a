package volume

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// ofCinder are the metadata that Cinder itself adds to a volume when it is attached or made read-only. It shows
// them among the metadata that people wrote, and nobody can remove them. (cinder/api/api_utils.py:
// add_visible_admin_metadata)
var ofCinder = []string{"readonly", "attached_mode"}

// withoutCinders returns the metadata of a volume without ofCinder. A key of ofCinder remains if the manifest names
// it.
func withoutCinders(spec *Spec, have *table.Object[Spec, More]) map[string]string {
	named := pairs(spec.Metadata)
	all := pairs(have.Spec.Metadata)
	for _, key := range ofCinder {
		if _, wanted := named[key]; !wanted {
			delete(all, key)
		}
	}
	return all
}

func pairs(list []define.NameValue) map[string]string {
	all := map[string]string{}
	for _, m := range list {
		all[m.Name] = m.Value
	}
	return all
}

func compareMetadata(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	kind.Field(c, "spec.resource.metadata", withoutCinders(w.Spec, have), pairs(w.Spec.Metadata))
}

// exportMetadata omits the metadata that Cinder itself adds.
func exportMetadata(_ *state, spec *Spec, _ *kind.Export) {
	spec.Metadata = slices.DeleteFunc(spec.Metadata, func(m define.NameValue) bool { return slices.Contains(ofCinder, m.Name) })
}
