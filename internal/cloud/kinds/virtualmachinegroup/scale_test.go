package virtualmachinegroup_test

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// open is a group whose manifest does not fix the number of machines.
const open = `
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec:
  minReplicas: 2
  maxReplicas: 5
  strategy: {drainSeconds: 1}
  template: {image: cirros, flavor: m1.nano, network: private}
`

// ask writes a number into the metadata of a machine's server, as a scaler does. "" removes the number.
func ask(t *testing.T, c *cloud.Client, server, number string) {
	t.Helper()
	call := cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers/" + server + "/metadata", Body: map[string]any{"metadata": map[string]string{"stackreeve-replicas": number}}}
	if number == "" {
		call = cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: "servers/" + server + "/metadata/stackreeve-replicas"}
	}
	if err := c.Do(t.Context(), call); err != nil {
		t.Fatal(err)
	}
}

// resync runs a pass for manifests that were already in sync.
func resync(t *testing.T, g *kindtest.Target, manifests string) engine.Pass {
	t.Helper()
	pass := g.Engine(g.Client(nil)).Sync(t.Context(), engine.Revision{Commit: "c", Want: g.Resolve(manifests), Synced: true})
	if pass.Outcome() != plan.InSync {
		t.Fatal(pass.Outcome(), pass.Failures)
	}
	return pass
}

func servers(p plan.Plan) (names []string) {
	for _, s := range p.Steps {
		if s.Key.Kind == "Server" && s.Have != nil && s.Action == plan.Keep {
			names = append(names, strings.TrimPrefix(s.Key.Name, "web-"))
		}
	}
	slices.Sort(names)
	return names
}

func notes(p plan.Plan) (text string) {
	for _, w := range p.Workloads {
		for _, n := range w.Notes {
			text += n.Text + "\n"
		}
	}
	return text
}

// chosenBy returns the numbers of the notes on the number of members, and the machine that asks for a number.
func chosenBy(p plan.Plan) string {
	return strings.Join(regexp.MustCompile(`\b(Server/[a-z0-9-]+|[0-9]+)\b`).FindAllString(notes(p), -1), " ")
}

// Another program chooses the number of machines, within the bounds of the manifest. The resulting changes are no drift, and the plan says who
// chose the number.
func TestSomebodyElseSaysHowManyMachines(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := kindtest.NewTarget(t, all.Kinds)
	manifests := open + front
	g.Only(manifests)
	first := g.MustSync(manifests)
	if got := strings.Join(servers(first.Last), " "); got != "0 1" || chosenBy(first.First) != "2 2 5" {
		t.Fatalf("at first: %s; %s", got, notes(first.First))
	}
	c, web0 := g.Client(nil), ids(first.Last)["Server/web-0"]
	for _, step := range []struct{ number, want, note string }{
		{"4", "0 1 2 3", "4 2 5 Server/web-0"},
		{"99", "0 1 2 3 4", "5 Server/web-0 99 2 5"},
		{"many", "0 1 2 3 4", "5 2 5 Server/web-0"},
		{"-1", "0 1 2 3 4", "5 2 5 Server/web-0"},
		{" 3", "0 1 2 3 4", "5 2 5 Server/web-0"},
		{"3", "0 1 2", "3 2 5 Server/web-0"},
		{"", "0 1 2", "3 2 5"},
		{"0", "0 1", "2 Server/web-0 0 2 5"},
	} {
		if ask(t, c, web0, step.number); g.Brief() && step.want == "0 1 2 3 4" {
			continue
		}
		pass := resync(t, g, manifests)
		if got := strings.Join(servers(pass.Last), " "); got != step.want || pass.Drifted() > 0 || chosenBy(pass.First) != step.note {
			t.Errorf("%q: %s, want %s; %d drifted; %s", step.number, got, step.want, pass.Drifted(), notes(pass.First))
		}
		if again := resync(t, g, manifests); len(again.Results) > 0 {
			t.Errorf("%q: the next pass does %v", step.number, again.Results[0].Step)
		}
	}
}

