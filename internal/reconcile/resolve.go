package reconcile

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Resolve turns the objects of a revision into what the stack wants: decoded,
// validated, expanded, with every reference found, in an order in which
// nothing comes before what it leans on. Its error is a [manifest.Problems]
// with everything that is wrong; then nothing may be applied.
func Resolve(objects []manifest.Object, kinds []Kind, defaults Defaults) ([]Desired, error) {
	r := newResolver(kinds, defaults)
	for i := range objects {
		r.decode(&objects[i], nil, false, "")
	}
	for _, d := range slices.Clone(r.order) {
		r.written[d.Key] = true
	}
	for _, d := range slices.Clone(r.order) {
		r.expand(d)
	}
	r.link()
	order := r.sort()
	if len(r.problems) > 0 {
		return nil, manifest.Problems(r.problems)
	}
	out := make([]Desired, len(order))
	for i, d := range order {
		d.digest, d.confidential = r.digest(d), r.conceal(d)
		out[i] = *d
	}
	return out, nil
}

type resolver struct {
	kinds     map[string]Kind
	groups    map[string]string
	defaults  Defaults
	byKey     map[manifest.Key]*Desired
	order     []*Desired
	written   map[manifest.Key]bool
	expanded  map[manifest.Key]bool
	broken    map[manifest.Key]bool
	offspring map[manifest.Key][]manifest.Key
	referrers map[manifest.Key][]manifest.Key // of written objects; made when first asked for
	problems  []manifest.Problem
}

func newResolver(kinds []Kind, defaults Defaults) *resolver {
	r := &resolver{
		kinds: map[string]Kind{}, groups: groupsOf(kinds), defaults: defaults,
		byKey: map[manifest.Key]*Desired{}, written: map[manifest.Key]bool{}, expanded: map[manifest.Key]bool{},
		broken: map[manifest.Key]bool{}, offspring: map[manifest.Key][]manifest.Key{},
	}
	for _, k := range kinds {
		r.kinds[k.Info().Kind] = k
	}
	return r
}

func groupsOf(kinds []Kind) map[string]string {
	groups := make(map[string]string, len(kinds))
	for _, k := range kinds {
		groups[k.Info().Kind] = k.Info().Group
	}
	return groups
}

func (r *resolver) key(kind, namespace, name string) manifest.Key {
	return manifest.Key{Group: r.groups[kind], Kind: kind, Namespace: namespace, Name: name}
}

// decode adds obj. parent is nil for objects of the repository.
func (r *resolver) decode(obj *manifest.Object, parent *Desired, fallback bool, hint string) {
	if have := r.byKey[obj.Key]; have != nil {
		if fallback {
			return
		}
		r.problems = append(r.problems, manifest.Problem{Origin: obj.Origin, Key: obj.Key,
			What: fmt.Sprintf("is made twice: here and at %s", describeOrigin(have)), Fix: "rename one of them"})
		return
	}
	k := r.kinds[obj.Key.Kind]
	if k == nil {
		r.problems = append(r.problems, manifest.Problem{Origin: obj.Origin, Key: obj.Key, What: "is of an unknown kind", Fix: "see `explain` for the kinds there are"})
		return
	}
	d, problems := k.decode(obj)
	d.body, d.public = k.Body(), k.Info().Public
	problems = append(problems, d.readOptions()...)
	if d.Import != nil {
		d.Import.Hint = hint
	}
	if parent != nil {
		d.Parent, d.Origin = parent.Key, parent.Origin
		r.offspring[parent.Key] = append(r.offspring[parent.Key], d.Key)
	}
	if len(problems) > 0 {
		r.broken[d.Key] = true
		r.problems = append(r.problems, problems...)
	}
	r.byKey[d.Key] = &d
	r.order = append(r.order, &d)
}

func describeOrigin(d *Desired) string {
	if d.Parent != (manifest.Key{}) {
		return fmt.Sprintf("%s, as part of %s", d.Origin, d.Parent)
	}
	return d.Origin.String()
}

