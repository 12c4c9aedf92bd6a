package typed

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Workload is a kind whose objects only expand into other objects. Summarize and Gather may be nil; see [kind.Kind].
type Workload[Spec any] struct {
	Info      kind.Info
	Group     kind.Group
	Validate  func(spec *Spec, r *kind.Report)
	Expand    func(spec *Spec, e *kind.Expansion)
	Summarize func(spec *Spec, parts []kind.PartStatus) map[string]any
	Gather    func(of []kind.Exported) []kind.Gathered
}

// Kind returns the kind without its types.
func (k Workload[S]) Kind() *kind.Kind {
	e := &kind.Kind{
		Info: k.Info, Group: k.Group, Body: manifest.TypeFor[flatBody[S]](), SpecPath: "spec", Name: manifestName, Gather: k.Gather,
		Decode: func(obj *manifest.Object) (kind.Desired, []manifest.Problem) {
			d := kind.NewDesired(obj)
			spec, problems := readFlat[S](obj, &d)
			d.Spec, d.Virtual = spec, true
			if len(problems) > 0 {
				return d, problems
			}
			var r kind.Report
			k.Validate(spec, &r)
			d.Notes = r.Notes()
			return d, r.Problems(obj)
		},
		Expand: func(d *kind.Desired, x *kind.Expansion) { k.Expand(d.Spec.(*S), x) },
	}
	if k.Summarize != nil {
		e.Summarize = func(spec any, parts []kind.PartStatus) (own map[string]any) {
			if s, _ := spec.(*S); s != nil {
				own = k.Summarize(s, parts)
			}
			return own
		}
	}
	return e
}

// manifestName returns the name of the manifest as the object's name in the cloud.
func manifestName(w kind.Want) string { return w.Key.Name }

// maxData is the largest size of a ConfigMap or Secret in bytes, as in Kubernetes. (pkg/apis/core/types.go:
// MaxSecretSize)
const maxData = 1 << 20

// Data returns a kind that only contains text for other objects: a ConfigMap or a Secret. read extracts the content
// from the decoded body.
func Data[B any](info kind.Info, read func(*B, *kind.Report) map[string]string) *kind.Kind {
	return &kind.Kind{Info: info, Body: manifest.TypeFor[B](), Name: manifestName, Decode: func(obj *manifest.Object) (kind.Desired, []manifest.Problem) {
		d := kind.NewDesired(obj)
		d.Virtual = true
		body := new(B)
		if problems := obj.Decode(body); len(problems) > 0 {
			return d, problems
		}
		var r kind.Report
		d.Data = read(body, &r)
		size := 0
		for name, value := range d.Data {
			size += len(name) + len(value)
		}
		if size > maxData {
			r.Problem("", fmt.Sprintf("has %d bytes, more than 1 MiB", size), "split it")
		}
		return d, r.Problems(obj)
	}}
}
