package definition

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Body is a definition without its head.
// (kubernetes-sigs/kro api/v1alpha1 ResourceGraphDefinition)
type Body struct {
	Spec Spec `json:"spec" rule:"required" doc:"The kind, and the objects to which it expands."`
}

// Spec is the content of a definition.
type Spec struct {
	Schema    Schema     `json:"schema" rule:"required" doc:"The kind, and the fields of its objects."`
	Resources []Resource `json:"resources" rule:"required,min=1,max=100,key=id" doc:"The objects to which each object of the kind expands."`
}

// Schema describes the objects of the kind.
type Schema struct {
	Kind       string `json:"kind" rule:"required,max=63,pattern=^[A-Z][A-Za-z0-9]*$" doc:"The kind's name. No other kind may have the same name." example:"WebShop"`
	Group      string `json:"group,omitempty" rule:"enum=stackreeve.dev|kro.run" doc:"The kind's API group: stackreeve.dev or kro.run. If left out, stackreeve.dev for a Definition and kro.run for a ResourceGraphDefinition. No other group is possible, because the agent ignores documents of a group that it does not know. With another group, the manifests of the kind would be ignored as soon as the definition is removed; its objects would then count as removed, and be deleted."`
	APIVersion string `json:"apiVersion" rule:"required,max=63,pattern=^v[0-9]+((alpha|beta)[0-9]+)?$" doc:"The kind's version, without the group." example:"v1alpha1"`
	Spec       any    `json:"spec,omitempty" doc:"The fields of the spec in SimpleSchema: a type with markers, such as integer | default=2 minimum=1, or an object with fields of its own."`
	Types      any    `json:"types,omitempty" doc:"Types with names of their own, for use in spec."`
	Status     any    `json:"status,omitempty" doc:"Fields of the status: expressions about the spec and about the objects in the cloud, by the IDs of resources."`
}

// Resource is an object, or a list of objects, to which each object of the kind expands.
type Resource struct {
	ID          string              `json:"id" rule:"required,max=63,pattern=^[a-z][A-Za-z0-9_]*$" doc:"Name of the object in expressions."`
	Template    any                 `json:"template,omitempty" doc:"The manifest, with expressions. They can use schema.metadata, schema.spec, the variables of forEach, and the names of other resources: id.metadata.name." example:"{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: '${schema.metadata.name}'}, spec: {resource: {}}}"`
	IncludeWhen []string            `json:"includeWhen,omitempty" rule:"lines,max=20" doc:"Expressions that must all be true. If one is not, the object is left out."`
	ReadyWhen   []string            `json:"readyWhen,omitempty" rule:"lines,max=20" doc:"Expressions about this resource in the cloud. The object of the defined kind is available only if all of them are true. With forEach, an expression can use a variable with the name each, which contains one of the objects."`
	ForEach     []map[string]string `json:"forEach,omitempty" rule:"lines,max=5" doc:"Variables, each with an expression for a list. There is an object for every combination, at most 1,000."`
	ExternalRef *ExternalRef        `json:"externalRef,omitempty" doc:"An object that has its own manifest in the repository. Only status and readyWhen can use it."`
}

// ExternalRef refers to an object that the definition does not make.
type ExternalRef struct {
	APIVersion string       `json:"apiVersion" rule:"required" doc:"The object's group and version."`
	Kind       string       `json:"kind" rule:"required" doc:"The object's kind."`
	Metadata   ExternalName `json:"metadata" rule:"required" doc:"Names the object."`
}

// ExternalName is the name of an object in the namespace of the object that expands.
type ExternalName struct {
	Name string `json:"name" rule:"required" doc:"The object's name, which may have expressions in it."`
}

// These are the kinds whose objects define kinds.
const (
	Name    = "Definition"
	kroName = "ResourceGraphDefinition"

	ourGroup = "stackreeve.dev"
	kroGroup = "kro.run"
)

// Kinds lists the kinds whose objects define kinds.
func Kinds() []*kind.Kind {
	return []*kind.Kind{
		definer(ourGroup, Name, "A kind of your own: the fields of its objects, and the objects of other kinds to which each of them expands."),
		definer(kroGroup, kroName, "A Definition in kro's format. Features of kro that a Definition lacks are refused."),
	}
}

// definer returns a kind whose objects define kinds. The function define finds their mistakes, because it gets all of
// them.
func definer(group, name, doc string) *kind.Kind {
	k := typed.Data(kind.Info{Group: group, Version: "v1alpha1", Kind: name, Public: true, Doc: doc}, read)
	k.Define = define
	return k
}

// read refuses owner marks, because nobody may write them. define checks the rest.
func read(b *Body, r *kind.Report) map[string]string {
	text, err := json.Marshal(b)
	var tree any
	if err == nil && json.Unmarshal(text, &tree) == nil {
		refuseMarks("spec", tree.(map[string]any)["spec"], r)
	}
	return map[string]string{}
}

// refuseMarks refuses texts that would look like an owner mark in the cloud.
func refuseMarks(path string, v any, r *kind.Report) {
	switch v := v.(type) {
	case string:
		if ownertext.LooksLikeMark(v) {
			r.Problem(path, fmt.Sprintf("looks like an owner mark (%s…:), by which stacks find their objects", ownertext.Word), "use a text without "+ownertext.Prefix)
		}
	case []any:
		for i := range v {
			refuseMarks(path+"["+strconv.Itoa(i)+"]", v[i], r)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			refuseMarks(below(path, key), v[key], r)
		}
	}
}
