package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// write takes in an object that the repository holds, decoded and validated. All
// of them come before resolve.
func (r *resolver) write(obj *manifest.Object) {
	r.last = obj
	if r.budget.take(costObjects, 1) && !r.over() {
		r.decode(obj, nil, kind.Part{})
		r.written = len(r.order)
	}
	obj.Release()
}

// resolve makes of what is written what the stack wants: expanded, with every
// reference found, in an order in which nothing comes before what it depends on.
// Its error is a [manifest.Problems] with everything that is wrong, or that of
// the one who stopped it; then nothing may be applied. What it costs is taken from
// the budget before it is made.
func (r *resolver) resolve() ([]kind.Desired, error) {
	r.expandDefined()
	for _, n := range r.order[:r.declares] {
		if r.over() {
			break
		}
		r.last = n.Object
		r.expand(n)
	}
	r.checkExternal()
	r.checkIgnored()
	r.checkWays()
	r.link()
	r.follow()
	r.moves()
	r.loosen()
	order := r.sort()
	if err := r.outcome(); err != nil || r.lost {
		return nil, err
	}
	out := make([]kind.Desired, len(order))
	for i, n := range order {
		if r.over() {
			break
		}
		n.Sum, n.Digest = r.sums(n)
		n.Confidential = r.conceal(n)
		n.Object.Release()
		out[i] = n.Desired
	}
	return out, r.outcome()
}

// node is an object while it is resolved.
type node struct {
	kind.Desired
	parts    []*node             // what it expanded into
	members  map[string][]string // names of its parts by kind, at any depth; made when first asked for
	expanded bool
	done     bool // all that it expands into is there
	broken   bool

	template func(field string) manifest.Origin // that made it; nil for none

	visit visit
	depth int           // on the way that sort is on
	text  string        // canonical data, or what an import says; made when first asked for
	data  *checksum.Sum // of the data, likewise
}

type resolver struct {
	kinds    map[string]*kind.Kind
	groups   map[string]string
	budget   *budget
	entries  Entries
	missing  bool // whether references may lead to what has no manifest
	lost     bool // whether what could not be read or expanded may hold what has none
	byKey    map[manifest.Key]*node
	order    []*node
	written  int              // how many of them the repository holds, the first ones
	declares int              // how many it declares, those included that the kinds it defines stand for
	defined  map[string]bool  // names of kinds that the revision defines
	defining bool             // whether only objects of such kinds are expanded
	last     *manifest.Object // the last one that was begun with; nil before the first
	problems []manifest.Problem
	alike    map[sameAs]*alike
	broken   map[manifest.Key]bool // what is wrong

	names     map[scope][]string // of written objects, in their natural order; made when first asked for
	all       map[scope][]string // of all objects, likewise
	referrers map[referrer][]string
	secrets   map[string]string // what stands for long ones in fingerprints
}

// scope is where a name is unique.
type scope struct{ kind, namespace string }

func newResolver(kinds []*kind.Kind, spend *budget) *resolver {
	r := &resolver{
		secrets: map[string]string{}, defined: map[string]bool{}, kinds: map[string]*kind.Kind{}, groups: kind.GroupsOf(kinds), budget: spend, byKey: map[manifest.Key]*node{}, broken: map[manifest.Key]bool{}}
	for _, k := range kinds {
		r.kinds[k.Info.Kind] = k
	}
	return r
}

func (r *resolver) key(kind, namespace, name string) manifest.Key {
	return manifest.Key{Group: r.groups[kind], Kind: kind, Namespace: namespace, Name: name}
}

// mostProblems is how many problems are found before a revision is hopeless.
const mostProblems = 1000

// over reports whether nothing more can come of it.
func (r *resolver) over() bool { return len(r.problems) >= mostProblems || r.budget.over() }

// outcome is the error of it all.
func (r *resolver) outcome() error {
	if err := r.budget.stopped(); err != nil {
		return err
	}
	problems := r.found()
	switch n := len(problems); {
	case r.budget.spent != nil:
		problems = append(problems, r.budget.spent.problem(r.last))
	case n >= mostProblems:
		problems = append(problems, manifest.Problem{Origin: problems[n-1].Origin, What: fmt.Sprintf("gave up after %d problems", mostProblems), Fix: "correct these first"})
	}
	return manifest.Problems(problems).Err()
}

