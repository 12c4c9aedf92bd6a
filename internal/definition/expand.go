package definition

import (
	"errors"
	"fmt"

	"cel.dev/cel-go/common/types/ref"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// defined is a kind that a definition makes.
type defined struct {
	kind.Kind
	obj       *manifest.Object
	body      manifest.Type // zero if it is unknown
	spec      *shape
	schema    *shape
	resources []*resource
	status    *node
	uses      map[string]string // kinds in its templates, with the path of the template
	broken    bool              // reports whether the definition has a mistake
}

// anything is the body of objects whose definition is broken.
type anything struct {
	Spec any `json:"spec"`
}

func newDefined(obj *manifest.Object) *defined {
	k := &defined{obj: obj}
	k.Kind = kind.Kind{Body: manifest.TypeFor[anything](), SpecPath: "spec", Decode: k.decode, Expand: k.expand, StatusExpr: k.statusOf,
		Name: func(w kind.Want) string { return w.Key.Name }}
	return k
}

func (k *defined) decode(obj *manifest.Object) (kind.Desired, []manifest.Problem) {
	d := kind.NewDesired(obj)
	d.Virtual = true
	if k.broken {
		return d, nil
	}
	read, problems := obj.Read(k.body)
	d.Spec, _ = read.(manifest.Fields)[specField].(manifest.Fields)
	return d, problems
}

func (k *defined) expand(d *kind.Desired, e *kind.Expansion) {
	if k.broken {
		return
	}
	r := k.run(e.TakeCost)
	if err := r.expand(d, e); err != nil && !errors.Is(err, errEnough) {
		where := k.obj.Origin
		if at := (*errAt)(nil); errors.As(err, &at) {
			where = k.obj.Where(at.path)
		}
		e.Problem("spec", fmt.Sprintf("%s (from the template at %s)", err, where), "change the spec, or the definition")
	}
}

// object is an object that is made from a resource of the definition.
type object struct {
	*resource
	name      string
	variables map[string]any // the values of the variables of forEach
}

func (r *run) expand(d *kind.Desired, e *kind.Expansion) error {
	schema := r.kind.variable(d)
	names := map[string]any{"schema": schema}
	var objects []object
	for _, from := range r.kind.resources {
		list, err := r.objects(from, schema)
		if err != nil {
			return err
		}
		for _, o := range list {
			if from.external {
				e.External(from.kind, o.name, from.id, r.kind.template(from.path+".externalRef"))
				continue
			}
			objects = append(objects, o)
		}
		if len(from.each) == 0 && !from.external {
			name := ""
			if len(list) > 0 {
				name = list[0].name
			} else if v, err := r.name(from, map[string]any{"schema": schema}); err == nil {
				name = v // if includeWhen leaves the object out, a reference to it is reported like any reference to a missing object
			}
			names[from.id] = celValue(map[string]any{"metadata": map[string]any{"name": name, "namespace": d.Key.Namespace}})
		}
	}
	for _, o := range objects {
		variables := o.variables
		for id, v := range names {
			variables[id] = v
		}
		if err := r.make(o, variables, e); err != nil {
			return err
		}
	}
	return nil
}

// variable returns the value of an object in expressions.
func (k *defined) variable(d *kind.Desired) ref.Val {
	labels := make(map[string]any, len(d.Object.Labels))
	for name, value := range d.Object.Labels {
		labels[name] = value
	}
	return celValue(map[string]any{
		"metadata": map[string]any{"name": d.Key.Name, "namespace": d.Key.Namespace, "labels": labels},
		"spec":     k.spec.seenStruct(d.Spec.(manifest.Fields)),
	})
}

// template returns a function that finds the line of a field in the resource of the definition at path.
func (k *defined) template(path string) func(field string) manifest.Origin {
	return func(field string) manifest.Origin {
		if field == "" {
			return k.obj.Where(path)
		}
		return k.obj.Where(path + "." + field)
	}
}

// make adds an object with all of its fields.
func (r *run) make(o object, variables map[string]any, e *kind.Expansion) error {
	r.room = maxElements
	if err := r.take(1); err != nil { // constants have no cost, so this stops the run after too much was spent
		return err
	}
	body, err := o.body.value(r, variables)
	if err != nil {
		return err
	}
	m := kind.Manifest{Kind: o.kind, Name: o.name, ID: o.id, Body: body.(map[string]any), Template: r.kind.template(o.path + ".template")}
	if m.Labels, err = r.texts(o.labels, variables); err != nil {
		return err
	}
	if m.Annotations, err = r.texts(o.annotations, variables); err != nil {
		return err
	}
	e.Manifest(m)
	return nil
}

// texts evaluates a node whose fields are strings.
func (r *run) texts(n *node, variables map[string]any) (map[string]string, error) {
	if n == nil {
		return nil, nil
	}
	v, err := n.value(r, variables)
	if err != nil {
		return nil, err
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, &errAt{n.path, "must be a mapping of texts"}
	}
	out := make(map[string]string, len(fields))
	for name, value := range fields {
		text, ok := value.(string)
		if !ok {
			return nil, &errAt{below(n.path, name), name + " is not a text"}
		}
		out[name] = text
	}
	return out, nil
}

// maxForEach is the maximum number of objects that forEach may make.
const maxForEach = 1000

// objects returns the objects of a resource, without their fields.
func (r *run) objects(from *resource, schema ref.Val) ([]object, error) {
	r.room = maxElements
	variables := map[string]any{"schema": schema}
	for _, e := range from.include {
		v, err := r.native(e, variables)
		if err != nil {
			return nil, r.errorAt(from.path+".includeWhen", e, err)
		}
		if yes, ok := v.(bool); !ok {
			return nil, &errAt{from.path + ".includeWhen", quote("${"+e.source+"}") + " is neither true nor false"}
		} else if !yes {
			return nil, nil
		}
	}
	combinations := []map[string]any{variables}
	for _, it := range from.each {
		v, err := r.native(it.list, variables)
		if err != nil {
			return nil, r.errorAt(it.path, it.list, err)
		}
		list, ok := v.([]any)
		if !ok {
			return nil, &errAt{it.path, quote("${"+it.list.source+"}") + " is no list"}
		}
		if len(list)*len(combinations) > maxForEach {
			return nil, &errAt{it.path, fmt.Sprintf("forEach makes more than %d objects", maxForEach)}
		}
		combinations = combine(combinations, it.name, list)
	}
	var objects []object
	for _, c := range combinations {
		name, err := r.name(from, c)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object{from, name, c})
	}
	return objects, nil
}

func combine(all []map[string]any, name string, values []any) (out []map[string]any) {
	seen := make([]ref.Val, len(values)) // each value is converted once, even if it is in many combinations
	for i := range values {
		seen[i] = celValue(values[i])
	}
	for _, c := range all {
		for _, v := range seen {
			with := make(map[string]any, len(c)+1)
			for key, value := range c {
				with[key] = value
			}
			with[name] = v
			out = append(out, with)
		}
	}
	return out
}

// name evaluates the name of an object.
func (r *run) name(from *resource, variables map[string]any) (string, error) {
	v, err := from.name.value(r, variables)
	if err != nil {
		return "", err
	}
	name, ok := v.(string)
	if !ok || !manifest.IsName(name) {
		return "", &errAt{from.name.path, fmt.Sprintf("the name of %s would be %s, which is not a valid name; %s", from.id, quote(fmt.Sprint(v)), manifest.NameRule)}
	}
	return name, nil
}
