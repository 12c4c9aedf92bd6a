package etcdcluster_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
)

// The optional parts are a data volume, TLS, more than one member, and an archive in place of a program. For any two
// parts, there is a cluster with both, one with only the first, one with only the second, and one with neither. All
// clusters start on real machines, and a second plan is empty.
func TestOptionalPartsByPairsOnRealMachines(t *testing.T) {
	for i, has := range kindtest.Pairs(t, 4) {
		t.Run(fmt.Sprint(i), func(t *testing.T) { withParts(t, has) })
	}
}

func withParts(t *testing.T, has []bool) {
	t.Helper()
	g := guests(t, "3.4.23")
	built, err := exec.CommandContext(t.Context(), "../../../../deploy/devcloud/etcd", "3.4.23").Output()
	if err != nil {
		t.Fatal(err)
	}
	g.Defaults.Etcd = &defaults.Etcd{Image: "debian-12-guest", Flavor: "m1.nano", MasterKeyFile: "key"}
	if g.Defaults.Keys.Master, err = pki.New(bytes.Repeat([]byte{7}, pki.ShortestKey)); err != nil {
		t.Fatal(err)
	}
	size, program, more := 1, "etcd", ""
	if has[0] {
		size = 3
	}
	if has[1] {
		program = "etcd.tar.gz"
	}
	if has[2] {
		more += ", storage: {size: 1}"
	}
	if has[3] {
		more += ", TLS: {auto: {}}"
	}
	manifests := fmt.Sprintf("apiVersion: stackreeve.dev/v1alpha1\nkind: EtcdCluster\nmetadata: {name: kv}\nspec: {size: %d, version: 3.4.23, clients: [0.0.0.0/0], repository: \"http://%s/{version}/%s\"%s}\n",
		size, kindtest.ServeGuests(t, strings.TrimSpace(string(built))), program, more)
	t.Log(manifests)
	g.Only(manifests)
	mustSync(t, g, manifests)
	for _, s := range g.Plan(manifests).Steps {
		if s.Action.Writes() {
			t.Errorf("a second plan would %s %s: %s", s.Action, s.Key, s.ShortCause())
		}
	}
}
