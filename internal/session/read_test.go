package session

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const inWordsOfTheStack = `
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  vipType: private
  region: tokyo1
  ports: [{port: 80, protocol: tcp, realServers: {addresses: [10.0.0.1]}}]
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachine
metadata: {name: web}
spec: {image: debian, flavor: small}
`

// A branch and its pull requests are read with the defaults of their stack. The kinds are shared with other stacks.
func TestDefaultsOfTheStack(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte(inWordsOfTheStack)}}
	for _, network := range []string{"inside", "elsewhere"} {
		s := &config.Stack{Name: "s"}
		s.Spec.Defaults = defaults.Defaults{Network: network, VIPNetworks: map[string]string{"private": network + "-vip"}, Regions: map[string]string{"tokyo1": "RegionOne"}}
		branch, err := Opener{}.Read(s)(t.Context(), files, "RegionOne")
		checkNetworks(t, "the branch", network, branch.Want, err)
		pull := &Previewer{stack: s, region: "RegionOne"}
		want, err := pull.Read(t.Context(), files)
		checkNetworks(t, "a pull request", network, want, err)
		for what, read := range map[string]func() error{
			"the branch": func() error { _, err := Opener{}.Read(s)(t.Context(), files, "RegionTwo"); return err },
			"a pull request": func() error {
				_, err := (&Previewer{stack: s, region: "RegionTwo"}).Read(t.Context(), files)
				return err
			},
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), "is RegionOne, but the stack works in region RegionTwo") {
				t.Errorf("%s in another region: %v", what, err)
			}
		}
	}
}

func checkNetworks(t *testing.T, what, network string, want []kind.Desired, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	networks := map[string]bool{}
	for _, d := range want {
		if d.Key.Kind == "Network" {
			networks[d.Key.Name] = true
		}
	}
	if len(networks) != 2 || !networks[network] || !networks[network+"-vip"] {
		t.Errorf("%s is on %v, not on %s and %s-vip", what, networks, network, network)
	}
}
