package resolve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// optionsText returns the options that differ from the defaults as a text.
func optionsText(d kind.Desired) string {
	o := d.Options
	words := []string{}
	flag := func(name string, value *bool) {
		if value != nil {
			words = append(words, fmt.Sprintf("%s=%t", name, *value))
		}
	}
	for name, is := range map[string]bool{"suspend": o.Suspend, "detach": o.Detach, "keep": o.NoPrune} {
		if is {
			words = append(words, name)
		}
	}
	flag("replace", o.Replace)
	flag("loss", o.DataLoss)
	flag("report", o.Report)
	for _, path := range o.Ignore {
		words = append(words, "ignore="+path)
	}
	for path, way := range o.Ways {
		words = append(words, path+"="+way)
	}
	if d.Import != nil {
		words = append(words, fmt.Sprintf("adopts=%s%t", d.Import.ID, d.Import.ByName))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func TestOptionsFromAnnotations(t *testing.T) {
	for annotations, want := range map[string]string{
		"":                                      "",
		"suspend=true":                          "suspend",
		"suspend=false":                         "",
		"prune=false":                           "keep",
		"prune=true":                            "",
		"on-delete=detach":                      "detach",
		"on-delete=delete":                      "",
		"on-delete=detach prune=false":          "detach keep",
		"on-delete=detach prune=true":           "detach",
		"replace=allow":                         "replace=true",
		"replace=refuse":                        "replace=false",
		"data-loss=allow":                       "loss=true",
		"data-loss=refuse":                      "loss=false",
		"drift=report":                          "report=true",
		"drift=correct":                         "report=false",
		"ignore-fields=spec.resource.colour":    "ignore=spec.resource.colour",
		"ignore-fields=,spec.resource.colour,,": "ignore=spec.resource.colour",
		"ignore-fields=spec.resource":           "ignore=spec.resource",
		"adopt=true":                            "adopts=true",
		"adopt=false":                           "",
		"adopt=id-7":                            "adopts=id-7false",
		"change-policy=spec.resource.weight=trim":  "spec.resource.weight=trim",
		"change-policy=weight=trim":                "spec.resource.weight=trim",
		"change-policy=weight=trim,,shape=replace": "spec.resource.shape=replace spec.resource.weight=trim",
	} {
		if got := optionsText(object(t, wanted(t, "Thing a {} | "+annotations), "Thing/a")); got != want {
			t.Errorf("%q: %q, want %q", annotations, got, want)
		}
	}
}

// If a kind's objects stay after their manifest is removed, an annotation can change that. If the manifest of a part says that it is
// detached, the part keeps its mark.
func TestOptionsOfObjectsThatLast(t *testing.T) {
	lasting := box()
	lasting.Lasts = func(*boxSpec) bool { return true }
	all := slices.Concat(kinds()[2:], []*kind.Kind{lasting.Resource(), asker(func(e *kind.Expansion) {
		e.Child("Box", "part", map[string]any{"spec": map[string]any{"managedOptions": map[string]any{"onDelete": "detach"}, "resource": map[string]any{}}})
	}, "Box")})
	for annotations, want := range map[string]string{"": "keep", "prune=true": "", "on-delete=delete": "", "on-delete=detach": "detach", "on-delete=delete prune=false": "keep"} {
		reading, err := read(resolve.Reader{Kinds: all}, "Box a {} | "+annotations)
		if err != nil {
			t.Fatal(err)
		}
		if got := optionsText(reading.Want[0]); got != want {
			t.Errorf("%q: %q, want %q", annotations, got, want)
		}
	}
	all[len(all)-2] = box().Resource()
	reading, err := read(resolve.Reader{Kinds: all}, "Asker q", "Box own =spec: {managedOptions: {onDelete: detach}, resource: {}}")
	if err != nil {
		t.Fatal(err)
	}
	if part, own := optionsText(object(t, reading.Want, "Box/part")), optionsText(object(t, reading.Want, "Box/own")); part != "detach keep" || own != "detach" {
		t.Errorf("%q and %q", part, own)
	}
}

// Annotations that have no meaning for their object are refused, at the object that people wrote.
func TestAnnotationsThatAreRefused(t *testing.T) {
	at := func(object, annotation string) []string {
		return []string{object + " metadata.annotations[stackreeve.dev/" + annotation + "]"}
	}
	unmanaged := "=spec: {managementPolicy: unmanaged, import: {id: x}}"
	refused(t, resolve.Reader{}, map[string]refusal{
		"no choice":                          {[]string{"Thing a {} | drift=maybe"}, at("Thing/a", "drift"), "correct"},
		"a hundred fields":                   {[]string{"Thing a {} | ignore-fields=" + strings.Repeat("spec.resource.colour,", 100)}, nil, ""},
		"more fields":                        {[]string{"Thing a {} | ignore-fields=" + strings.Repeat("spec.resource.colour,", 101)}, at("Thing/a", "ignore-fields"), ""},
		"data is adopted":                    {[]string{"Text t {} | adopt=true"}, at("Text/t", "adopt"), ""},
		"data is not adopted":                {[]string{"Text t {} | adopt=false"}, nil, ""},
		"an ID for what stands for others":   {[]string{"Crowd c {count: 2} | adopt=id-7"}, at("Crowd/c", "adopt"), "true"},
		"names for what stands for others":   {[]string{"Crowd c {count: 2} | adopt=true"}, nil, ""},
		"nothing for what stands for others": {[]string{"Crowd c {count: 2} | adopt="}, at("Crowd/c", "adopt"), ""},
		"unmanaged":                          {[]string{"Thing a " + unmanaged + " | adopt=true"}, at("Thing/a", "adopt"), ""},
		"beside an import":                   {[]string{"Thing a =spec: {import: {id: x}, resource: {}} | adopt=true"}, at("Thing/a", "adopt"), ""},
		"a field that is like another":       {[]string{"Thing a {} | ignore-fields=spec.resource.color"}, at("Thing/a", "ignore-fields"), "spec.resource.colour"},
		"a field like none":                  {[]string{"Thing a {} | ignore-fields=metadata"}, at("Thing/a", "ignore-fields"), "spec.resource.description"},
		"two fields of none":                 {[]string{"Thing a {} | ignore-fields=spec.resource.colur,spec.resource.wieght"}, append(at("Thing/a", "ignore-fields"), at("Thing/a", "ignore-fields")...), "spec.resource."},
		"a field beside the spec":            {[]string{"Thing a {} | ignore-fields=spec.managementPolicy"}, at("Thing/a", "ignore-fields"), ""},
		"the whole spec":                     {[]string{"Thing a {} | ignore-fields=spec"}, nil, ""},
		"a field of members":                 {[]string{"Crowd c {count: 1} | ignore-fields=spec.resource.colour"}, nil, ""},
		"a field of members to come":         {[]string{"Crowd c {} | ignore-fields=spec.resource.colour"}, nil, ""},
		"a field of members of members":      {[]string{"Fleet f {count: 1, crowd: {count: 1}} | ignore-fields=spec.resource.colour"}, nil, ""},
		"a field of another kind":            {[]string{"Box b {} | ignore-fields=spec.resource.shape"}, at("Box/b", "ignore-fields"), ""},
		"a field of other kinds":             {[]string{"Fleet f {count: 1, crowd: {count: 1}} | ignore-fields=spec.resource.lid"}, at("Fleet/f", "ignore-fields"), ""},
		"a field of other objects":           {[]string{"Crowd c {count: 1} | ignore-fields=spec.resource.lid"}, at("Crowd/c", "ignore-fields"), ""},
		"the template of members":            {[]string{"Crowd c {count: 1} | ignore-fields=spec.member"}, at("Crowd/c", "ignore-fields"), ""},
		"an element of a map":                {[]string{"Box b {} | ignore-fields=spec.resource.labels.x"}, at("Box/b", "ignore-fields"), "spec.resource.labels"},
		"an import leaves nothing alone":     {[]string{"Thing a " + unmanaged + " | ignore-fields=spec.resource.colour"}, nil, ""},
		"a broken object has one mistake":    {[]string{"Thing a {shape: spiky} | ignore-fields=spec.resource.nothing change-policy=nothing=replace"}, []string{"Thing/a spec.resource.shape"}, ""},
		"a way that a field does not have":   {[]string{"Thing a {} | change-policy=weight=magic"}, at("Thing/a", "change-policy"), "trim, melt"},
		"a field without a choice":           {[]string{"Thing a {} | change-policy=colour=replace"}, at("Thing/a", "change-policy"), "weight (trim, melt"},
		"one field by two names":             {[]string{"Thing a {} | change-policy=weight=trim,spec.resource.weight=melt"}, at("Thing/a", "change-policy"), ""},
		"one field twice in the same way":    {[]string{"Thing a {} | change-policy=weight=trim,weight=trim"}, nil, ""},
		"fifty ways":                         {[]string{"Thing a {} | change-policy=" + strings.Repeat("weight=trim,", 50)}, nil, ""},
		"more ways":                          {[]string{"Thing a {} | change-policy=" + strings.Repeat("weight=trim,", 51)}, at("Thing/a", "change-policy"), ""},
		"a way for members":                  {[]string{"Crowd c {count: 1} | change-policy=weight=melt"}, nil, ""},
		"a way for members to come":          {[]string{"Crowd c {} | change-policy=weight=melt"}, nil, ""},
		"a way for other objects":            {[]string{"Crowd c {count: 1} | change-policy=lid=bend"}, at("Crowd/c", "change-policy"), "weight"},
		"a way for what is only used":        {[]string{"Thing a " + unmanaged + " | change-policy=weight=trim"}, nil, ""},
	})
}

// A field is known if any of several kinds has it. If one of these kinds compares the field separately, it can be ignored.
func TestFieldsOfSeveralKinds(t *testing.T) {
	type labels struct {
		Labels struct {
			X string `json:"x,omitempty"`
		} `json:"labels,omitempty"`
	}
	single := typed.Kind[labels, struct{}, struct{}]{Info: kind.Info{Kind: "Single"}}.Resource()
	whole := box().Resource()
	const path = "spec.resource.labels.x"
	for name, c := range map[string]struct {
		kinds []*kind.Kind
		path  string
		known bool
		whole string
	}{
		"as a value":       {[]*kind.Kind{single}, path, true, ""},
		"as a whole":       {[]*kind.Kind{whole}, path, true, "spec.resource.labels"},
		"as a value first": {[]*kind.Kind{single, whole}, path, true, ""},
		"as a whole first": {[]*kind.Kind{whole, single}, path, true, ""},
		"of one of them":   {[]*kind.Kind{single, whole}, "spec.resource.colour", true, ""},
		"of none":          {[]*kind.Kind{single, whole}, "spec.resource.nothing", false, ""},
		"beside the spec":  {[]*kind.Kind{single, whole}, "spec.managementPolicy", false, ""},
		"what holds all":   {[]*kind.Kind{single}, "spec", true, ""},
		"of no kind":       {nil, path, false, ""},
	} {
		if known, whole := resolve.Ignorable(c.kinds, c.path); known != c.known || whole != c.whole {
			t.Errorf("%s: %t, %q", name, known, whole)
		}
	}
}

// Only objects that the stack makes can be adopted, or have ways to change a field.
func TestAnnotationsOfPartsThatNobodyMakes(t *testing.T) {
	k := asker(func(e *kind.Expansion) {
		resource := map[string]any{"resource": map[string]any{}}
		e.Child("Thing", "made", map[string]any{"spec": resource})
		e.Child("Thing", "imported", map[string]any{"spec": map[string]any{"resource": map[string]any{}, "import": map[string]any{"id": "id-7"}}})
		e.Child("Text", "text", map[string]any{"data": map[string]any{"x": "words"}})
		e.Child("Crowd", "crowd", map[string]any{"spec": map[string]any{"count": 1}})
		e.Existing("Thing", "used", map[string]any{"spec": map[string]any{"managementPolicy": "unmanaged", "import": map[string]any{"id": "id-8"}}}, "")
	}, "Thing", "Text", "Crowd")
	reading, err := read(resolve.Reader{Kinds: kinds(k)}, "Asker q {} | adopt=true change-policy=weight=trim")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Asker/q": "", "Thing/made": "adopts=true spec.resource.weight=trim", "Thing/imported": "adopts=id-7false spec.resource.weight=trim", "Text/text": "", "Crowd/crowd": "",
		"Thing/crowd-0": "adopts=true spec.resource.weight=trim", "Thing/used": "adopts=id-8false",
	} {
		if got := optionsText(object(t, reading.Want, name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// If the mark of a part cannot be written later, the annotation of the object above it does not make the part adopted.
func TestAdoptionOfPartsWithFixedMarks(t *testing.T) {
	seal := box()
	seal.Info.Kind, seal.Info.FixedMark = "Seal", true
	body := map[string]any{"spec": map[string]any{"resource": map[string]any{}}}
	k := asker(func(e *kind.Expansion) {
		e.Child("Thing", "t", body)
		e.Child("Seal", "s", body)
		e.Existing("Seal", "used", map[string]any{"spec": map[string]any{"managementPolicy": "unmanaged", "import": map[string]any{"id": "x"}}}, "")
	}, "Thing", "Seal")
	adopt := " metadata.annotations[stackreeve.dev/adopt]"
	refused(t, resolve.Reader{Kinds: kinds(k, seal.Resource())}, map[string]refusal{
		"a part":           {[]string{"Asker q {} | adopt=true"}, []string{"Seal/s" + adopt}, "Asker/q"},
		"without adoption": {[]string{"Asker q"}, nil, ""},
		"of its own":       {[]string{"Seal s =spec: {resource: {}} | adopt=true"}, nil, ""},
	})
}