// When the agent writes metadata, the requested number stays. If somebody deletes a machine, it is created again.
func TestWhatIsAskedForOutlivesAnUpdate(t *testing.T) {
	g := pure(t)
	g.Only(open)
	made := ids(g.MustSync(open).Last)
	c := g.Client(nil)
	ask(t, c, made["Server/web-0"], "3")
	described := strings.Replace(open, "template: {", "template: {metadata: {tier: front}, ", 1)
	pass := g.MustSync(described)
	if got := strings.Join(servers(pass.Last), " "); got != "0 1 2" {
		t.Fatal(got)
	}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: "servers/" + ids(pass.Last)["Server/web-2"]}); err != nil {
		t.Fatal(err)
	}
	ask(t, c, made["Server/web-0"], "")
	if got := strings.Join(servers(g.MustSync(described).Last), " "); got != "0 1 2" {
		t.Errorf("then: %s", got)
	}
	// A lower maxReplicas shrinks the group, because the manifest's bounds limit the requested number.
	if got := strings.Join(servers(g.MustSync(strings.Replace(described, "maxReplicas: 5", "maxReplicas: 2", 1)).Last), " "); got != "0 1" {
		t.Errorf("with fewer: %s", got)
	}
}

// If a group is renamed, it keeps its number of machines, whether somebody requests that number or not. No machine is created or deleted.
func TestAGroupThatIsLeftOpenIsRenamed(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	for name, asked := range map[string]string{"somebody asks": "5", "nobody asks": ""} {
		t.Run(name, func(t *testing.T) {
			g := pure(t)
			g.Only(open + front)
			c, web0 := g.Client(nil), ids(g.MustSync(open + front).Last)["Server/web-0"]
			ask(t, c, web0, "5")
			if g.MustSync(open + front); asked == "" {
				ask(t, c, web0, "")
			}
			renamed := strings.NewReplacer("metadata: {name: web}", "metadata: {name: site, annotations: {stackreeve.dev/moved-from: VirtualMachineGroup/web}}", "GroupRef: web", "GroupRef: site").Replace(open + front)
			for _, s := range g.Plan(renamed).Steps {
				if s.Action.Destroys() || s.Action == plan.Create || s.Drift {
					t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
				}
			}
			pass := g.MustSync(renamed)
			if got := len(servers(pass.Last)); got != 5 || pass.Drifted() > 0 {
				t.Errorf("there are %d, %d drifted", got, pass.Drifted())
			}
			if again := resync(t, g, renamed); len(again.Results) > 0 {
				t.Errorf("the next pass does %v", again.Results[0].Step)
			}
		})
	}
}

// If machines are deleted while their group is renamed, the group's new name counts for draining.
func TestARenamedGroupHasFewerMachines(t *testing.T) {
	g := pure(t)
	before := with(3, "drainSeconds: 2, maxSurge: 1") + front
	g.Only(before)
	g.MustSync(before)
	renamed := strings.NewReplacer("metadata: {name: web}", "metadata: {name: site, annotations: {stackreeve.dev/moved-from: VirtualMachineGroup/web}}", "GroupRef: web", "GroupRef: site", "replicas: 3", "replicas: 2").Replace(before)
	for _, s := range g.Plan(renamed).Steps {
		if s.Action == plan.Delete && s.Within.Name != "site" || s.Action == plan.Create || s.Action == plan.Recreate {
			t.Errorf("%s %s, of %s: %s", s.Action, s.Key, s.Within, s.FullCause())
		}
	}
}

// If objects cannot be listed, they may exist. Therefore no machine is deleted, and none is created.
func TestAnUnknownNumberDeletesNothing(t *testing.T) {
	g := pure(t)
	g.Only(open)
	made := ids(g.MustSync(open).Last)
	ask(t, g.Client(nil), made["Server/web-0"], "4")
	g.MustSync(open)
	want := g.Resolve(open)
	for _, of := range []string{"Server", "Port", "Server Port"} {
		e := g.Engine(g.Client(nil))
		have := e.Observe(t.Context(), want)
		for _, name := range strings.Fields(of) {
			have[name] = kind.Collection{Err: errors.New("refused")}
		}
		p := decide.Compute(world.Input{Stack: g.Stack, Kinds: e.Kinds, Want: want, Have: have, Rules: world.Rules{Replace: true}})
		for _, s := range p.Steps {
			if s.Action.Destroys() || s.Action == plan.Create {
				t.Errorf("without %s: %s %s: %s", of, s.Action, s.Key, s.FullCause())
			}
		}
	}
}

// If somebody copies the mark of a server, the agent ignores the number that the copy requests.
func TestAForgedMarkAsksForNothing(t *testing.T) {
	g := pure(t)
	g.Only(open)
	made := ids(g.MustSync(open).Last)
	c := g.Client(nil)
	ask(t, c, made["Server/web-1"], "5")
	if pass := g.MustSync(open); len(pass.Results) > 0 {
		t.Errorf("what is written on the second machine counts: %v", pass.Results[0].Step.FullCause())
	}
	var foe struct{ Server struct{ ID string } }
	forged := map[string]string{"stackreeve-replicas": "5"}
	for _, d := range g.Resolve(open) {
		if d.Key.Kind == "Server" && d.Key.Name == "web-0" {
			forged["stackreeve"] = ownertext.Of(g.Stack, d.Key)
		}
	}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers", Into: &foe, Body: map[string]any{"server": map[string]any{
		"name": "foe", "imageRef": image(t, c), "flavorRef": "m1-nano", "networks": []any{}, "metadata": forged,
	}}}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: "servers/" + foe.Server.ID}); err != nil {
			t.Error(err)
		}
	}()
	for _, s := range g.Plan(open).Steps {
		if s.Action.Writes() {
			t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
		}
	}
}

