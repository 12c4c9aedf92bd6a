package virtualmachinegroup_test

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// having is the manifest of the group with more fields, each "field: value". It has that number of replicas
// unless replicas is "".
func having(replicas string, fields ...string) string {
	if replicas != "" {
		fields = append(fields, "replicas: "+replicas)
	}
	return strings.NewReplacer("replicas: 2", "description: one", "  description: one of many\n", "", "spec:\n", "spec:\n  "+strings.Join(fields, "\n  ")+"\n").Replace(object)
}

// steps returns the steps of a kind, except those that keep an object. Each text is "action name".
func steps(p plan.Plan, kind string) (list []string) {
	for _, s := range p.Steps {
		if s.Key.Kind == kind && s.Action != plan.Keep {
			list = append(list, string(s.Action)+" "+s.Key.Name)
		}
	}
	slices.Sort(list)
	return list
}

func wantSteps(t *testing.T, p plan.Plan, kind, want string) {
	t.Helper()
	if got := strings.Join(steps(p, kind), ", "); got != want {
		t.Errorf("%ss: %s, want %s", kind, got, want)
	}
}

func TestZonesOfAGroup(t *testing.T) {
	g := pure(t)
	first := having("3", "zones: [az-a, az-b]")
	disks := strings.Replace(first, "    initScript", "    volumes: [{name: data, size: 1}]\n    initScript", 1)
	zones := map[string]string{}
	for _, s := range g.Plan(disks).Steps {
		for _, v := range document.Values(s.Want, s.Secrets) {
			if v.Field == "spec.resource.availabilityZone" {
				zones[s.Key.Name], _ = v.Value.(string)
			}
		}
	}
	for name, want := range map[string]string{"web-0": "az-a", "web-1": "az-b", "web-2": "az-a"} {
		if zones[name] != want || zones[name+"-data"] != want {
			t.Errorf("%s is in %s and its volume in %s, want %s", name, zones[name], zones[name+"-data"], want)
		}
	}
	g.MustSync(first)
	// If machines are added, no other machine gets another zone.
	wantSteps(t, g.Plan(having("5", "zones: [az-a, az-b]")), "Server", "create web-3, create web-4")
	// If a machine's zone changes, the machine is replaced, one at a time.
	groups := having("", "isolationGroups: [{name: a, zone: az-a, members: 1}, {name: b, zone: az-a, numInstances: 2}]")
	moved := g.Plan(groups)
	wantSteps(t, moved, "Server", "create web-3, delete web-2, replace web-1, update web-0")
	// If a zone does not exist, that is reported before anything is created.
	none := g.Plan(having("3", "zones: [az-a, az-b, az-z]"))
	if asked := preflight.ZonesOf(none, g.Engine(g.Client(nil)).Kinds)["compute"]["az-z"]; len(asked) != 1 || asked[0].Name != "web-2" {
		t.Errorf("az-z is asked for by %v", asked)
	}
}

func TestZonesThatMakeNoSense(t *testing.T) {
	g := pure(t)
	for _, tt := range []struct{ manifest, want string }{
		{having("2", "zones: [az-a]"), ""},
		{having("", "isolationGroups: [{name: a, zone: az-a, members: 3}]"), ""},
		{having("3", "isolationGroups: [{name: a, zone: az-a, members: 3}]"), ""},
		{having("2", "zones: []"), "spec.zones"},
		{having("2", "zones: [az-a, az-a]"), "spec.zones[1]"},
		{strings.Replace(having("2", "zones: [az-a]"), "    image", "    zone: az-a\n    image", 1), "spec.template.zone"},
		{having("", "zones: [az-a]", "isolationGroups: [{name: a, zone: az-a, members: 3}]"), "spec.zones"},
		{having("2", "isolationGroups: [{name: a, zone: az-a, members: 3}]"), "spec.replicas"},
		{having("", "isolationGroups: [{name: a, zone: az-a}]"), "spec.isolationGroups[0].members"},
		{having("", "isolationGroups: [{name: a, zone: az-a, members: 1, numInstances: 1}]"), "spec.isolationGroups[0].members"},
		{having("", "isolationGroups: [{name: a, zone: az-a, members: 1}, {name: a, zone: az-b, members: 1}]"), "spec.isolationGroups[1].name"},
		{having("", "isolationGroups: [{name: a, zone: az-a, members: 600}, {name: b, zone: az-b, members: 600}]"), "spec.isolationGroups"},
		{having("2", "removalHints: [web-0]"), ""},
		{having("2", "removalHints: [db-0]"), "spec.removalHints[0]"},
		{having("2", "removalHints: [web-00]"), "spec.removalHints[0]"},
		{having("2", "removalHints: [web-spare-0]"), "spec.removalHints[0]"},
		{having("2", "removalHints: [web-1, web-1]"), "spec.removalHints[1]"},
	} {
		if _, err := g.TryResolve(tt.manifest); tt.want == "" && err != nil || tt.want != "" && !kindtest.Refuses(err, tt.want) {
			t.Errorf("%s: %v, want %s", tt.manifest, err, tt.want)
		}
	}
}

