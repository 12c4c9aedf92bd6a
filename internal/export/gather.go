package export

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// group is a manifest that replaces those of several objects.
type group struct {
	kind.Gathered
	info  kind.Info
	key   manifest.Key
	parts map[manifest.Key]*item
}

// gather finds groups, which replace several objects. Workload kinds return these groups. If people have chosen
// single objects, there are no groups, and the chosen names are used.
func (x *exporter) gather() error {
	if x.Chosen != nil {
		return nil
	}
	var of []kind.Exported
	items := map[kind.ObjectName]*item{}
	for _, one := range x.items() {
		if !one.managed {
			continue
		}
		e := kind.Exported{ObjectName: kind.ObjectName{Kind: one.kind.Info.Kind, Name: one.name}}
		text, err := json.Marshal(one.spec)
		if err == nil {
			err = json.Unmarshal(text, &e.Spec)
		}
		if err != nil {
			return fmt.Errorf("%s: encode: %w", one.live.ID, err)
		}
		of, items[e.ObjectName] = append(of, e), one
	}
	for _, k := range x.Kinds {
		if info := k.Info; k.Gather != nil && x.includes(info) {
			for _, c := range k.Gather(of) {
				x.propose(group{Gathered: c, info: info, key: manifest.Key{Group: info.Group, Kind: info.Kind, Namespace: manifest.DefaultNamespace, Name: c.Name}}, items)
			}
		}
	}
	return nil
}

// propose writes a group instead of its parts. dissolveWrong checks the group later.
func (x *exporter) propose(g group, items map[kind.ObjectName]*item) {
	g.parts = map[manifest.Key]*item{}
	for _, called := range g.Parts {
		one := items[called]
		if one == nil || one.in != nil || g.parts[one.key(x.group)] != nil {
			return
		}
		g.parts[one.key(x.group)] = one
	}
	for _, one := range g.parts {
		one.in = &g
	}
	x.groups = append(x.groups, &g)
}

// dissolve writes the parts of a group separately.
func (x *exporter) dissolve(g *group) {
	for _, one := range g.parts {
		one.in = nil
	}
	x.groups = slices.DeleteFunc(x.groups, func(other *group) bool { return other == g })
}

// dissolveWrong dissolves the groups that do not expand to exactly the objects in the cloud. Each part must be
// adopted, and only its mark may be written.
func (x *exporter) dissolveWrong(steps []plan.Step) (dissolved bool) {
	for _, g := range slices.Clone(x.groups) {
		left := maps.Clone(g.parts)
		for _, s := range steps {
			if one := g.parts[s.Key]; one != nil && fits(one, s) {
				delete(left, s.Key)
			}
		}
		if len(left) > 0 || len(g.parts) != x.expands(g, steps) {
			x.dissolve(g)
			dissolved = true
		}
	}
	return dissolved
}

// expands returns the number of objects to which a group would expand.
func (x *exporter) expands(g *group, steps []plan.Step) (count int) {
	parents := map[manifest.Key]bool{g.key: true}
	for changed := true; changed; {
		changed = false
		for _, w := range x.workloads {
			if parents[w.Parent] && !parents[w.Key] {
				parents[w.Key], changed = true, true
			}
		}
	}
	for _, s := range steps {
		if parents[s.Parent] && !s.Unmanaged() {
			count++
		}
	}
	return count
}

func fits(one *item, s plan.Step) bool {
	if s.Action != plan.Update || s.Error || !s.Adopts || s.ID() != one.live.ID {
		return false
	}
	return !slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Field != kind.MarkField && c.Have != kind.Unknown })
}

// text returns the manifest of a group.
func (g *group) text() ([]byte, error) {
	spec, err := nodeOf(g.Spec)
	if err != nil {
		return nil, fmt.Errorf("%s: encode: %w", g.key, err)
	}
	annotations := mapping(resolve.AnnotationAdopt, text("true"))
	if len(g.Ignore) > 0 {
		add(annotations, resolve.AnnotationIgnore, text(strings.Join(g.Ignore, ",")))
	}
	gvk := manifest.GroupVersionKind{Group: g.info.Group, Version: g.info.Version, Kind: g.info.Kind}
	return encode(mapping("apiVersion", text(gvk.APIVersion()), "kind", text(g.info.Kind), "metadata", mapping("name", text(g.Name), "annotations", annotations), "spec", spec))
}

// object returns the written group, and adds notes about the group and its parts.
func (x *exporter) object(g *group) (Object, error) {
	written, err := g.text()
	o := Object{Key: g.key, Text: written, Adopted: true}
	for _, lost := range g.Lost {
		x.notes = append(x.notes, Note{Kind: g.info.Kind, Name: g.Name, Field: lost.Field, Text: lost.Text})
	}
	for _, one := range g.parts {
		o.Uses = append(o.Uses, one.live.Uses...)
		x.noteLost(one)
	}
	slices.Sort(o.Uses)
	return o, err
}
