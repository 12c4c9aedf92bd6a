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
	Spec Spec `json:"spec" rule:"required" doc:"The kind, and what its objects stand for."`
}

// Spec is the content of a definition.
type Spec struct {
	Schema    Schema     `json:"schema" rule:"required" doc:"The kind, and what its objects may hold."`
	Resources []Resource `json:"resources" rule:"required,min=1,max=100" doc:"The objects that each object of the kind stands for."`
}

// Schema describes the objects of the kind.
type Schema struct {
	Kind       string `json:"kind" rule:"required,max=63,pattern=^[A-Z][A-Za-z0-9]*$" doc:"The kind's name, which no other kind has." example:"WebShop"`
	Group      string `json:"group,omitempty" rule:"enum=stackreeve.dev|kro.run" doc:"The kind's API group: stackreeve.dev for a Definition, kro.run for a ResourceGraphDefinition, unless it says otherwise. No others are possible. The agent ignores documents of a group that it does not know. So an object whose definition is gone would look like an object whose manifest was removed."`
	APIVersion string `json:"apiVersion" rule:"required,max=63,pattern=^v[0-9]+((alpha|beta)[0-9]+)?$" doc:"The kind's version, without the group." example:"v1alpha1"`
	Spec       any    `json:"spec,omitempty" doc:"The fields of the spec in SimpleSchema: a type with markers, such as integer | default=2 minimum=1, or further fields below."`
	Types      any    `json:"types,omitempty" doc:"Types with names of their own, for use in spec."`
	Status     any    `json:"status,omitempty" doc:"Fields of the status: expressions over the spec and over the objects in the cloud, by the IDs of resources."`
}

// Resource is an object, or a list of them, that each object of the kind stands for.
type Resource struct {
	ID          string              `json:"id" rule:"required,max=63,pattern=^[a-z][A-Za-z0-9_]*$" doc:"What expressions call it."`
	Template    any                 `json:"template,omitempty" doc:"The manifest, with expressions in it. They see schema.metadata, schema.spec and the variables of forEach, and of other resources the name: id.metadata.name." example:"{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: '${schema.metadata.name}'}, spec: {resource: {}}}"`
	IncludeWhen []string            `json:"includeWhen,omitempty" rule:"lines,max=20" doc:"Expressions that must all be true, or the object is left out."`
	ReadyWhen   []string            `json:"readyWhen,omitempty" rule:"lines,max=20" doc:"Expressions over this object in the cloud that must all be true for the whole to be available; with forEach each stands for one of the objects."`
	ForEach     []map[string]string `json:"forEach,omitempty" rule:"lines,max=5" doc:"Variables, each with an expression for a list: an object for every combination, at most 1,000."`
	ExternalRef *ExternalRef        `json:"externalRef,omitempty" doc:"An object that has a manifest elsewhere in the repository, for status and readyWhen."`
}

// ExternalRef names an object that the definition does not make.
type ExternalRef struct {
	APIVersion string       `json:"apiVersion" rule:"required" doc:"The object's group and version."`
	Kind       string       `json:"kind" rule:"required" doc:"The object's kind."`
	Metadata   ExternalName `json:"metadata" rule:"required" doc:"Names the object."`
}

// ExternalName is the name of an object in the namespace.
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
		definer(ourGroup, Name, "A kind of your own: what its objects may hold, and which objects of other kinds each of them stands for."),
		definer(kroGroup, kroName, "A Definition in kro's format. Features of kro that a Definition lacks are refused."),
	}
}

// definer is a kind whose objects define kinds. define finds their mistakes, since it sees all of them.
func definer(group, name, doc string) *kind.Kind {
	k := typed.Data(kind.Info{Group: group, Version: "v1alpha1", Kind: name, Public: true, Doc: doc}, read)
	k.Define = define
	return k
}

// read refuses owner marks, which nobody may write. Define checks the rest.
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
			r.Problem(path, fmt.Sprintf("holds the form of an owner mark (%s…:), by which stacks find what they own", ownertext.Word), "use a text without "+ownertext.Prefix)
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
