package manifest

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
)

// metadata is the ObjectMeta of Kubernetes. The fields that only an API server writes are accepted and ignored. So the
// output of kubectl get -o yaml is a valid manifest.
type metadata struct {
	Name            string            `json:"name" rule:"required,format=name" doc:"Name of the object. It must be unique for the kind and namespace."`
	Namespace       string            `json:"namespace,omitempty" rule:"format=label,default=default" doc:"Distinguishes objects with the same name."`
	Labels          map[string]string `json:"labels,omitempty" doc:"Free text about the object."`
	Annotations     map[string]string `json:"annotations,omitempty" rule:"raw" doc:"Settings of the agent (stackreeve.dev/…) and of other tools."`
	Finalizers      []string          `json:"finalizers,omitempty" doc:"Accepted, not used."`
	OwnerReferences []json.RawMessage `json:"ownerReferences,omitempty" doc:"Accepted, not used."`
	served
}

// served contains the fields of metadata that only an API server writes.
type served struct {
	GenerateName               json.RawMessage `json:"generateName,omitempty" doc:"Refused: a name must be the same in each pass."`
	UID                        json.RawMessage `json:"uid,omitempty" doc:"Ignored."`
	ResourceVersion            json.RawMessage `json:"resourceVersion,omitempty" doc:"Ignored."`
	Generation                 json.RawMessage `json:"generation,omitempty" doc:"Ignored."`
	CreationTimestamp          json.RawMessage `json:"creationTimestamp,omitempty" doc:"Ignored."`
	DeletionTimestamp          json.RawMessage `json:"deletionTimestamp,omitempty" doc:"Ignored."`
	DeletionGracePeriodSeconds json.RawMessage `json:"deletionGracePeriodSeconds,omitempty" doc:"Ignored."`
	ManagedFields              json.RawMessage `json:"managedFields,omitempty" doc:"Ignored."`
	SelfLink                   json.RawMessage `json:"selfLink,omitempty" doc:"Ignored."`
}

func (l *loader) reportFor(o Object, problems []Problem) {
	for _, p := range problems {
		p.Origin.File, p.Key = cmp.Or(p.Origin.File, o.Origin.File), o.Key
		l.report(p)
	}
}

func (o *Object) decodeMetadata(meta *metadata) []Problem {
	key, node := lookup(o.body, "metadata")
	if node == nil || isNull(node) {
		return []Problem{{Origin: o.Origin, Field: "metadata.name", What: "missing", Fix: "add metadata with a name"}}
	}
	d := o.decoder()
	d.into(node, spot{at: (*fieldPath)(nil).field("metadata"), where: d.place(key)}, meta)
	if meta.GenerateName != nil {
		d.problem(d.placeOf(node, "generateName"), "metadata.generateName", "not supported: a name must be the same in each pass", "write metadata.name")
	}
	return d.problems
}

// maxAnnotations is the maximal size in bytes of all annotations of an object, as in Kubernetes
// (apimachinery/pkg/api/validation, TotalAnnotationSizeLimitB).
const maxAnnotations = 256 << 10

// annotations checks the annotations of an object. An annotation with the prefix of a known annotation must itself be
// known. If the annotations are too large, they are dropped, because each object that a workload kind expands to would
// contain all of them.
func (l *loader) annotations(o *Object) []Problem {
	size := 0
	for name, value := range o.Annotations {
		size += len(name) + len(value)
	}
	if size > maxAnnotations {
		const field = "metadata.annotations"
		o.Annotations = nil
		return []Problem{{Origin: o.Where(field), Field: field, What: "larger than " + bytesText(maxAnnotations) + " together", Fix: "move large texts to a ConfigMap"}}
	}
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(o.Annotations)) {
		if slices.Contains(l.opts.Annotations, name) {
			continue
		}
		meant := nearest.Name(name, l.opts.Annotations)
		if meant == "" && !l.ourPrefix(name) {
			continue
		}
		field := (*fieldPath)(nil).field("metadata").field("annotations").field(name).String()
		problems = append(problems, Problem{
			Origin: o.Where(field), Field: field, What: "unknown annotation", Fix: didYouMean(name, l.opts.Annotations),
		})
		if len(problems) == maxPrinted {
			break
		}
	}
	return problems
}

func (l *loader) ourPrefix(name string) bool {
	prefix, _, found := strings.Cut(name, "/")
	return found && slices.ContainsFunc(l.opts.Annotations, func(known string) bool {
		return strings.HasPrefix(known, prefix+"/")
	})
}