// A removal hint selects the machine that is deleted. No other machine changes, and neither do objects that
// refer to machines by their numbers.
func TestRemovalHints(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	g.MustSync(having("4") + front)
	hinted := having("3", "removalHints: [web-1]") + front
	wantSteps(t, g.Plan(hinted), "Server", "delete web-1")
	g.MustSync(hinted)
	wantSteps(t, g.Plan(having("4", "removalHints: [web-1]")+front), "Server", "create web-4")
	// The members are 0, 2 and 3. With partition 3, only members from number 3 on are changed.
	image := strings.NewReplacer("centos79", "cirros")
	wantTurns(t, g.Plan(image.Replace(having("3", "removalHints: [web-1]", "strategy: {partition: 3, drainSeconds: 0}"))+front), "web-0 keep", "web-2 keep", "web-3 replace")
	// Without the hint, web-1 is created, and the last machine is deleted.
	wantSteps(t, g.Plan(having("3")+front), "Server", "create web-1, delete web-3")
	for _, d := range g.Resolve(having("2", "removalHints: [web-5]")) {
		if d.Key.Name == "web" && d.Key.Kind == "VirtualMachineGroup" && (len(d.Notes) != 1 || d.Notes[0].Field != "spec.removalHints[0]") {
			t.Errorf("a hint at no machine is noted as %v", d.Notes)
		}
	}
}

// idsOf returns the IDs of objects of a kind, by name.
func idsOf(p plan.Plan, kind string) map[string]string {
	ids := map[string]string{}
	for _, s := range p.Steps {
		if s.Key.Kind == kind {
			ids[s.Key.Name] = s.ID()
		}
	}
	return ids
}

// If a machine is removed, its volumes stay. When the machine comes back, they are attached again.
func TestDataVolumesOfMembers(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	disk := func(text string) string {
		return strings.Replace(text, "    initScript", "    volumes: [{name: data, size: 1}]\n    initScript", 1)
	}
	two := disk(having("2", "strategy: {maxSurge: 1, drainSeconds: 0}"))
	made := g.MustSync(two).Last
	disks, servers := idsOf(made, "Volume"), idsOf(made, "Server")
	attached := func(when string, p plan.Plan, name string) {
		t.Helper()
		if now := idsOf(p, "Volume"); len(now) != 2 || now[name+"-data"] != disks[name+"-data"] {
			t.Errorf("%s: the volumes are %v, and were %v", when, now, disks)
		}
		for _, s := range p.Steps {
			if s.Key.Kind == "Server" && s.Key.Name == name && !slices.Contains(s.Have.Uses, disks[name+"-data"]) {
				t.Errorf("%s: %s has %v", when, name, s.Have.Uses)
			}
		}
	}
	replaced := g.MustSync(strings.Replace(two, "centos79", "cirros", 1)).Last
	if now := idsOf(replaced, "Server"); now["web-1"] == servers["web-1"] {
		t.Error("web-1 was not replaced")
	}
	attached("replaced", replaced, "web-1")
	two = strings.Replace(two, "centos79", "cirros", 1)
	one := g.MustSync(strings.Replace(two, "replicas: 2", "replicas: 1", 1)).Last
	for _, o := range status.Of(one, g.Engine(g.Client(nil)).Kinds) {
		if o.Metadata.Name == "web-1-data" && o.Status.State != status.StateKept {
			t.Errorf("the volume of the machine that went is %s: %s", o.Status.State, o.Status.Message)
		}
	}
	back := g.MustSync(two)
	wantSteps(t, back.First, "Volume", "")
	attached("back again", back.Last, "web-1")
	// With onDelete: delete, a volume is deleted with its machine.
	deleted := strings.Replace(two, "size: 1", "size: 1, onDelete: delete", 1)
	g.MustSync(deleted)
	wantSteps(t, g.Plan(strings.Replace(deleted, "replicas: 2", "replicas: 1", 1)), "Volume", "delete web-1-data")
}

