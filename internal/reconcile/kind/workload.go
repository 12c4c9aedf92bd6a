package kind

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// workload adapts a kind that has no object of its own in the cloud.
type workload[S any] struct {
	info  Info
	rules interface {
		Expander[*S]
		Validate(spec *S, r *Report)
	}
}

func (k *workload[S]) Info() Info          { return k.info }
func (k *workload[S]) Body() manifest.Type { return manifest.TypeFor[flatBody[S]]() }

func (k *workload[S]) Decode(obj *manifest.Object) (Desired, []manifest.Problem) {
	d := NewDesired(obj)
	spec, problems := readFlat[S](obj, &d)
	d.Spec, d.Virtual = spec, true
	if len(problems) > 0 {
		return d, problems
	}
	var r Report
	k.rules.Validate(spec, &r)
	d.Notes = r.notes
	return d, r.Problems(obj)
}

func (k *workload[S]) Expand(d *Desired, e *Expansion) { k.rules.Expand(d.Spec.(*S), e) }
func (k *workload[S]) Name(w Want[any]) string         { return w.Key.Name }
func (k *workload[S]) Diff(Want[any], any) Changes     { return Changes{} }
func (k *workload[S]) Match(Want[any], any) bool       { return false }
func (k *workload[S]) Status(any) any                  { return nil }
func (k *workload[S]) Driver() AnyDriver               { return nil }

// DefineData makes a kind that only carries text for others: a ConfigMap or a
// Secret. read takes the decoded body's content apart.
func DefineData[B any](info Info, read func(*B, *Report) map[string]string) Kind {
	return &data[B]{info: info, read: read}
}

// maxData is how much a ConfigMap or Secret can hold, as in Kubernetes.
// (pkg/apis/core/types.go: MaxSecretSize)
const maxData = 1 << 20

type data[B any] struct {
	info Info
	read func(*B, *Report) map[string]string
}

func (k *data[B]) Info() Info          { return k.info }
func (k *data[B]) Body() manifest.Type { return manifest.TypeFor[B]() }

func (k *data[B]) Decode(obj *manifest.Object) (Desired, []manifest.Problem) {
	d := NewDesired(obj)
	d.Virtual = true
	body := new(B)
	if problems := obj.Decode(body); len(problems) > 0 {
		return d, problems
	}
	var r Report
	d.Data = k.read(body, &r)
	size := 0
	for name, value := range d.Data {
		size += len(name) + len(value)
	}
	if size > maxData {
		r.Problem("", fmt.Sprintf("holds %d bytes, more than 1 MiB", size), "split it")
	}
	return d, r.Problems(obj)
}

func (k *data[B]) Expand(*Desired, *Expansion) {}
func (k *data[B]) Name(w Want[any]) string     { return w.Key.Name }
func (k *data[B]) Diff(Want[any], any) Changes { return Changes{} }
func (k *data[B]) Match(Want[any], any) bool   { return false }
func (k *data[B]) Status(any) any              { return nil }
func (k *data[B]) Driver() AnyDriver           { return nil }
