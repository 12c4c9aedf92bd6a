package resolve

import (
	"context"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// declare decodes, validates and adds an object of the repository. The loader of the manifests calls it for each object that it finds, as
// [manifest.Options.Each]. resolve is called after that.
func (r *resolver) declare(obj *manifest.Object) {
	r.last = obj
	if r.budget.take(costObjects, 1) && !r.over() {
		r.add(obj, nil, kind.Part{})
		r.written = len(r.order)
	}
	obj.Release()
}

// resolve turns the manifests into desired objects. All of them are expanded, all references are resolved, and each object comes after
// those that it depends on. Its error is a [manifest.Problems] with all mistakes, or the error of the stop function. If there is an error,
// nothing may be applied. Costs are taken from the budget before anything is created.
func (r *resolver) resolve() ([]kind.Desired, error) {
	r.expandDefined()
	r.readStores()
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
	r.suspendUnread()
	r.checkEncryptedReferences()
	r.inheritEntries()
	r.findFormerNames()
	r.markLateReferences()
	order := r.sort()
	if err := r.failure(); err != nil || r.partsUnknown {
		return nil, err
	}
	out := make([]kind.Desired, len(order))
	for i, n := range order {
		if r.over() {
			break
		}
		n.Sum, n.Digest = r.checksums(n)
		n.Encrypted = r.encryptedIn(n)
		n.Confidential = r.confidential(n)
		n.Object.Release()
		out[i] = n.Desired
	}
	return out, r.failure()
}

// node is an object that is being resolved.
type node struct {
	kind.Desired
	parts    []*node             // the objects that it expanded into
	members  map[string][]string // names of its parts by kind, at any depth; set on first use
	expanded bool
	done     bool         // all objects that it expands into exist
	lost     *kind.Unread // why parts of it, at any depth, are unknown: they need an unknown value of a store; nil if all are known
	invalid  bool

	template func(field string) manifest.Origin // the place of a field in the template that the object comes from; nil if there is no template

	visit visit
	depth int           // index in the path while sort runs
	text  string        // canonical data, or the text of an import; set on first use
	data  *checksum.Sum // sum of the data; set on first use
}

type resolver struct {
	kinds        map[string]*kind.Kind
	groups       map[string]string
	budget       *budget
	entries      Entries
	stores       Stores
	context      context.Context // of the reading of stores
	allowMissing bool            // whether references may lead to objects without a manifest.
	partsUnknown bool            // whether the missing objects may be parts of an object that could not be read or expanded.
	lost         *kind.Unread    // why an object has lost parts; nil if no object has. Missing objects may be such parts.
	byKey        map[manifest.Key]*node
	order        []*node
	written      int              // number of objects that the repository contains; they come first in order.
	declares     int              // number of objects that it declares, including those that objects of its own kinds expand into. expandDefined and readStores set it.
	defined      map[string]bool  // names of kinds that the revision defines.
	defining     bool             // whether only objects of the kinds in defined are expanded.
	last         *manifest.Object // the last object whose work was started; nil before the first.
	problems     []manifest.Problem
	repeated     map[problemKey]*repeated
	invalid      map[manifest.Key]bool // the objects with mistakes

	names     map[scope][]string // names of declared objects, in natural order; set on first use.
	all       map[scope][]string // names of all objects; set on first use.
	referrers map[referrer][]string
	secrets   map[string]string         // digests of long secrets, for fingerprints
	plain     map[manifest.Key][]string // the encrypted values of objects in the repository
}

// scope is a kind in a namespace. Within a scope, names are unique.
type scope struct{ kind, namespace string }

func newResolver(kinds []*kind.Kind, spend *budget) *resolver {
	r := &resolver{
		context: context.Background(), secrets: map[string]string{}, plain: map[manifest.Key][]string{}, defined: map[string]bool{}, kinds: map[string]*kind.Kind{}, groups: kind.GroupsOf(kinds), budget: spend, byKey: map[manifest.Key]*node{}, invalid: map[manifest.Key]bool{}}
	for _, k := range kinds {
		r.kinds[k.Info.Kind] = k
	}
	return r
}

func (r *resolver) key(kind, namespace, name string) manifest.Key {
	return manifest.Key{Group: r.groups[kind], Kind: kind, Namespace: namespace, Name: name}
}

// maxProblems is the number of problems after which the resolver stops.
const maxProblems = 1000

// over reports whether the work must end, because there are too many problems or the budget is exceeded.
func (r *resolver) over() bool { return len(r.problems) >= maxProblems || r.budget.over() }

// failure returns the error of the whole work.
func (r *resolver) failure() error {
	if err := r.budget.stopped(); err != nil {
		return err
	}
	problems := r.allProblems()
	switch n := len(problems); {
	case r.budget.exceeded != nil:
		problems = append(problems, r.budget.exceeded.problem(r.last))
	case n >= maxProblems:
		problems = append(problems, manifest.Problem{Origin: problems[n-1].Origin, What: fmt.Sprintf("gave up after %d problems", maxProblems), Fix: "correct these first"})
	}
	return manifest.Problems(problems).Err()
}

// add decodes and validates obj, and adds it. parent is nil for objects of the repository. For other objects, part says which part of
// parent they are.
func (r *resolver) add(obj *manifest.Object, parent *node, part kind.Part) {
	if have := r.byKey[obj.Key]; have != nil {
		if part.Fallback {
			r.budget.refund(costObjects, 1)
			return
		}
		if parent == nil { // package manifest has reported two manifests with one key
			return
		}
		r.report(manifest.Problem{Origin: obj.Origin, Key: obj.Key,
			What: fmt.Sprintf("is declared twice: here and at %s", describeOrigin(have)), Fix: "rename one of the two"})
		return
	}
	k := r.kinds[obj.Key.Kind]
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
	problems = slices.Concat(problems, findForgedMarks(&n.Desired), readOptions(&n.Desired), r.entries.choose(&n.Desired))
	if n.Import != nil {
		n.Import.Hint = part.Hint
	}
	if adopts := parent != nil && n.Import != nil && n.Import.ByName; adopts && k.Info.FixedMark {
		problems = append(problems, n.Problem(n.Import.Field, fmt.Sprintf("would adopt a %s of that name, but the cloud cannot write a mark on an existing object of that kind", n.Key.Kind),
			"have "+parent.Key.String()+" use an existing object instead of creating one, or remove the annotation"))
	}
	problems = r.withoutUnknown(n, problems)
	if parent != nil {
		problems = r.discreet(n, problems)
	}
	problems = append(problems, r.encrypted(n, k)...)
	if parent != nil {
		n.Origin = parent.Origin
		parent.parts = append(parent.parts, n)
		obj.Release()
	}
	r.byKey[n.Key] = n
	r.order = append(r.order, n)
	if len(problems) > 0 {
		r.markInvalid(n, problems)
	}
}

// markInvalid reports the mistakes of an object. If a definition made the object's kind, or if its data are in a store, its missing parts
// may be the targets that other references do not find.
func (r *resolver) markInvalid(n *node, problems []manifest.Problem) {
	n.invalid = true
	r.invalid[n.Key] = true
	r.partsUnknown = r.partsUnknown || n.Defined() != nil || n.Stored != nil
	r.report(problems...)
}

func describeOrigin(n *node) string {
	if n.Parent != (manifest.Key{}) {
		return fmt.Sprintf("%s, as part of %s", n.Origin, n.Parent)
	}
	return n.Origin.String()
}

// expand adds the parts of n, unless that was done before.
func (r *resolver) expand(n *node) {
	if n.expanded || n.invalid || r.over() {
		return
	}
	n.expanded = true
	e := kind.NewExpansion(&n.Desired, repository{r, n.Key.Namespace, n})
	if k := r.kinds[n.Key.Kind]; k.Expand != nil {
		k.Expand(&n.Desired, e)
	}
	said, err := e.Expanded()
	if n.Unread != nil {
		said.Suspended = true
	}
	n.Options.Suspend = n.Options.Suspend || said.Suspended
	n.Notes = append(n.Notes, e.Notes()...)
	n.Rollout, n.Probes = said.Rollout, said.Probes
	n.Public = n.Public || said.Public
	problems := e.Problems(n.Object)
	if err != nil {
		problems = append(problems, n.Problem("spec", err.Error(), "change the manifest that expands to this object"))
	}
	problems = r.discreet(n, problems)
	if n.Unread != nil && len(problems) > 0 { // the problems may follow from the unknown value
		problems, n.lost, r.lost = nil, n.Unread, n.Unread
	}
	if len(problems) > 0 || said.Unsure {
		r.markInvalid(n, problems)
		return
	}
	if n.Defined() != nil {
		n.Definition.External = externalKeys(said.Parts)
	}
	n.parts = slices.Grow(n.parts, len(said.Parts))
	for _, c := range said.Parts {
		if r.over() {
			return
		}
		if c.Body != nil {
			info := r.kinds[c.Key.Kind].Info
			obj := c.Body.Object(c.Key, manifest.GroupVersionKind{Group: info.Group, Version: info.Version}.APIVersion(), n.Origin, mergeAnnotations(c.Annotations, annotations(&n.Desired, c.Presence == kind.Spare, said.Suspended)))
			obj.Labels = c.Labels
			if copied := len(c.Annotations) > 0 || said.Suspended || c.Presence == kind.Spare; copied && !r.budget.take(costValues, len(obj.Annotations)) {
				return
			}
			r.add(&obj, n, c)
		}
		if child := r.byKey[c.Key]; child != nil && !c.Shown() && (!r.defining || r.defined[c.Key.Kind]) {
			if child.Parent == n.Key && !child.Unmanaged {
				child.Spare = child.Spare || n.Spare || c.Presence == kind.Spare
				child.Scaled = child.Scaled || n.Scaled || c.Presence == kind.Scaled
				if n.Unread != nil {
					child.suspend(n.Unread)
				}
			}
			r.expand(child)
			if child.lost != nil {
				n.lost = child.lost
			}
		}
	}
	n.done = true
}