var hostID = regexp.MustCompile(`"hostId": ?"[0-9a-f]+"`)

// crowd is a transport that shows all servers on one host.
type crowd struct{ next http.RoundTripper }

func (c crowd) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(req)
	if err != nil || !strings.Contains(req.URL.Path, "/servers") {
		return resp, err
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	text = hostID.ReplaceAll(text, []byte(`"hostId": "ab"`))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	resp.Header.Del("Content-Length")
	return resp, err
}

// The scheduler can have put two machines on one host although the server group separates them. The agent
// reports that, and changes nothing.
func TestMachinesThatShareAHost(t *testing.T) {
	g := pure(t)
	for policy, want := range map[string]status.State{"hard": status.StateDegraded, "soft": status.StateInSync} {
		manifest := strings.Replace(having("2"), "haPolicy: soft", "haPolicy: "+policy, 1)
		g.MustSync(manifest)
		pass := g.SyncThrough(manifest, func(next http.RoundTripper) http.RoundTripper { return crowd{next} })
		if len(pass.Results) > 0 {
			t.Errorf("%s: %v", policy, pass.Results)
		}
		noted := false
		for _, s := range pass.Last.Steps {
			noted = noted || slices.ContainsFunc(s.Notes, func(n kind.Note) bool {
				return n.Field == "spec.resource.policy" && strings.Contains(n.Text, "Server/web-0, Server/web-1")
			})
		}
		if noted != (policy == "soft") {
			t.Errorf("%s: noted: %t", policy, noted)
		}
		for _, o := range status.Of(pass.Last, g.Engine(g.Client(nil)).Kinds) {
			about := o.Kind == "VirtualMachineGroup" || o.Kind == "Server"
			if about && (o.Status.State != want || strings.Contains(o.Status.Message, "ServerGroup/web") != (policy == "hard")) {
				t.Errorf("%s: %s/%s is %s: %s", policy, o.Kind, o.Metadata.Name, o.Status.State, o.Status.Message)
			}
		}
		for _, o := range status.Of(g.Plan(manifest), g.Engine(g.Client(nil)).Kinds) {
			if o.Status.State != status.StateInSync {
				t.Errorf("%s, on hosts of their own: %s/%s is %s", policy, o.Kind, o.Metadata.Name, o.Status.State)
			}
		}
		g.MustSync("")
	}
}

// The agent also checks the members of an imported server group.
func TestMachinesThatShareAHostInAGroupOfOthers(t *testing.T) {
	g := pure(t)
	group := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: ServerGroup\nmetadata: {name: apart}\nspec: {resource: {policy: anti-affinity}}\n"
	other := g.Beside("")
	id := ids(other.MustSync(group).Last)["ServerGroup/apart"]
	used := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: ServerGroup\nmetadata: {name: apart}\nspec: {managementPolicy: unmanaged, import: {id: " + id + "}}\n"
	manifest := used + "---" + strings.Replace(having("2"), "haPolicy: soft", "serverGroup: apart", 1)
	g.MustSync(manifest)
	pass := g.SyncThrough(manifest, func(next http.RoundTripper) http.RoundTripper { return crowd{next} })
	degraded := 0
	for _, o := range status.Of(pass.Last, g.Engine(g.Client(nil)).Kinds) {
		if o.Kind == "Server" && o.Status.State == status.StateDegraded && strings.Contains(o.Status.Message, "ServerGroup/apart") {
			degraded++
		}
	}
	if degraded != 2 || len(pass.Results) > 0 {
		t.Errorf("%d are degraded, %v", degraded, pass.Results)
	}
	g.MustSync("")
}
