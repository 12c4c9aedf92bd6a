package all_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator/glance"
)

const newestImage = routed + `---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: os}, spec: {managementPolicy: unmanaged, import: {filter: {name: "weekly-*", latest: true}}}}
`

// weekly is a cloud to which images are uploaded again and again.
type weekly struct {
	hand
	g *kindtest.Target
}

func newWeekly(t *testing.T) weekly {
	t.Helper()
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("images are uploaded and deleted")
	}
	g.Defaults.Network = "routed"
	return weekly{hand{t: t, c: g.Client(nil)}, g}
}

// upload makes an image that is some hours old.
func (w weekly) upload(name string, hours int) (id string) {
	made := w.g.Simulator.Glance.Create(w.c.ProjectID, glance.Spec{Name: name, DiskFormat: "raw", ContainerFormat: "bare"}, []byte("an image"))
	made.Created = made.Created.Add(-time.Duration(hours) * time.Hour)
	return made.ID
}

func (w weekly) remove(id string) {
	w.t.Helper()
	w.do(cloud.Call{Service: cloud.Image, Method: http.MethodDelete, Path: "images/" + id})
}

// outrun lists the servers of a plan that keep an earlier image.
func outrun(p plan.Plan) (keys []string) {
	for _, s := range p.Steps {
		if s.Key.Kind == "Server" && len(s.Outrun) > 0 && s.Action == plan.Keep {
			keys = append(keys, s.Key.Name)
		}
	}
	slices.Sort(keys)
	return keys
}

// A machine that boots from a volume keeps its image, too, and so does its volume. If the image is gone, nothing changes.
func TestNewestImageOfVolumes(t *testing.T) {
	w := newWeekly(t)
	doc := newestImage + `---
{apiVersion: stackreeve.dev/v1alpha1, kind: VirtualMachine, metadata: {name: db}, spec: {image: os, flavor: m1.nano, rootVolume: {size: 1}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Volume, metadata: {name: data}, spec: {resource: {size: 1, imageRef: os}}}
`
	w.g.Only(doc)
	old := w.upload("weekly-1", 2)
	w.g.MustSync(doc)
	w.upload("weekly-2", 1)
	check := func(when string) {
		t.Helper()
		p := w.g.Planner(doc)(doc)
		noted := 0
		for _, s := range p.Steps {
			if s.Action != plan.Keep || len(s.Changes) > 0 {
				t.Errorf("%s: %s %s: %s", when, s.Action, s.Key, s.FullCause())
			}
			if s.Key.Kind == "Volume" && len(s.Outrun) > 0 {
				noted++
			}
		}
		if noted != 2 {
			t.Errorf("%s: %d of 2 volumes say that there is a newer image", when, noted)
		}
	}
	check("after an upload")
	w.remove(old)
	check("after the old image is gone")
	if pass := w.g.MustSync(doc); len(pass.Results) > 0 {
		t.Errorf("%d steps were carried out", len(pass.Results))
	}
}

// With consent, members of a group follow a new upload in turn: the plan is held as a whole, and lets one canary begin.
func TestNewestImageOfAGroup(t *testing.T) {
	w := newWeekly(t)
	doc := newestImage + `---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: app, annotations: {stackreeve.dev/change-policy: WAY}}
spec: {replicas: 3, strategy: {type: Rolling, canary: {members: 1, durationSeconds: 3600}}, template: {image: os, flavor: m1.nano}}
`
	kept := strings.Replace(doc, ", annotations: {stackreeve.dev/change-policy: WAY}", "", 1)
	w.g.Only(kept)
	w.upload("weekly-1", 2)
	w.g.MustSync(kept)
	w.upload("weekly-2", 1)
	if got := outrun(w.g.Plan(kept)); len(got) != 3 {
		t.Errorf("without consent, %q keep their image", got)
	}
	for _, way := range []string{"image=rebuild", "image=replace"} {
		with := strings.Replace(doc, "WAY", way, 1)
		p := w.g.Plan(with)
		begin, proposed := 0, 0
		for _, s := range p.Steps {
			if s.Key.Kind != "Server" {
				continue
			}
			if s.Action.Writes() && s.Disruption() > 0 && len(s.Awaits) == 0 {
				begin++
			}
			if s.Proposed {
				proposed++
			}
		}
		if begin != 1 || proposed == 0 || !p.Held.Has(cause.Proposed) {
			t.Errorf("%s: %d members begin, %d are proposed, held: %s", way, begin, proposed, p.Held)
		}
	}
}

