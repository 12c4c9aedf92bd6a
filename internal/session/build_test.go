package session

import (
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/kustomize"
)

// TestReferences finds references of each shape: plain, in a list, a list of names, in a list of structures, and beside spec.resource.
func TestReferences(t *testing.T) {
	const korc = "openstack.k-orc.cloud"
	list := references(all.Kinds(nil, defaults.Defaults{}))
	for _, want := range []kustomize.Reference{
		{Group: korc, Kind: "Subnet", Path: "spec/resource/networkRef", TargetGroup: korc, TargetKind: "Network"},
		{Group: korc, Kind: "Subnet", Path: "spec/import/filter/networkRef", TargetGroup: korc, TargetKind: "Network"},
		{Group: korc, Kind: "Server", Path: "spec/resource/ports/portRef", TargetGroup: korc, TargetKind: "Port"},
		{Group: korc, Kind: "Port", Path: "spec/resource/securityGroupRefs", TargetGroup: korc, TargetKind: "SecurityGroup"},
		{Group: korc, Kind: "User", Path: "spec/resource/passwordRef", TargetKind: "Secret"},
	} {
		if !slices.Contains(list, want) {
			t.Errorf("%+v is missing", want)
		}
	}
}