// decode adds obj. parent is nil for objects of the repository; for others part is what they are of it.
func (r *resolver) decode(obj *manifest.Object, parent *node, part kind.Part) {
	if have := r.byKey[obj.Key]; have != nil {
		if part.Fallback {
			r.budget.giveBack(costObjects, 1)
			return
		}
		if parent == nil { // both are written, which package manifest has reported
			return
		}
		r.report(manifest.Problem{Origin: obj.Origin, Key: obj.Key,
			What: fmt.Sprintf("is made twice: here and at %s", describeOrigin(have)), Fix: "rename one of them"})
		return
	}
	k := r.kinds[obj.Key.Kind]
	if k == nil {
		r.report(manifest.Problem{Origin: obj.Origin, Key: obj.Key, What: "is of an unknown kind", Fix: "see `explain` for the kinds there are"})
		return
	}
	d, problems := k.Decode(obj)
	n := &node{Desired: d}
	if parent != nil {
		n.Parent, n.Public = parent.Key, parent.Public
		n.template = part.Template
	}
	if own := r.defined[obj.Key.Kind]; own || part.ID != "" {
		n.Definition = &kind.OfDefinition{ID: part.ID}
		if parent != nil {
			n.Definition.Place = len(parent.parts)
		}
		if own {
			n.Definition.Kind = k
		}
	}
	n.Body, n.PublicData = k.Body, k.Info.Public
	problems = slices.Concat(problems, forged(&n.Desired), readOptions(&n.Desired), r.entries.choose(&n.Desired))
	if n.Import != nil {
		n.Import.Hint = part.Hint
	}
	if adopts := parent != nil && n.Import != nil && n.Import.ByName; adopts && k.Info.FixedMark {
		problems = append(problems, n.Problem(n.Import.Field, fmt.Sprintf("would adopt a %s of that name, and the cloud cannot write a mark on one that exists", n.Key.Kind),
			"have "+parent.Key.String()+" use one that exists in place of making one, or remove the annotation"))
	}
	if parent != nil {
		n.Origin = parent.Origin
		parent.parts = append(parent.parts, n)
		obj.Release()
	}
	r.byKey[n.Key] = n
	r.order = append(r.order, n)
	if len(problems) > 0 {
		r.breaks(n, problems)
	}
}

// breaks reports what is wrong with an object. What a definition would make of it may be what others refer to.
func (r *resolver) breaks(n *node, problems []manifest.Problem) {
	n.broken = true
	r.broken[n.Key] = true
	r.lost = r.lost || n.Defined() != nil
	r.report(problems...)
}

func describeOrigin(n *node) string {
	if n.Parent != (manifest.Key{}) {
		return fmt.Sprintf("%s, as part of %s", n.Origin, n.Parent)
	}
	return n.Origin.String()
}

// inherited are the annotations that hold for what an object expands into, too. What has
// an object of its own in the cloud adopts that alone. There is nothing to be adopted as a spare, and spares go
// whether or not others are kept.
func inherited(d *kind.Desired, spare bool) map[string]string {
	annotations, not := d.Object.Annotations, []string{}
	if spare {
		not = []string{AnnotationAdopt, AnnotationPrune, AnnotationDelete}
	} else if !d.Virtual {
		not = []string{AnnotationAdopt}
	}
	if !slices.ContainsFunc(not, func(name string) bool { return annotations[name] != "" }) {
		return annotations
	}
	annotations = maps.Clone(annotations)
	for _, name := range not {
		delete(annotations, name)
	}
	return annotations
}

// annotations are those of what an object expands into.
func annotations(d *kind.Desired, spare, suspended bool) map[string]string {
	all := inherited(d, spare)
	if suspended {
		all = maps.Clone(all)
		if all == nil {
			all = map[string]string{}
		}
		all[AnnotationSuspend] = "true"
	}
	return all
}

// expand makes what n stands for, once.
func (r *resolver) expand(n *node) {
	if n.expanded || n.broken || r.over() {
		return
	}
	n.expanded = true
	e := kind.NewExpansion(&n.Desired, repository{r, n.Key.Namespace})
	if k := r.kinds[n.Key.Kind]; k.Expand != nil {
		k.Expand(&n.Desired, e)
	}
	said, err := e.Expanded()
	n.Options.Suspend = n.Options.Suspend || said.Suspended
	n.Notes = append(n.Notes, e.Notes()...)
	n.Rollout, n.Probes = said.Rollout, said.Probes
	n.Public = n.Public || said.Public
	problems := e.Problems(n.Object)
	if err != nil {
		problems = append(problems, n.Problem("spec", err.Error(), "change what it expands from"))
	}
	if len(problems) > 0 || said.Unsure {
		r.breaks(n, problems)
		return
	}
	if n.Defined() != nil {
		n.Definition.External = externals(said.Parts)
	}
	n.parts = slices.Grow(n.parts, len(said.Parts))
	for _, c := range said.Parts {
		if r.over() {
			return
		}
		if c.Body != nil {
			info := r.kinds[c.Key.Kind].Info
			obj := c.Body.Object(c.Key, manifest.GroupVersionKind{Group: info.Group, Version: info.Version}.APIVersion(), n.Origin, joined(c.Annotations, annotations(&n.Desired, c.Presence == kind.Spare, said.Suspended)))
			obj.Labels = c.Labels
			if copied := len(c.Annotations) > 0 || said.Suspended || c.Presence == kind.Spare; copied && !r.budget.take(costValues, len(obj.Annotations)) {
				return
			}
			r.decode(&obj, n, c)
		}
		if child := r.byKey[c.Key]; child != nil && !c.Shown() && (!r.defining || r.defined[c.Key.Kind]) {
			if child.Parent == n.Key && !child.Unmanaged {
				child.Spare = child.Spare || n.Spare || c.Presence == kind.Spare
				child.Scaled = child.Scaled || n.Scaled || c.Presence == kind.Scaled
			}
			r.expand(child)
		}
	}
	n.done = true
}
