package definition_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

const networks = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: net}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: sg}
spec: {resource: {}}
`

const machines = `apiVersion: stackreeve.dev/v1alpha1
kind: Definition
metadata: {name: machines}
spec:
  schema:
    kind: Machines
    apiVersion: v1alpha1
    types:
      Disk: {name: string | required=true, size: integer | required=true, onDelete: 'string | default=detach enum="delete,detach"'}
      Template: {image: string | required=true, flavor: string | required=true, network: string, securityGroups: "[]string", volumes: "[]Disk"}
    spec:
      replicas: integer | default=1
      template: Template
  resources:
  - id: hosts
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: ServerGroup
      metadata: {name: "${schema.metadata.name}"}
      spec: {resource: {policy: soft-anti-affinity}}
  - id: machine
    forEach: [{number: "${lists.range(schema.spec.replicas)}"}]
    template:
      apiVersion: stackreeve.dev/v1alpha1
      kind: VirtualMachine
      metadata: {name: "${schema.metadata.name}-${number}"}
      spec:
        image: ${schema.spec.template.image}
        flavor: ${schema.spec.template.flavor}
        network: ${schema.spec.template.network}
        securityGroups: ${schema.spec.template.securityGroups}
        volumes: ${schema.spec.template.volumes}
        serverGroup: ${hosts.metadata.name}
`

// TestGroupLikeBuiltIn describes a group of machines with a definition. The group must equal a
// VirtualMachineGroup: it has the same objects in the cloud, with the same names, specs and references.
func TestGroupLikeBuiltIn(t *testing.T) {
	const spec = "metadata: {name: web}\nspec:\n  replicas: 3\n  template:\n    image: debian\n    flavor: small\n    network: net\n    securityGroups: [sg]\n    volumes: [{name: data, size: 5}]\n"
	objects := func(files map[string]string) map[string]string {
		got, err := reading(files)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for _, d := range got.Want {
			if d.Virtual {
				continue
			}
			text, err := json.Marshal(map[string]any{"spec": d.Spec, "import": d.Import, "refs": d.Refs, "options": d.Options, "digest": d.Digest})
			if err != nil {
				t.Fatal(err)
			}
			found[d.Key.String()] = string(text)
		}
		return found
	}
	builtIn := objects(map[string]string{"net.yaml": networks, "web.yaml": "apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\n" + spec})
	ours := objects(map[string]string{"net.yaml": networks, "def.yaml": machines, "web.yaml": "apiVersion: stackreeve.dev/v1alpha1\nkind: Machines\n" + spec})
	if len(builtIn) < 12 || !maps.Equal(builtIn, ours) {
		for key := range builtIn {
			if builtIn[key] != ours[key] {
				t.Errorf("%s is\n%s\nof the definition, and\n%s\nof the built-in kind", key, ours[key], builtIn[key])
			}
		}
		t.Errorf("there are %d and %d objects", len(ours), len(builtIn))
	}
}

// TestOthersSeeWhatADefinitionMakes checks that other manifests can refer to objects that a definition makes, in
// the same way as to objects with their own manifests.
func TestOthersSeeWhatADefinitionMakes(t *testing.T) {
	front := `apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec: {vipNetwork: web-net, ports: [{port: 80, protocol: http, realServers: {port: 80, virtualMachineGroupRef: web-group}}]}
---
apiVersion: stackreeve.dev/v1alpha1
kind: Web
metadata: {name: web}
spec: {replicas: 2}
`
	web := `apiVersion: stackreeve.dev/v1alpha1
kind: Definition
metadata: {name: web}
spec:
  schema: {kind: Web, apiVersion: v1alpha1, spec: {replicas: integer}}
  resources:
  - id: group
    template:
      apiVersion: stackreeve.dev/v1alpha1
      kind: VirtualMachineGroup
      metadata: {name: "${schema.metadata.name}-group"}
      spec: {replicas: "${schema.spec.replicas}", template: {image: i, flavor: f}}
  - id: net
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: Network
      metadata: {name: "${schema.metadata.name}-net"}
      spec: {resource: {}}
`
	got, err := reading(map[string]string{"a.yaml": front, "b.yaml": web})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range wanted(got.Want, "Port") {
		if !strings.Contains(text, `"networkRef":"web-net"`) {
			t.Errorf("port %s is %s: the only network of the repository is meant", name, text)
		}
	}
	members := 0
	for _, d := range got.Want {
		for _, ref := range d.Refs {
			if d.Parent.Kind == "LoadBalancer" && strings.HasPrefix(ref.Key.Name, "web-group-") || d.Key.Kind == "LoadBalancer" && strings.HasPrefix(ref.Key.Name, "web-group-") {
				members++
			}
		}
	}
	if members < 2 {
		t.Errorf("%d machines are behind the load balancer, want both: %v", members, got.Want)
	}
}

// TestSecretsOfTemplates checks that a Secret in a template is protected like a Secret with its own manifest.
func TestSecretsOfTemplates(t *testing.T) {
	text := definitionOf(" {password: string}", `  - id: secret
    template: {apiVersion: v1, kind: Secret, metadata: {name: "${schema.metadata.name}"}, stringData: {password: "${schema.spec.password}-long-enough"}}
`)
	got, err := reading(map[string]string{"a.yaml": text, "b.yaml": team + "spec: {password: sesame-open}"})
	if err != nil {
		t.Fatal(err)
	}
	if shown := resolvedSecrets(got, "it says sesame-open-long-enough"); strings.Contains(shown, "sesame") {
		t.Errorf("%q is shown", shown)
	}
	var seen bool
	for _, d := range got.Want {
		if d.Key.Kind == "Secret" {
			seen = d.Data["password"] == "sesame-open-long-enough" && !d.PublicData
		}
	}
	if !seen {
		t.Error("there is no such Secret, or it is public")
	}
	// A template cannot read a Secret.
	text = definitionOf(" {}", resource("", "{description: '${secret.data.password}'}"))
	if got := strings.Join(problems(map[string]string{"a.yaml": text}), "\n"); !strings.Contains(got, "undeclared reference to 'secret'") {
		t.Errorf("problems are %s", got)
	}
}

func resolvedSecrets(got resolve.Reading, text string) string {
	return confidential.Redactor(got.Want).Text(text)
}

// TestStatusWithoutInfinity checks that no status contains a number that JSON cannot represent. Such a number
// would also make the statuses of other objects unreadable.
func TestStatusWithoutInfinity(t *testing.T) {
	text := definitionOf(" {a: string}\n    status: {finite: \"${1.5}\", infinite: \"${1.0/0.0}\", none: \"${[0.0/0.0]}\"}", resource("", "{}"))
	got, err := reading(map[string]string{"a.yaml": text, "b.yaml": team})
	if err != nil {
		t.Fatal(err)
	}
	kinds := all.Kinds(nil, defaults.Defaults{})
	shown, err := json.Marshal(status.Of(decide.Compute(world.Input{Stack: "s", Kinds: kinds, Want: got.Want}), kinds))
	if err != nil || !strings.Contains(string(shown), `"resource":{"finite":1.5}`) {
		t.Errorf("%v: %s", err, shown)
	}
}
