package reconcile

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Desired is one object as its stack wants it.
type Desired struct {
	Key    manifest.Key
	Origin manifest.Origin
	// Parent is the object in the repository that this one was expanded from;
	// zero for objects that are written there themselves.
	Parent manifest.Key
	// Spec is a pointer to the kind's spec; nil for imports and data.
	Spec any
	// Unmanaged objects exist already and are never written.
	Unmanaged bool
	// Import says which existing object is meant (or, managed, adopted).
	Import *Import
	// Virtual objects have nothing of their own in the cloud.
	Virtual bool
	// Data is the content of a ConfigMap or Secret.
	Data    map[string]string
	Refs    []RefSpec
	Options Options
	Notes   []Note
	// From are the keys that the object had before, each its own: what was made for
	// one of them is this object.
	From []manifest.Key

	object   *manifest.Object
	body     reflect.Type // of the document
	public   bool         // Data may be shown
	specPath string       // where Spec stands in the document
	digest   string       // of everything that a commit can change; with secrets it stays here
	confidential
}

// Import says which existing object a desired object stands for.
type Import struct {
	ID     string
	Filter any // pointer to the kind's filter; nil with ID
	// Hint replaces the advice given when the filter finds nothing, or too much.
	Hint string
}

// RefSpec is a reference as a manifest has it.
type RefSpec struct {
	Field string
	Key   manifest.Key
	// Fixed references cannot be changed without replacing the object.
	Fixed bool
	// Order references are no part of the object: their target must only be
	// there first.
	Order bool
	// Late references are in a circle: the object is made without them, and
	// changed when their target is ready.
	Late bool
}

// Options are the wishes that annotations under stackreeve.dev/ carry.
type Options struct {
	Suspend bool
	Detach  bool  // leave in the cloud, unmanaged, when the manifest goes
	NoPrune bool  // never delete for want of a manifest
	Replace *bool // nil: the stack decides
	Report  *bool // drift is only reported; nil: the stack decides
	Ignore  []string
}

// Annotations lists the annotations that manifests may carry, with what they
// mean.
func Annotations() map[string]string {
	return map[string]string{
		annotationPrune:   `"false": never deleted, even when the manifest is gone`,
		annotationDelete:  `"detach": stays in the cloud, unmanaged, when the manifest is gone; "delete" is the default`,
		annotationDrift:   `"report": changes made in the cloud are reported, not undone; "correct": undone`,
		annotationReplace: `"allow" or "refuse": whether it may be deleted and made anew to apply a change`,
		annotationSuspend: `"true": left exactly as it is`,
		annotationMoved:   `Kind/old-name: the object was called so before; what was made for it then is kept. Several, from renaming more than once, are separated by commas`,
		annotationIgnore:  `comma separated field paths whose value in the cloud is left alone`,
	}
}

const (
	annotationPrefix  = "stackreeve.dev/"
	annotationPrune   = annotationPrefix + "prune"
	annotationDelete  = annotationPrefix + "on-delete"
	annotationDrift   = annotationPrefix + "drift"
	annotationReplace = annotationPrefix + "replace"
	annotationSuspend = annotationPrefix + "suspend"
	annotationIgnore  = annotationPrefix + "ignore-fields"
	annotationMoved   = annotationPrefix + "moved-from"
)

// mostIgnored is how many fields of an object can be left alone.
const mostIgnored = 100

func newDesired(obj *manifest.Object) Desired {
	return Desired{Key: obj.Key, Origin: obj.Origin, object: obj, specPath: "spec"}
}

func (d *Desired) problem(field, what, fix string) manifest.Problem {
	return manifest.Problem{Origin: d.object.Where(field), Key: d.Key, Field: field, What: what, Fix: fix}
}

// readOptions fills d.Options from the annotations.
func (d *Desired) readOptions() []manifest.Problem {
	var problems []manifest.Problem
	choice := func(name, yes, no string) (chosen, given bool) {
		text, ok := d.object.Annotations[name]
		switch {
		case !ok:
		case text == yes || text == no:
			return text == yes, true
		default:
			problems = append(problems, d.problem(annotationField(name),
				fmt.Sprintf("is %q", text), fmt.Sprintf("use %q or %q", yes, no)))
		}
		return false, false
	}
	o := &d.Options
	o.Suspend, _ = choice(annotationSuspend, "true", "false")
	if detach, given := choice(annotationDelete, "detach", "delete"); given {
		o.Detach = detach
	}
	o.NoPrune, _ = choice(annotationPrune, "false", "true")
	if allow, given := choice(annotationReplace, "allow", "refuse"); given {
		o.Replace = &allow
	}
	if report, given := choice(annotationDrift, "report", "correct"); given {
		o.Report = &report
	}
	for path := range strings.SplitSeq(d.object.Annotations[annotationIgnore], ",") {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		if len(o.Ignore) == mostIgnored {
			problems = append(problems, d.problem(annotationField(annotationIgnore),
				fmt.Sprintf("names more than %d fields", mostIgnored), "name what holds them, such as spec.resource"))
			break
		}
		o.Ignore = append(o.Ignore, path)
	}
	return problems
}

// ignores tells whether changes of field are left alone.
func (o Options) ignores(field string) bool {
	for _, path := range o.Ignore {
		if within(field, path) {
			return true
		}
	}
	return false
}

// leaves tells whether a field is for others to write.
func (o Options) leaves(field string) bool {
	return o.ignores(field) || o.Report != nil && *o.Report
}

// mark is what the object shall bear in the cloud.
func (d *Desired) mark(stack string) Mark {
	return Mark{Owner: OwnerText(stack, d.Key), Applied: d.digest, Keep: d.Options.Detach || d.Options.NoPrune}
}
