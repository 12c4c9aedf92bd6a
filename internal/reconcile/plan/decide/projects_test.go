package decide

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// inProjects makes the weight of a manifest the name of its project, which is another Thing. places alternates the name of a thing in
// the cloud and the ID of its project. If the ID starts with "+", the thing is guarded.
func inProjects(places ...string) func(*world.Input) {
	return func(in *world.Input) {
		in.Kinds[0].Project = func(w kind.Want) kind.Ref {
			spec, ok := w.Spec.(*thingtest.Spec)
			if !ok {
				return kind.Ref{}
			}
			return w.Ref("Thing", spec.Weight)
		}
		for i := range in.Have["Thing"].Items {
			l := in.Have["Thing"].Items[i]
			l.Facts.IsProject = l.Name == "p" || l.Name == "q"
		}
		for i := 0; i < len(places); i += 2 {
			l := item(in, places[i])
			l.InOwnProject, l.Project = false, places[i+1]
			if l.Project != "" && l.Project[0] == '+' {
				l.Project, l.Guarded = l.Project[1:], true
			}
		}
	}
}

// A manifest that names a project describes an object there. A plan reports a mark in another project, and does nothing else about
// it.
func TestObjectsInOtherProjects(t *testing.T) {
	repo := []string{"p colour=red", "a weight=p"}
	p := "p ours colour=red"
	imported := []string{"p import=p", "a weight=p adopt=id-002"}
	decisions(t, map[string]decision{
		"it is there":                                        {repo: repo, cloud: []string{p, "a ours weight=p"}, alter: inProjects("a", "+id-001"), want: map[string]string{"a": "keep of-this", "p": "keep of-this"}},
		"its mark proves nothing":                            {repo: repo, cloud: []string{p, "a ours weight=p"}, alter: inProjects("a", "id-001"), want: map[string]string{"a": "create", "p": "keep of-this"}},
		"it is in another project":                           {repo: repo, cloud: []string{p, "a ours weight=p"}, alter: inProjects("a", "+id-009"), want: map[string]string{"a": "create; keep surplus : in-another-project manifest-names-another-project unmark-by", "p": "keep of-this"}},
		"it is in the stack's own":                           {repo: repo, cloud: []string{p, "a ours weight=p"}, alter: inProjects(), want: map[string]string{"a": "keep of-this", "p": "keep of-this"}},
		"its project is not there":                           {repo: repo, cloud: []string{"a ours weight=p"}, alter: inProjects("a", ""), want: map[string]string{"a": "create", "p": "create"}},
		"somebody has its name there":                        {repo: repo, cloud: []string{p, "a nobody"}, alter: inProjects("a", "id-001"), want: map[string]string{"a": "refuse error : name-taken", "p": "keep of-this"}},
		"somebody has its name elsewhere":                    {repo: repo, cloud: []string{p, "a nobody"}, alter: inProjects("a", "id-009"), want: map[string]string{"a": "create", "p": "keep of-this"}},
		"somebody has its name in the stack's own":           {repo: repo, cloud: []string{p, "a nobody"}, alter: inProjects(), want: map[string]string{"a": "create", "p": "keep of-this"}},
		"nobody wants it, and its project is the stack's":    {repo: repo[:1], cloud: []string{p, "a stale"}, alter: inProjects("a", "+id-001"), want: map[string]string{"a": "delete : gone", "p": "keep of-this"}},
		"nobody wants it, and its project goes":              {cloud: []string{"p stale", "a stale"}, alter: inProjects("a", "+id-001"), want: map[string]string{"a": "delete : gone", "p": "delete : gone"}},
		"nobody wants it, and its project is imported":       {repo: []string{"p import=p"}, cloud: []string{"p nobody", "a stale"}, alter: inProjects("a", "+id-001"), want: map[string]string{"a": "delete : gone", "p": "keep"}},
		"nobody wants it, and it is elsewhere":               {repo: repo[:1], cloud: []string{p, "a stale"}, alter: inProjects("a", "+id-009"), want: map[string]string{"a": "keep surplus : in-another-project no-project-leads-there unmark-by", "p": "keep of-this"}},
		"nobody wants it, and it is in what is no project":   {repo: []string{"b"}, cloud: []string{"b ours", "a stale"}, alter: inProjects("a", "+id-001"), want: map[string]string{"a": "keep surplus : in-another-project no-project-leads-there unmark-by", "b": "keep of-this"}},
		"it is adopted there":                                {repo: []string{"p colour=red", "a weight=p adopt=id-002"}, cloud: []string{p, "a nobody weight=p"}, alter: inProjects("a", "id-001"), want: map[string]string{"a": "update adopts changes owner-mark", "p": "keep of-this"}},
		"it would be adopted elsewhere":                      {repo: []string{"p colour=red", "a weight=p adopt=id-002"}, cloud: []string{p, "a nobody weight=p"}, alter: inProjects("a", "id-009"), want: map[string]string{"a": "refuse error : unadoptable-id", "p": "keep of-this"}},
		"it would be adopted in a project that is only used": {repo: imported, cloud: []string{"p nobody", "a nobody weight=p"}, alter: inProjects("a", "id-001"), want: map[string]string{"a": "refuse error : unadoptable-id", "p": "keep"}},
		"it would be adopted in an unnamed project":          {repo: []string{"a adopt=id-002"}, cloud: []string{p, "a nobody"}, alter: inProjects("a", "id-001"), want: map[string]string{"a": "refuse error : unadoptable-id", "p": "delete : gone"}},
		"the list failed": {repo: repo, cloud: []string{p, "a ours weight=p"}, want: map[string]string{"a": "wait error : unlisted", "p": "wait error : unlisted"}, alter: all(inProjects("a", "+id-009"), func(in *world.Input) {
			c := in.Have["Thing"]
			c.Err = errors.New("503")
			in.Have["Thing"] = c
		})},
	})
}

// A plan reports only a limited number of marks in other projects, since other people can write them.
func TestFewMarksInOtherProjectsAreTold(t *testing.T) {
	for n, told := range map[int]int{maxInOtherProjects: maxInOtherProjects, maxInOtherProjects + 3: maxInOtherProjects} {
		var c decision
		var places []string
		for i := range n {
			name := fmt.Sprintf("x%02d", i)
			c.cloud, places = append(c.cloud, name+" stale"), append(places, name, "+id-900")
		}
		c.alter = inProjects(places...)
		if got := len(Compute(c.input(t)).Steps); got != told {
			t.Errorf("%d are there, and %d told", n, got)
		}
	}
}
