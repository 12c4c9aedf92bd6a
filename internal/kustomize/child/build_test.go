package child_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/kustomize/child"
)

const network = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: web}
spec:
  resource:
    description: web
    mtu: 1400
`

const subnet = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: web}
spec:
  resource: {networkRef: web, ipVersion: 4, cidr: 10.0.0.0/24}
`

func tree(root string, files map[string]string) kustomize.Tree {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	const korc = "openstack.k-orc.cloud"
	return kustomize.Tree{Files: fsys, Name: "clouds", Root: root, References: []kustomize.Reference{
		{Group: korc, Kind: "Subnet", Path: "spec/resource/networkRef", TargetGroup: korc, TargetKind: "Network"}}}
}

// lines returns the documents with the place of each line.
func lines(t *testing.T, tree kustomize.Tree) string {
	t.Helper()
	made, err := kustomize.Load(t.Context(), tree, new(child.Runner).Build)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, b := range made.Built {
		out.WriteString("--- " + b.At.String() + "\n")
		for i, line := range strings.Split(strings.TrimSuffix(string(b.Text), "\n"), "\n") {
			out.WriteString(line + " # " + b.Places[i].String() + "\n")
		}
	}
	return out.String()
}

func TestBuild(t *testing.T) {
	got := lines(t, tree("prod", map[string]string{
		"base/kustomization.yaml": "resources: [web.yaml]\n",
		"base/web.yaml":           network + "---\n" + subnet,
		"prod/kustomization.yaml": `resources: [../base]
namePrefix: prod-
labels:
- pairs: {env: prod}
patches:
- path: mtu.yaml
- patch: |-
    - op: replace
      path: /spec/resource/cidr
      value: 10.1.0.0/24
  target: {kind: Subnet}
configMapGenerator:
- name: settings
  files: [words=words.txt]
  options: {disableNameSuffixHash: true}
replacements:
- source: {kind: ConfigMap, name: settings, fieldPath: metadata.name}
  targets:
  - select: {kind: Network}
    fieldPaths: [spec.resource.description]
`,
		"prod/mtu.yaml":  "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: web}\nspec:\n  resource:\n    mtu: 9000\n",
		"prod/words.txt": "one\ntwo\n",
	}))
	want := `--- clouds/base/web.yaml:1
apiVersion: openstack.k-orc.cloud/v1alpha1 # clouds/base/web.yaml:1
kind: Network # clouds/base/web.yaml:2
metadata: # clouds/base/web.yaml:3
  name: prod-web # clouds/prod/kustomization.yaml:2
  labels: # clouds/base/web.yaml:3
    env: prod # clouds/prod/kustomization.yaml:3
spec: # clouds/base/web.yaml:4
  resource: # clouds/base/web.yaml:5
    description: prod-settings # clouds/prod/kustomization.yaml:17
    mtu: 9000 # clouds/prod/mtu.yaml:6
--- clouds/base/web.yaml:9
apiVersion: openstack.k-orc.cloud/v1alpha1 # clouds/base/web.yaml:9
kind: Subnet # clouds/base/web.yaml:10
metadata: # clouds/base/web.yaml:11
  name: prod-web # clouds/prod/kustomization.yaml:2
  labels: # clouds/base/web.yaml:11
    env: prod # clouds/prod/kustomization.yaml:3
spec: # clouds/base/web.yaml:12
  resource: # clouds/base/web.yaml:13
    cidr: 10.1.0.0/24 # clouds/prod/kustomization.yaml:10
    ipVersion: 4 # clouds/base/web.yaml:13
    networkRef: prod-web # clouds/base/web.yaml:13
--- clouds/prod/kustomization.yaml:13
apiVersion: v1 # clouds/prod/kustomization.yaml:13
kind: ConfigMap # clouds/prod/kustomization.yaml:13
metadata: # clouds/prod/kustomization.yaml:13
  name: prod-settings # clouds/prod/kustomization.yaml:2
  labels: # clouds/prod/kustomization.yaml:13
    env: prod # clouds/prod/kustomization.yaml:3
data: # clouds/prod/kustomization.yaml:13
  words: | # clouds/prod/kustomization.yaml:13
    one # clouds/prod/kustomization.yaml:13
    two # clouds/prod/kustomization.yaml:13
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
