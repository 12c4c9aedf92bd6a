package definition

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// These limits apply to all definitions of a revision together, because compiling needs time and memory.
const (
	maxDefinitions = 200
	maxSource      = 256 << 10 // bytes of expressions
	maxFields      = 1000      // in schemas; the fields of a type count wherever it is used
	maxText        = 64 << 10  // bytes of the names and markers of fields
)

// total contains the sums over all definitions of a revision.
type total struct {
	source, fields, text int
	said                 bool
	made                 map[string]*defined // the keys are names of kinds
}

// draft is a definition that is being read.
type draft struct {
	obj    *manifest.Object
	spec   Spec
	made   *defined
	known  map[string]*kind.Kind
	report kind.Report
	total  *total
	stop   func() error
	ids    []string

	later     []func() // checks that run when all definitions are known
	explained int      // number of wrong expressions that were found so far
}

func (d *draft) problem(path, what, fix string) {
	d.made.broken = true
	d.report.Problem(path, what, fix)
}

// define implements [kind.Kind.Define].
func define(documents []*manifest.Object, kinds []*kind.Kind, stop func() error) (list []*kind.Kind, problems []manifest.Problem) {
	known := make(map[string]*kind.Kind, len(kinds))
	for _, k := range kinds {
		known[k.Info.Kind] = k
	}
	var drafts []*draft
	sum := &total{made: map[string]*defined{}}
	for i, obj := range documents {
		if i >= maxDefinitions {
			problems = append(problems, manifest.Problem{Origin: obj.Origin, Key: obj.Key, What: fmt.Sprintf("is one of more than %d definitions", maxDefinitions), Fix: "split the stack"})
			break
		}
		d := &draft{obj: obj, known: known, total: sum, stop: stop, made: newDefined(obj)}
		var body Body
		d.made.broken = len(obj.Decode(&body)) > 0 // these problems are reported later, when the object itself is read
		if d.spec = body.Spec; d.name(drafts, kinds) {
			drafts = append(drafts, d)
		}
		problems = append(problems, d.problems()...)
	}
	for _, d := range drafts {
		known[d.made.Info.Kind], sum.made[d.made.Info.Kind] = &d.made.Kind, d.made
		d.types()
		list = append(list, &d.made.Kind)
	}
	for _, d := range drafts {
		if !d.made.broken {
			d.resources()
		}
	}
	for _, d := range drafts {
		d.nesting()
	}
	for _, d := range drafts {
		for _, check := range d.later {
			check()
		}
	}
	for _, d := range drafts {
		problems = append(problems, d.problems()...)
		if d.made.broken {
			d.made.resources = nil
		}
	}
	return list, problems
}

// problems returns the problems that were found since its last call.
func (d *draft) problems() []manifest.Problem {
	list := d.report.Problems(d.obj)
	d.report = kind.Report{}
	return list
}

// takenKinds are names that have another meaning in manifests or in the read API.
var takenKinds = []string{"List", "Plan", "Pass"}

// name reads the name of the defined kind. It returns false if the name is not valid.
func (d *draft) name(before []*draft, kinds []*kind.Kind) bool {
	s := d.spec.Schema
	info := kind.Info{Group: s.Group, Version: s.APIVersion, Kind: s.Kind, Public: true}
	if info.Group == "" {
		info.Group = d.obj.Key.Group
	}
	info.Doc = fmt.Sprintf("Defined by %s at %s.", d.obj.Key, d.obj.Origin)
	d.made.Info = info
	if s.Kind == "" || s.APIVersion == "" {
		return false
	}
	const field = "spec.schema.kind"
	for _, k := range kinds {
		if strings.EqualFold(k.Info.Kind, s.Kind) {
			d.problem(field, fmt.Sprintf("is %s, which is a kind of the agent's own", s.Kind), "choose another name")
			return false
		}
	}
	for _, other := range before {
		if strings.EqualFold(other.made.Info.Kind, s.Kind) {
			d.problem(field, fmt.Sprintf("is %s, which %s defines (%s)", s.Kind, other.obj.Key, other.obj.Origin), "keep one of them, or choose another name")
			return false
		}
	}
	if resolve.IsConfig(s.Kind) || slices.ContainsFunc(takenKinds, func(name string) bool { return strings.EqualFold(name, s.Kind) }) {
		d.problem(field, fmt.Sprintf("is %s, which is a reserved name", s.Kind), "choose another name")
		return false
	}
	return true
}