// expand makes what d stands for, once.
func (r *resolver) expand(d *Desired) {
	if r.expanded[d.Key] || r.broken[d.Key] {
		return
	}
	r.expanded[d.Key] = true
	e := &Expansion{Key: d.Key, Defaults: r.defaults, parent: d, resolver: r}
	r.kinds[d.Key.Kind].expand(d, e)
	d.Notes = append(d.Notes, e.notes...)
	if problems := e.located(d.object); len(problems) > 0 {
		r.broken[d.Key] = true
		r.problems = append(r.problems, problems...)
		return
	}
	for _, c := range e.children {
		info := r.kinds[c.key.Kind].Info()
		obj, err := manifest.NewObject(c.key, info.Group+"/"+info.Version, d.Origin, d.object.Annotations, c.body)
		if err != nil {
			r.problems = append(r.problems, d.problem("spec", err.Error(), "change what it expands from"))
			continue
		}
		r.decode(&obj, d, c.fallback, c.hint)
		if child := r.byKey[c.key]; child != nil {
			r.expand(child)
		}
	}
}

func (r *resolver) referring(kind string, to manifest.Key) []string {
	if r.referrers == nil {
		r.referrers = map[manifest.Key][]manifest.Key{}
		for _, d := range r.order {
			if !r.written[d.Key] || r.broken[d.Key] {
				continue
			}
			for _, ref := range refsOf(d, r.groups) {
				r.referrers[ref.Key] = append(r.referrers[ref.Key], d.Key)
			}
		}
	}
	var names []string
	for _, from := range r.referrers[to] {
		if from.Kind == kind {
			names = append(names, from.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// link finds every reference of every object, and names those that lead
// nowhere.
func (r *resolver) link() {
	for _, d := range r.order {
		if r.broken[d.Key] {
			continue
		}
		d.Refs = refsOf(d, r.groups)
		for _, ref := range d.Refs {
			if r.byKey[ref.Key] != nil {
				continue
			}
			r.problems = append(r.problems, d.problem(ref.Field,
				fmt.Sprintf("refers to %s, which is not in the repository", ref.Key), r.suggest(ref.Key)))
		}
	}
}

func (r *resolver) suggest(missing manifest.Key) string {
	var names []string
	for key := range r.byKey {
		if key.Kind == missing.Kind && key.Namespace == missing.Namespace {
			names = append(names, key.Name)
		}
	}
	slices.Sort(names)
	if near := manifest.Nearest(missing.Name, names); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	if missing.Group == "" { // a Secret or ConfigMap is in no cloud
		return "add a manifest for it, in namespace " + missing.Namespace
	}
	return fmt.Sprintf("add a manifest for it (managementPolicy: unmanaged with spec.import, if it exists already in the cloud), in namespace %s", missing.Namespace)
}

// sort orders the objects so that references point backwards, and reports
// cycles. Objects keep the order of their files otherwise.
func (r *resolver) sort() []*Desired {
	const unseen, open, done = 0, 1, 2
	state := make(map[manifest.Key]int, len(r.order))
	var out []*Desired
	var path []manifest.Key
	var visit func(d *Desired)
	visit = func(d *Desired) {
		state[d.Key] = open
		path = append(path, d.Key)
		for _, ref := range d.Refs {
			next := r.byKey[ref.Key]
			if next == nil {
				continue
			}
			switch state[next.Key] {
			case unseen:
				visit(next)
			case open:
				r.problems = append(r.problems, d.problem(ref.Field, "closes a circle: "+circle(path, next.Key),
					"remove one of these references: none of these objects can be made first"))
			}
		}
		path = path[:len(path)-1]
		state[d.Key] = done
		out = append(out, d)
	}
	for _, d := range r.order {
		if state[d.Key] == unseen {
			visit(d)
		}
	}
	return out
}

func circle(path []manifest.Key, back manifest.Key) string {
	text := ""
	for _, key := range path[slices.Index(path, back):] {
		text += key.String() + " -> "
	}
	return text + back.String()
}

// digest fingerprints everything a commit can change about d: its spec, its
// references, its options and the data it refers to.
func (r *resolver) digest(d *Desired) string {
	text := canonical(d.Spec) + canonical(d.Options)
	for _, ref := range d.Refs {
		if ref.Order {
			continue
		}
		text += "\n" + ref.Field + "=" + ref.Key.String()
		if data := r.byKey[ref.Key].Data; data != nil {
			text += canonical(data)
		}
	}
	return Digest(text)
}
