package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// An object that gets another name is the same object in the cloud when its
// manifest says what it was called:
//
//	stackreeve.dev/moved-from: Volume/db-data
//
// What bears the mark of the old key is then taken over, with what it holds; its
// mark is rewritten in place. What the object expands into moves with it: parts are
// called after what they are parts of.

// mostMoves is how many former names an object can have.
const mostMoves = 10

// moves finds out what every object was called before.
func (r *resolver) moves() {
	first := map[manifest.Key]*node{}
	for _, n := range r.order {
		if r.over() {
			return
		}
		text := n.object.Annotations[annotationMoved]
		if text == "" || n.broken || n.Virtual && n.Data != nil || n.Unmanaged && n.Parent != (manifest.Key{}) {
			continue
		}
		root := r.root(n)
		for _, name := range r.formerNames(n, root, text) {
			r.move(n, r.key(n.Key.Kind, n.Key.Namespace, name), first)
		}
	}
}

// formerNames are the names of n when that which it is a part of had those in
// text. What is wrong with text is reported where it is written.
func (r *resolver) formerNames(n *node, root manifest.Key, text string) (names []string) {
	wrong := func(what, fix string) {
		if n.Key == root {
			r.report(n.problem(annotationField(annotationMoved), what, fix))
		}
	}
	if n.Unmanaged {
		wrong("is given for an unmanaged object", "remove it: an object that is only used has no name of ours to keep")
		return nil
	}
	entries := strings.Split(text, ",")
	if len(entries) > mostMoves {
		wrong(fmt.Sprintf("has %d names", len(entries)), fmt.Sprintf("keep the last %d", mostMoves))
		return nil
	}
	for _, entry := range entries {
		kind, name, ok := strings.Cut(strings.TrimSpace(entry), "/")
		switch {
		case !ok || !manifest.IsName(name):
			wrong(fmt.Sprintf("is %q", text), fmt.Sprintf("write %s/old-name", root.Kind))
		case kind != root.Kind:
			wrong(fmt.Sprintf("is %q, which is of another kind", text), fmt.Sprintf("an object can only take over one of its own kind: write %s/old-name", root.Kind))
		case name == root.Name:
			wrong("is the name that the object has", "write the old one, or remove the annotation")
		case n.Key.Name == root.Name:
			names = append(names, name)
		case strings.HasPrefix(n.Key.Name, root.Name+"-"):
			names = append(names, name+strings.TrimPrefix(n.Key.Name, root.Name))
		}
	}
	return names
}

// move takes note that n was called from. Nothing else can be called so, now or
// before.
func (r *resolver) move(n *node, from manifest.Key, first map[manifest.Key]*node) {
	const field = "metadata.annotations." + annotationMoved
	if still := r.byKey[from]; still != nil && !still.Unmanaged {
		r.report(n.problem(field, fmt.Sprintf("names %s, which is still in the repository (%s)", from, describeOrigin(still)), "remove that, or the annotation"))
		return
	}
	if other := first[from]; other != nil && other != n {
		r.report(n.problem(field, fmt.Sprintf("names %s, and so does %s (%s)", from, other.Key, describeOrigin(other)), "keep it where it belongs"))
		return
	}
	first[from] = n
	n.From = append(n.From, from)
}

// formerOwners are the owner texts that d had under its former names.
func (p *planner) formerOwners(d *Desired) []string {
	owners := make([]string, len(d.From))
	for i, key := range d.From {
		owners[i] = OwnerText(p.Stack, key)
	}
	return owners
}

func (p *planner) identities(d *Desired) (list []identity) {
	for i, owner := range p.formerOwners(d) {
		was := identity{d.From[i].Name, owner, d.confidential.holder}
		if i < len(d.confidential.former) {
			was.holder = d.confidential.former[i]
		}
		list = append(list, was)
	}
	return list
}

// formerKey is the key that an object in the cloud was made for by this stack, when
// that is another than d's; zero when there is none.
func (p *planner) formerKey(d *Desired, have *Live[any]) manifest.Key {
	if have == nil || have.Mark == nil {
		return manifest.Key{}
	}
	if i := slices.Index(p.formerOwners(d), have.Mark.Owner); i >= 0 {
		return d.From[i]
	}
	if o, ok := ParseOwner(have.Mark.Owner); ok && o.Of(p.Stack) && have.Mark.Owner != OwnerText(p.Stack, d.Key) {
		return p.orphanKey(o, have)
	}
	return manifest.Key{}
}

// claims are all that claim to be d, under any of its names.
func (p *planner) claims(d *Desired) claims {
	c := *p.claimed(d.Key.Kind, OwnerText(p.Stack, d.Key))
	for _, owner := range p.formerOwners(d) {
		former := p.claimed(d.Key.Kind, owner)
		c.sole = slices.Concat(c.sole, former.sole)
		c.shared = slices.Concat(c.shared, former.shared)
		c.copied = slices.Concat(c.copied, former.copied)
	}
	return c
}

// renamings adds to the deletion of an object which new one is the same but for its
// name, where there is just one such: who renames a manifest may not know what
// that means.
func (p *planner) renamings() {
	if !slices.ContainsFunc(p.steps, isOrphanDeletion) {
		return
	}
	type likeness struct{ kind, digest string }
	alike := map[likeness][]manifest.Key{}
	for i := range p.steps {
		if s := &p.steps[i]; s.Action == Create && s.want.confidential.secret == "" {
			at := likeness{s.Key.Kind, s.want.digest}
			alike[at] = append(alike[at], s.Key)
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		if !isOrphanDeletion(*s) {
			continue
		}
		if keys := alike[likeness{s.Key.Kind, s.have.Mark.Applied}]; len(keys) == 1 {
			s.Reason += fmt.Sprintf("; %s is the same under another name: to keep this one, give that the annotation %s: %s", keys[0], annotationMoved, s.Key)
		}
	}
}

func isOrphanDeletion(s Step) bool { return s.Action == Delete && s.want == nil && !s.surplus }
