package validate

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/sops"
)

// The manifests are read with the defaults of their stack.
func TestDefaultsOfTheStack(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte(`
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec: {vipType: private, ports: [{port: 80, protocol: tcp, realServers: {addresses: [10.0.0.1]}}]}
`)}}
	for network, want := range map[string]int{"": 0, "inside": 1} {
		s := &config.Stack{Name: "s"}
		if network != "" {
			s.Spec.Defaults = defaults.Defaults{VIPNetworks: map[string]string{"private": network}}
		}
		var checked report.Validation
		err := Parts(t.Context(), session.Opener{}, &checked, s, nil, []manifest.Part{{Files: files}})
		if checked.Objects != want || (err == nil) != (want > 0) {
			t.Errorf("network %q: %d objects, %v", network, checked.Objects, err)
		}
	}
}

// TestNotesHideDecryptedValues checks two subnets with the same encrypted range, on a machine with the key.
func TestNotesHideDecryptedValues(t *testing.T) {
	key, err := os.ReadFile("../sops/testdata/keys/first.age")
	if err != nil {
		t.Fatal(err)
	}
	const network = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: net}\nspec: {resource: {}}\n"
	subnet := func(name string) string {
		return "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: " + name + "}\nspec: {resource: {networkRef: net, ipVersion: 4, cidr: 198.51.100.0/24}}\n"
	}
	sealed, err := sops.Encrypt([]byte(network+subnet("a")+subnet("b")), sops.Encryption{Recipients: []string{regexp.MustCompile(`age1\w+`).FindString(string(key))}, Expression: "^cidr$"}, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, key, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &config.Stack{Name: "s"}
	s.Spec.Decryption.AgeKeyFiles = []string{file}
	var checked report.Validation
	err = Parts(t.Context(), session.Opener{}, &checked, s, nil, []manifest.Part{{Files: fstest.MapFS{"a.yaml": {Data: sealed}}}})
	if err != nil || len(checked.Notes) == 0 {
		t.Fatalf("got %+v, %v", checked, err)
	}
	for _, n := range checked.Notes {
		if strings.Contains(n.String(), "198.51.100") {
			t.Errorf("got %s", n)
		}
	}
}

// kustomize makes the manifests of only one folder, so a second folder is an error.
func TestKustomizeWithTwoFolders(t *testing.T) {
	stack := new(config.Stack)
	stack.Spec.Source.Kustomize = true
	one := manifest.Part{Name: "a"}
	if _, err := Layered(stack, []manifest.Part{one, one}); err == nil {
		t.Error("two folders were accepted")
	}
	if _, err := Layered(stack, []manifest.Part{one}); err != nil {
		t.Error(err)
	}
}

// A manifest that the stack excludes is not checked.
func TestExcludedFiles(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte("{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: a}, spec: {resource: {}}}")}, "charts/b.yaml": {Data: []byte("{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: b}, spec: {wrong: true}}")}}
	s := &config.Stack{Name: "s"}
	for exclude, want := range map[string]bool{"": false, "charts": true} {
		if s.Spec.Source.Exclude = nil; exclude != "" {
			s.Spec.Source.Exclude = []string{exclude}
		}
		var checked report.Validation
		if err := Parts(t.Context(), session.Opener{}, &checked, s, nil, []manifest.Part{{Files: files}}); (err == nil) != want {
			t.Errorf("without %q: %v", exclude, err)
		}
	}
}