// image returns the ID of the image cirros.
func image(t *testing.T, c *cloud.Client) string {
	t.Helper()
	var answer struct{ Images []struct{ ID string } }
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Image, Path: "images?name=cirros", Into: &answer}); err != nil || len(answer.Images) != 1 {
		t.Fatal(err, answer)
	}
	return answer.Images[0].ID
}

// A group has records of only the machines that exist.
func TestRecordsOfAGroupThatIsLeftOpen(t *testing.T) {
	g := pure(t)
	manifests := strings.Replace(named(g.Stack, "2", ""), "replicas: 2", "minReplicas: 1\n  maxReplicas: 3", 1)
	g.Only(manifests)
	made := g.MustSync(manifests)
	if got := records(t, made.Last); len(got) != 2 || len(got["web"]) != 1 {
		t.Errorf("at first: %v", got)
	}
	ask(t, g.Client(nil), ids(made.Last)["Server/web-0"], "3")
	pass := resync(t, g, manifests)
	if got := records(t, pass.Last); len(got) != 4 || len(got["web"]) != 3 || pass.Drifted() > 0 {
		t.Errorf("then: %v, %d drifted", got, pass.Drifted())
	}
}

// No record contains a spare machine of a rollout.
func TestSpareMachinesHaveNoRecords(t *testing.T) {
	g := pure(t)
	manifests := strings.Replace(named(g.Stack, "2", ""), "replicas: 2", "replicas: 2\n  strategy: {maxSurge: 1}", 1)
	g.Only(manifests)
	if got := records(t, g.MustSync(manifests).Last); len(got) != 3 || len(got["web"]) != 2 {
		t.Errorf("%v", got)
	}
}

func TestRefusedBounds(t *testing.T) {
	g := pure(t)
	g.Refuses(map[string]string{
		"minReplicas: 2":                 "spec.minReplicas",
		"minReplicas: 4, maxReplicas: 3": "spec.minReplicas",
		"replicas: 2, maxReplicas: 3":    "spec.replicas",
		"maxReplicas: 0":                 "spec.maxReplicas",
		"maxReplicas: 1001":              "spec.maxReplicas",
		"minReplicas: 0, maxReplicas: 2": "spec.minReplicas",
		"maxReplicas: 3, isolationGroups: [{name: a, zone: az-a, members: 1}]": "spec.maxReplicas",
	}, func(change string) string {
		return "apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata: {name: web}\nspec: {" + change + ", template: {image: cirros, flavor: m1.nano, network: private}}\n"
	})
	g.Refuses(map[string]string{
		"initScript: {template: true, value: x}": "spec.template.initScript.template",
	}, func(change string) string { return strings.Replace(open, "template: {", "template: {"+change+", ", 1) })
}

// A suspended group keeps machines that it would otherwise delete: those that its manifest omits, and those that nobody requests any more.
func TestASuspendedGroupKeepsItsMachines(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	fixed := func(n, annotations string) string {
		return strings.NewReplacer("minReplicas: 2", "replicas: "+n, "  maxReplicas: 5\n", "", "{name: web}", "{name: web, annotations: {"+annotations+"}}").Replace(open)
	}
	const suspended = `stackreeve.dev/suspend: "true"`
	g.Only(fixed("3", ""))
	first := g.MustSync(fixed("3", ""))
	for name, text := range map[string]string{"fewer": fixed("1", suspended), "fewer asked for": strings.Replace(open, "{name: web}", "{name: web, annotations: {"+suspended+"}}", 1)} {
		if name == "fewer asked for" {
			g.MustSync(open)
			ask(t, g.Client(nil), ids(first.Last)["Server/web-0"], "2")
		}
		p := g.Plan(text)
		if got := strings.Join(servers(p), " "); got != "0 1 2" {
			t.Errorf("%s: it keeps %s", name, got)
		}
		for _, s := range p.Steps {
			if s.Action.Writes() {
				t.Errorf("%s: it would %s %s", name, s.Action, s.Key)
			}
		}
	}
}
