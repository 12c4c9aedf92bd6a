package all_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// places lists where the problems are, each as LINE KIND/NAME FIELD.
func places(t *testing.T, text string) (list []string) {
	t.Helper()
	_, err := resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{})}.Read(context.Background(), fstest.MapFS{"a.yaml": {Data: []byte(text)}})
	var problems manifest.Problems
	if err != nil && !errors.As(err, &problems) {
		t.Fatal(err)
	}
	for _, p := range problems {
		list = append(list, fmt.Sprintf("%d %s %s", p.Origin.Line, p.Key, p.Field))
	}
	return list
}

const ours, korc = "apiVersion: stackreeve.dev/v1alpha1\n", "apiVersion: openstack.k-orc.cloud/v1alpha1\n"

func network(name string) string {
	return korc + "kind: Network\nmetadata: {name: " + name + "}\nspec: {resource: {}}\n"
}

// A mistake is reported once, at the line where it was made, even if that line becomes many objects, or many objects
// refer to it.
func TestAMistakeIsOneProblem(t *testing.T) {
	group := ours + "kind: VirtualMachineGroup\nmetadata: {name: db}\nspec:\n  replicas: 9\n  template:\n    flavor: m1.small\n    image: debian-12\n"
	machine := ours + "kind: VirtualMachine\nmetadata: {name: web}\nspec:\n  flavor: m1.small\n  image: debian-12\n  network: one\n"
	scripted := machine + "  initScript: {configMapRef: {name: boot, key: script}}\n"
	address := korc + "kind: FloatingIP\nmetadata: {name: web}\nspec: {resource: {floatingNetworkRef: one, portRef: web}}\n"
	balancer := ours + "kind: LoadBalancer\nmetadata: {name: lb}\nspec:\n  vipNetwork: one\n  ports:\n  - port: 80\n    protocol: tcp\n    realServers: {virtualMachineRefs: [TARGET]}\n"
	subnet := korc + "kind: Subnet\nmetadata: {name: one}\nspec: {resource: {networkRef: one, ipVersion: 4, cidr: 10.0.0.0/24}}\n"
	user := korc + "kind: User\nmetadata: {name: u}\nspec: {resource: {passwordRef: pass}}\n"
	for _, c := range []struct {
		name      string
		documents []string
		want      []string
	}{
		{"a network that a group forgets", []string{group, network("one"), network("two")}, []string{"6 VirtualMachineGroup/db spec.template.network"}},
		{"two of them", []string{group, network("one"), network("two"), strings.Replace(group, "name: db", "name: dc", 1)},
			[]string{"6 VirtualMachineGroup/db spec.template.network", "25 VirtualMachineGroup/dc spec.template.network"}},
		{"a field of a machine", []string{machine + "  secGroups: [a]\n", address, network("one")}, []string{"8 VirtualMachine/web spec.secGroups"}},
		{"a machine of a group", []string{strings.Replace(group, "image", "imag", 1), strings.Replace(balancer, "TARGET", "db-0", 1), network("one")},
			[]string{"8 VirtualMachineGroup/db spec.template.imag"}},
		{"a machine, and another that there is not", []string{machine + "  secGroups: [a]\n", strings.Replace(balancer, "TARGET", "web, wxb-1", 1), network("one")},
			[]string{"8 VirtualMachine/web spec.secGroups", "18 LoadBalancer/lb spec.ports[0].realServers.virtualMachineRefs[1]"}},
		{"a ConfigMap", []string{scripted, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: boot}\ndta: {script: a}\n", address, network("one")}, []string{"13 ConfigMap/boot dta"}},
		{"a Secret", []string{user, "apiVersion: v1\nkind: Secret\nmetadata: {name: pass}\nstringdata: {password: a}\n"}, []string{"9 Secret/pass stringdata"}},
		{"a name", []string{subnet, strings.Replace(network("one"), "name:", "nam:", 1)}, []string{"8 Network metadata.nam"}},
		{"no name", []string{subnet, strings.Replace(network("one"), "metadata: ", "metdata: ", 1)}, []string{"6 Network metadata.name", "8 Network metdata"}},
		{"a name with a capital", []string{subnet, network("One")}, []string{"8 Network/One metadata.name"}},
		{"a name that is another one", []string{subnet, network("oone")}, []string{"4 Subnet/one spec.resource.networkRef"}},
		{"a group that is well", []string{group + "    network: one\n", network("one")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := places(t, strings.Join(c.documents, "---\n")); !slices.Equal(got, c.want) {
				t.Errorf("problems are at\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// If a template causes the same problem in many objects, it is reported once, with the number of objects.
func TestProblemsAlikeAreCounted(t *testing.T) {
	definition := ours + `kind: Definition
metadata: {name: nets}
spec:
  schema: {kind: Nets, apiVersion: v1alpha1, spec: {mtu: integer}}
  resources:
  - id: net
    forEach: [{number: "${lists.range(9).map(i, string(i))}"}]
    template: {apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: "n-${number}"}, spec: {resource: {mtu: "${schema.spec.mtu}"}}}
---
` + ours + "kind: Nets\nmetadata: {name: some}\nspec: {mtu: 7}\n"
	if got, want := places(t, definition), []string{"11 Network/n-0 spec.resource.mtu"}; !slices.Equal(got, want) {
		t.Errorf("problems are at %q, want %q", got, want)
	}
}
