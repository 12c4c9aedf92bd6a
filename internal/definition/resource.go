package definition

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// resource is the compiled description of an object in a definition.
type resource struct {
	id, path, kind            string
	name                      *node
	labels, annotations, body *node
	include, ready            []*expression
	each                      []iterator
	external                  bool
}

// iterator is a variable of forEach.
type iterator struct {
	name, path string
	list       *expression
}

// resource compiles one resource.
func (d *draft) resource(i int, plain, pure, live *language) *resource {
	from := d.spec.Resources[i]
	r := &resource{id: from.ID, path: "spec.resources[" + strconv.Itoa(i) + "]"}
	c := compiler{d, plain, true}
	for j, text := range from.IncludeWhen {
		r.include = append(r.include, c.wants(r.path+".includeWhen["+strconv.Itoa(j)+"]", text, cel.BoolType))
	}
	variables := map[string]*cel.Type{}
	for j, m := range from.ForEach {
		at := r.path + ".forEach[" + strconv.Itoa(j) + "]"
		if len(m) != 1 {
			d.problem(at, fmt.Sprintf("has %d variables", len(m)), "write one for each element: - zone: ${schema.spec.zones}")
			continue
		}
		for name, text := range m {
			if !fieldName.MatchString(name) || slices.Contains(reserved, name) || slices.Contains(d.ids, name) || variables[name] != nil {
				d.problem(at, fmt.Sprintf("has the variable %s, which is not a valid name, or has another meaning", quote(name)), "choose another one")
				continue
			}
			it := iterator{name, at + "." + name, c.wants(at+"."+name, text, cel.ListType(cel.DynType))}
			if r.each, variables[name] = append(r.each, it), cel.DynType; it.list != nil && it.list.result.Kind() == types.ListKind {
				variables[name] = it.list.result.Parameters()[0]
			}
		}
	}
	own, err := plain.with(variables)
	if err == nil {
		pure, err = pure.with(variables)
	}
	if err == nil && len(from.ForEach) > 0 {
		live, err = live.with(map[string]*cel.Type{"each": cel.DynType})
	}
	if err != nil {
		d.problem(r.path, err.Error(), "choose other names")
		return r
	}
	if from.ExternalRef != nil {
		d.externalRef(r, from.ExternalRef, compiler{d, own, true})
	} else {
		d.template(r, from.Template, compiler{d, own, true}, compiler{d, pure, true})
	}
	ready := compiler{d, live, false}
	for j, text := range from.ReadyWhen {
		r.ready = append(r.ready, ready.wants(r.path+".readyWhen["+strconv.Itoa(j)+"]", text, cel.BoolType))
	}
	return r
}

func (d *draft) externalRef(r *resource, from *ExternalRef, c compiler) {
	at := r.path + ".externalRef"
	r.external, r.kind = true, from.Kind
	r.name = c.tree(at+".metadata.name", from.Metadata.Name)
	d.kindOf(at, from.APIVersion, from.Kind)
}

// kindOf finds the kind of a template.
func (d *draft) kindOf(at string, apiVersion, name string) *kind.Kind {
	k := d.known[name]
	if k == nil {
		fix := "see `explain` for the kinds there are"
		if near := nearest.Name(name, slices.Collect(maps.Keys(d.known))); near != "" {
			fix = "did you mean " + near + "?"
		}
		d.problem(at+".kind", fmt.Sprintf("is %s, which is not a kind", quote(name)), fix)
		return nil
	}
	info := k.Info
	var versions []string
	for _, group := range append([]string{info.Group}, info.Aliases...) {
		versions = append(versions, manifest.GroupVersionKind{Group: group, Version: info.Version}.APIVersion())
	}
	if !slices.Contains(versions, apiVersion) {
		d.problem(at+".apiVersion", fmt.Sprintf("is %s, which has no kind %s", quote(apiVersion), name), "write "+strings.Join(versions, " or "))
		return nil
	}
	return k
}

// template compiles a manifest. An expression in a name cannot use the names of other resources, because those names
// might depend on it.
func (d *draft) template(r *resource, from any, names, fields compiler) {
	at := r.path + ".template"
	tree, ok := from.(map[string]any)
	if !ok {
		d.problem(at, "wants a manifest", "")
		return
	}
	apiVersion, _ := tree["apiVersion"].(string)
	name, _ := tree["kind"].(string)
	if apiVersion == "" || name == "" || strings.Contains(apiVersion+name, "${") {
		d.problem(at, "needs apiVersion and kind as constants", "the kind of a resource cannot be an expression; write one resource for each kind, and choose among them with includeWhen")
		return
	}
	k := d.kindOf(at, apiVersion, name)
	if k == nil {
		return
	}
	if k.Define != nil {
		d.problem(at+".kind", "is "+name+": a definition cannot make definitions", "write it into a file of its own")
		return
	}
	r.kind = name
	if d.made.uses == nil {
		d.made.uses = map[string]string{}
	}
	if d.made.uses[name] == "" {
		d.made.uses[name] = at
	}
	d.metadata(r, at+".metadata", tree["metadata"], k, names, fields)
	body := maps.Clone(tree)
	for _, head := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(body, head)
	}
	d.checkFields(k, at, "", body)
	r.body = fields.tree(at, body)
}

func (d *draft) metadata(r *resource, at string, from any, k *kind.Kind, names, fields compiler) {
	meta, _ := from.(map[string]any)
	name, ok := meta["name"].(string)
	if !ok {
		d.problem(at+".name", "is missing", "give the object a name, such as ${schema.metadata.name}-db")
		return
	}
	r.name = names.tree(at+".name", name)
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		switch key {
		case "name":
		case "namespace":
			if source, _ := meta[key].(string); source != "${schema.metadata.namespace}" {
				d.problem(at+".namespace", "is not the namespace of the object", "remove it: an object and its parts are always in the same namespace")
			}
		case "labels":
			r.labels = fields.tree(at+".labels", meta[key])
		case "annotations":
			d.checkAnnotations(at+".annotations", meta[key], k)
			r.annotations = fields.tree(at+".annotations", meta[key])
		default:
			d.problem(below(at, key), "is not for templates", "remove it: a template can only have name, labels and annotations")
		}
	}
}

// checkFields refuses fields that objects of the kind do not have.
func (d *draft) checkFields(k *kind.Kind, at, path string, from any) {
	if own := d.total.made[k.Info.Kind]; own != nil && !own.body.Is() {
		return
	}
	switch v := from.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			field := strings.TrimPrefix(below(path, key), ".")
			if manifest.HasField(k.Body, field) {
				d.checkFields(k, at, field, v[key])
				continue
			}
			names := manifest.FieldsAt(k.Body, strings.NewReplacer("[]", "").Replace(withoutIndexes(path)))
			fix := "see `explain " + k.Info.Kind + "`"
			if near := nearest.Name(key, names); near != "" {
				fix = "did you mean " + near + "?"
			}
			d.problem(at+"."+field, "is not a field of "+k.Info.Kind, fix)
		}
	case []any:
		for i := range v {
			d.checkFields(k, at, path+"["+strconv.Itoa(i)+"]", v[i])
		}
	}
}

// withoutIndexes returns a path in the form that explain requires.
func withoutIndexes(path string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(path, "[") {
		if _, rest, found := strings.Cut(part, "]"); found {
			part = rest
		}
		out.WriteString(part)
	}
	return out.String()
}
