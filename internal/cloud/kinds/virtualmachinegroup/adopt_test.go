package virtualmachinegroup_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// people creates objects without marks, as people do by hand.
type people struct {
	t *testing.T
	c *cloud.Client
}

// post creates an object. At its end, the test deletes the object.
func (p people) post(service, path, singular string, body map[string]any, beside ...any) string {
	p.t.Helper()
	request := map[string]any{singular: body}
	if len(beside) > 0 {
		request["os:scheduler_hints"] = beside[0]
	}
	var answer map[string]struct{ ID string }
	if err := p.c.Do(p.t.Context(), cloud.Call{Service: service, Method: http.MethodPost, Path: path, Body: request, Into: &answer}); err != nil {
		p.t.Fatal(err)
	}
	at := path + "/" + answer[singular].ID
	p.t.Cleanup(func() {
		if path == "servers" {
			kindtest.AwaitGone(p.t, p.c, service, at)
			return
		}
		_ = p.c.Do(context.Background(), cloud.Call{Service: service, Method: http.MethodDelete, Path: at})
	})
	return answer[singular].ID
}

func (p people) find(service, path, name string) string {
	p.t.Helper()
	list, err := cloud.List[struct{ ID, Name string }](p.t.Context(), p.c, cloud.Call{Service: service, Path: path}, path)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, o := range list {
		if o.Name == name {
			return o.ID
		}
	}
	p.t.Fatalf("%s has no %s", path, name)
	return ""
}

// machines creates a server group with the name group. For each of names, it creates a server in that
// group, and a port with the same name.
func (p people) machines(group string, names ...string) {
	p.t.Helper()
	id := p.post(cloud.Compute, "os-server-groups", "server_group", map[string]any{"name": group, "policies": []string{"affinity"}})
	network := p.find(cloud.Network, "networks", "private")
	image, flavor := p.find(cloud.Image, "images", "centos79"), p.find(cloud.Compute, "flavors", "n3-1vcpu-2gb")
	for _, name := range names {
		port := p.post(cloud.Network, "ports", "port", map[string]any{"name": name, "network_id": network})
		server := p.post(cloud.Compute, "servers", "server", map[string]any{"name": name, "imageRef": image, "flavorRef": flavor, "networks": []map[string]any{{"port": port}}},
			map[string]any{"group": id})
		kindtest.AwaitStatus(p.t, p.c, cloud.Compute, "servers/"+server, "ACTIVE")
	}
}

// adopting is the manifest of a group that adopts two existing machines in an existing server group.
func adopting(name, group string) string {
	return `
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: ` + name + `, annotations: {stackreeve.dev/adopt: "true"}}
spec: {replicas: 2, serverGroup: ` + group + `, template: {image: centos79, flavor: n3-1vcpu-2gb, network: private}}
`
}

// Objects that people created are adopted, one machine after the other, and only marks are written.
func TestAGroupIsAdopted(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	name, group := "a"+strings.ToLower(g.Stack), "g"+strings.ToLower(g.Stack)
	people{t, g.Client(nil)}.machines(group, name+"-0", name+"-1")
	adopted := 0
	for _, s := range g.Plan(adopting(name, group)).Steps {
		if !s.Unmanaged() {
			adopted++
			if s.Action != plan.Update || !s.Adopts || s.Disruption() != kind.InPlace {
				t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
			}
		}
	}
	if adopted != 4 {
		t.Errorf("%d objects are adopted, want two ports and two servers", adopted)
	}
	g.MustSync(adopting(name, group))
	var count kindtest.Counter
	if pass := g.SyncThrough(adopting(name, group), count.Wrap); count.Writes.Load() > 0 || pass.Outcome() != plan.InSync {
		t.Errorf("the second pass wrote %d times", count.Writes.Load())
	}
	// The group is adopted now, so the manifest no longer needs the annotation.
	if pass := g.MustSync(strings.Replace(adopting(name, group), `, annotations: {stackreeve.dev/adopt: "true"}`, "", 1)); len(pass.Results) > 0 {
		t.Errorf("without the annotation: %v", pass.Results)
	}
	g.MustSync("")
}

// Each object is adopted by its name. If no object or several objects have that name, or another stack
// owns it, the step is refused, and no object is created instead.
func TestAGroupOfWhichNotAllCanBeAdopted(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("the simulator says the same")
	}
	p := people{t, g.Client(nil)}
	p.machines("near", "web-0", "web-0", "web-1")
	refused := func(manifest string, want map[string]cause.Code) {
		t.Helper()
		for _, s := range g.Plan(manifest).Steps {
			code := want[s.Key.Kind+"/"+s.Key.Name]
			if s.Action == plan.Create || code != "" && (s.Action != plan.Refuse || !s.Causes.Has(code)) {
				t.Errorf("%s: %s %s, want %s", s.Key, s.Action, s.FullCause(), code)
			}
		}
	}
	three := strings.Replace(adopting("web", "near"), "replicas: 2", "replicas: 3", 1)
	refused(three, map[string]cause.Code{"Server/web-0": cause.RenameOthers, "Port/web-0": cause.SeveralToAdoptOf, "Server/web-2": cause.NoneNamedPart})
	floating := strings.Replace(three, "network: private", "network: private, floatingIP: {network: public}", 1)
	refused(floating, map[string]cause.Code{"FloatingIP/web-1": cause.NamelessPart})
	server := p.find(cloud.Compute, "servers", "web-1")
	if err := p.c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodPut, Path: "servers/" + server, Body: map[string]any{"server": map[string]any{"name": "web-9"}}}); err != nil {
		t.Fatal(err)
	}
	refused(three, map[string]cause.Code{"Server/web-1": cause.NoneNamedPart})
}

// If another stack has created an object, the object has that stack's mark, and is not adopted.
func TestAGroupOfAnotherStackIsNotAdopted(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("the simulator says the same")
	}
	owned := strings.NewReplacer(`, annotations: {stackreeve.dev/adopt: "true"}`, "", "serverGroup: near", "haPolicy: none").Replace(adopting("web", "near"))
	g.MustSync(owned)
	other := g.Beside("")
	for _, s := range other.Plan(strings.Replace(adopting("web", "near"), "serverGroup: near", "haPolicy: none", 1)).Steps {
		if !s.Unmanaged() && (s.Action != plan.Refuse || !s.Causes.Has(cause.OwnedByOther)) {
			t.Errorf("%s: %s %s", s.Key, s.Action, s.FullCause())
		}
	}
}

func TestRefusedAdoptions(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	for name, tt := range map[string]struct{ old, new, want string }{
		"an ID":                {`adopt: "true"`, "adopt: 21ac57c2-2726-483d-aef5-1790155c506b", "metadata.annotations[stackreeve.dev/adopt]"},
		"a group of its own":   {"serverGroup: near, ", "", "metadata.annotations[stackreeve.dev/adopt]"},
		"two of server groups": {"serverGroup: near", "serverGroup: near, haPolicy: hard", "spec.haPolicy"},
		"what is only data":    {"", "\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, annotations: {stackreeve.dev/adopt: \"true\"}}\nstringData: {a: b}\n", "metadata.annotations[stackreeve.dev/adopt]"},
		"an empty secret":      {"", "\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, annotations: {stackreeve.dev/adopt: \"true\"}}\n", "metadata.annotations[stackreeve.dev/adopt]"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(adopting("web", "near"), tt.old, tt.new, 1)
			if tt.old == "" {
				text = adopting("web", "near") + tt.new
			}
			if _, err := g.TryResolve(text); !kindtest.Refuses(err, tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}