// An image that vanishes after the plan was made fails the step of its machine, and the next pass uses the image that is the newest then.
func TestAnImageVanishesAfterThePlan(t *testing.T) {
	w := newWeekly(t)
	doc := newestImage + "---\n{apiVersion: stackreeve.dev/v1alpha1, kind: VirtualMachine, metadata: {name: web}, spec: {image: os, flavor: m1.nano}}\n"
	w.g.Only(doc)
	old, newest := w.upload("weekly-1", 2), w.upload("weekly-2", 1)
	gone := false
	w.g.SyncThrough(doc, func(next http.RoundTripper) http.RoundTripper {
		return through(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/servers") && !gone {
				gone = true
				w.remove(newest)
			}
			return next.RoundTrip(r)
		})
	})
	w.g.MustSync(doc)
	var is struct {
		Servers []struct{ Image struct{ ID string } }
	}
	w.do(cloud.Call{Service: cloud.Compute, Method: http.MethodGet, Path: "servers/detail", Into: &is})
	if !gone || len(is.Servers) != 1 || is.Servers[0].Image.ID != old {
		t.Errorf("servers %+v, want one with %s", is.Servers, old)
	}
}

// Without any image of the pattern, existing machines stay as they are, new ones wait, and nothing is deleted.
func TestAllImagesOfAPatternVanish(t *testing.T) {
	w := newWeekly(t)
	one := "---\n{apiVersion: stackreeve.dev/v1alpha1, kind: VirtualMachine, metadata: {name: web}, spec: {image: os, flavor: m1.nano}}\n"
	doc := newestImage + one
	w.g.Only(doc)
	id := w.upload("weekly-1", 2)
	w.g.MustSync(doc)
	w.remove(id)
	two := doc + strings.Replace(one, "name: web", "name: web-2", 1)
	for _, s := range w.g.Planner(two)(two).Steps {
		want := plan.Keep
		switch s.Key.String() {
		case "Image/os", "Server/web-2":
			want = plan.Wait
		case "Port/web-2":
			want = plan.Create
		}
		if s.Action != want && s.Have != nil {
			t.Errorf("%s %s, want %s: %s", s.Action, s.Key, want, s.FullCause())
		}
		if s.Action.Destroys() || s.Action == plan.Update {
			t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
		}
	}
}

// A plan of a pull request, as one from a fork, resolves the pattern with requests that only read. The image is neither pinned nor proposed
// for the branch afterwards.
func TestAPullRequestPinsNoImageForTheBranch(t *testing.T) {
	w := newWeekly(t)
	one := "---\n{apiVersion: stackreeve.dev/v1alpha1, kind: VirtualMachine, metadata: {name: web}, spec: {image: os, flavor: m1.nano}}\n"
	branch := newestImage + one
	w.g.Only(branch)
	old := w.upload("weekly-1", 3)
	w.g.MustSync(branch)
	w.upload("weekly-2", 2)
	w.upload("hostile", 1)
	w.g.Simulator.ResetRequests()
	for pattern, found := range map[string]bool{`"weekly-2"`: true, `"hostile"`: true, `"none-*", latest: true`: false, `"*", latest: true`: true} {
		request := strings.Replace(branch, `"weekly-*", latest: true`, pattern, 1) + strings.Replace(one, "name: web", "name: more", 1)
		for _, s := range w.g.Planner(request)(request).Steps {
			if s.Key.String() == "Image/os" && (s.Action != plan.Wait) != found {
				t.Errorf("%s: %s %s: %s", pattern, s.Action, s.Key, s.FullCause())
			}
		}
	}
	for _, r := range w.g.Simulator.Requests() {
		if r.Write() {
			t.Errorf("a plan sent %+v", r)
		}
	}
	if got := outrun(w.g.Planner(branch)(branch)); !slices.Equal(got, []string{"web"}) {
		t.Errorf("on the branch, %q keep their image", got)
	}
	if pass := w.g.MustSync(branch); len(pass.Results) > 0 {
		t.Errorf("%d steps were carried out", len(pass.Results))
	}
	var is struct {
		Servers []struct{ Image struct{ ID string } }
	}
	w.do(cloud.Call{Service: cloud.Compute, Method: http.MethodGet, Path: "servers/detail", Into: &is})
	if len(is.Servers) != 1 || is.Servers[0].Image.ID != old {
		t.Errorf("servers %+v, want one with %s", is.Servers, old)
	}
}