// types reads the schema.
func (d *draft) types() {
	types, ok := d.spec.Schema.Types.(map[string]any)
	if !ok && d.spec.Schema.Types != nil {
		d.problem(typesPath, "must be a mapping of types", "")
	}
	r := reader{types: types, total: d.total, problem: d.problem}
	from := d.spec.Schema.Spec
	if from == nil {
		from = map[string]any{}
	}
	spec := r.structure(specPath, "@schema.spec", from, 0)
	text := &shape{what: "string"}
	d.made.spec = spec
	d.made.schema = &shape{what: "struct", name: "@schema", fields: []*field{
		{name: "metadata", typ: &shape{what: "struct", name: "@schema.metadata", fields: []*field{
			{name: "name", typ: text}, {name: "namespace", typ: text}, {name: "labels", typ: &shape{what: "map", elem: text}}}}},
		{name: "spec", typ: spec},
	}}
	if d.made.broken {
		return
	}
	needed := slices.ContainsFunc(spec.fields, func(f *field) bool { return f.required && f.fallback == nil })
	body, err := structure(&field{name: specField, typ: spec, present: true, markers: markers{required: needed, doc: "The desired state of the object."}})
	if err != nil {
		d.problem(specPath, err.Error(), "")
		return
	}
	d.made.body, d.made.Body = body, body
}

// specField is the only field of documents of a defined kind, except those of the head.
const specField = "spec"

// named returns the type of another resource in expressions. It contains only the name and namespace.
func named() *shape {
	text := &shape{what: "string"}
	return &shape{what: "struct", name: "@resource", fields: []*field{
		{name: "metadata", typ: &shape{what: "struct", name: "@resource.metadata", fields: []*field{{name: "name", typ: text}, {name: "namespace", typ: text}}}}}}
}

// resources compiles the templates.
func (d *draft) resources() {
	all := &shape{what: "struct", name: "@all", fields: []*field{{name: "schema", typ: d.made.schema}, {name: "resource", typ: named()}}}
	plain, err := newLanguage(all, map[string]*cel.Type{"schema": d.made.schema.celType()})
	if err != nil {
		d.problem("spec", err.Error(), "")
		return
	}
	d.checkIDs()
	if d.made.broken {
		return
	}
	names, observed := map[string]*cel.Type{}, map[string]*cel.Type{}
	for _, r := range d.spec.Resources {
		if observed[r.ID] = cel.DynType; len(r.ForEach) > 0 {
			observed[r.ID] = cel.ListType(cel.DynType)
		} else if r.ExternalRef == nil {
			names[r.ID] = named().celType()
		}
	}
	pure, err := plain.with(names)
	var live *language
	if err == nil {
		live, err = plain.with(observed)
	}
	if err != nil {
		d.problem("spec.resources", err.Error(), "choose other IDs")
		return
	}
	for i := range d.spec.Resources {
		d.made.resources = append(d.made.resources, d.resource(i, plain, pure, live))
	}
	if d.spec.Schema.Status != nil {
		c := compiler{d, live, false}
		d.made.status = c.tree("spec.schema.status", d.spec.Schema.Status)
	}
}

// reserved contains the words that CEL does not accept as names, and those with a meaning in definitions.
var reserved = strings.Fields("as break const continue else false for function if import in let loop package namespace null return true var void while schema each self metadata spec status bool double dyn int uint string size has lists")

func (d *draft) checkIDs() {
	for i, r := range d.spec.Resources {
		at := "spec.resources[" + strconv.Itoa(i) + "]"
		switch {
		case slices.Contains(reserved, r.ID):
			d.problem(at+".id", fmt.Sprintf("is %s, which has another meaning in expressions", r.ID), "choose another one")
		case slices.Contains(d.ids, r.ID):
			d.problem(at+".id", fmt.Sprintf("is %s, which another resource has, too", r.ID), "choose another one")
		}
		d.ids = append(d.ids, r.ID)
		switch {
		case r.Template == nil && r.ExternalRef == nil:
			d.problem(at, "has neither template nor externalRef", "add one of them")
		case r.Template != nil && r.ExternalRef != nil:
			d.problem(at, "has both template and externalRef", "keep one of them")
		case r.ExternalRef != nil && (len(r.ForEach) > 0 || len(r.IncludeWhen) > 0):
			d.problem(at+".externalRef", "is exactly one object, so it cannot depend on the spec", "remove forEach and includeWhen")
		}
	}
}

// maxNested is the maximum depth of nested definitions.
const maxNested = 3

// nesting refuses kinds that expand to themselves, directly or through others, and kinds that are nested too deeply.
func (d *draft) nesting() {
	chain := []string{d.made.Info.Kind}
	var walk func(k *defined) bool
	walk = func(k *defined) bool {
		for _, name := range slices.Sorted(maps.Keys(k.uses)) {
			next := d.total.made[name]
			if next == nil {
				continue
			}
			at := d.made.uses[name]
			if len(chain) > 1 {
				at = d.made.uses[chain[1]]
			}
			chain = append(chain, name)
			switch {
			case name == chain[0]:
				d.problem(at, "makes the kind expand to itself: "+strings.Join(chain, " -> "), "remove one of these resources: the expansion would never end")
				return false
			case len(chain) > maxNested:
				d.problem(at, fmt.Sprintf("nests definitions deeper than %d: %s", maxNested, strings.Join(chain, " -> ")), "replace one of them by the resources to which it expands")
				return false
			}
			if !walk(next) {
				return false
			}
			chain = chain[:len(chain)-1]
		}
		return true
	}
	walk(d.made)
}
