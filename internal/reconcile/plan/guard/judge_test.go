package guard

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func keyOf(name string) manifest.Key { return manifest.Key{Kind: "Thing", Name: name} }

// stepOf returns a step for a thing whose manifest refers to the things refs. The field of each reference has the name of
// its target.
func stepOf(action plan.Action, name, parent string, refs ...string) plan.Step {
	d := &kind.Desired{Key: keyOf(name)}
	for _, ref := range refs {
		d.Refs = append(d.Refs, kind.RefSpec{Field: "spec." + ref, Key: keyOf(ref)})
	}
	s := plan.Step{Key: d.Key, Action: action, Object: plan.Object{Want: d}}
	if parent != "" {
		s.Parent = keyOf(parent)
	}
	return s
}

// workOf returns a workload. If data is not nil, it is an object with data.
func workOf(name, parent string, data map[string]string) plan.Workload {
	w := plan.Workload{Key: keyOf(name), Want: &kind.Desired{Key: keyOf(name), Virtual: true, Data: data}}
	if parent != "" {
		w.Parent = keyOf(parent)
	}
	return w
}

// denying returns a policy that denies the object with that name.
func denying(name string) plan.Policy {
	return Judge(func(string) bool { return true }, func(s Subject) (v Verdict) {
		if s.Key.Name == name {
			v.Deny = "no"
		}
		return v
	})
}

// A step is refused if its object is denied, or an object that it was expanded from, or an object whose field the step
// writes.
func TestWhomADenialReaches(t *testing.T) {
	t.Parallel()
	data := map[string]string{"a": "b"}
	unmanaged := stepOf(plan.Keep, "import", "")
	unmanaged.Want.Unmanaged = true
	ordered := stepOf(plan.Create, "s", "", "text")
	ordered.Want.Refs[0].Order = true
	surplus := stepOf(plan.Delete, "s", "")
	surplus.Surplus = true
	stray := plan.Step{Key: keyOf("s"), Action: plan.Refuse}
	changed := func(field string) plan.Step {
		s := stepOf(plan.Update, "s", "", "text")
		s.Changes = []kind.Change{{Field: field}}
		return s
	}
	text := []plan.Workload{workOf("text", "bundle", data), workOf("bundle", "", nil)}
	for name, c := range map[string]struct {
		step    plan.Step
		others  []plan.Step
		works   []plan.Workload
		deny    string
		refused bool
		noted   int
	}{
		"itself":                            {stepOf(plan.Create, "s", ""), nil, nil, "s", true, 0},
		"nobody":                            {stepOf(plan.Create, "s", ""), nil, nil, "other", false, 0},
		"it is there already":               {stepOf(plan.Keep, "s", ""), nil, nil, "s", false, 1},
		"it waits":                          {stepOf(plan.Wait, "s", ""), nil, nil, "s", false, 1},
		"it is deleted":                     {stepOf(plan.Delete, "s", ""), nil, nil, "s", false, 0},
		"it is let go":                      {stepOf(plan.Detach, "s", ""), nil, nil, "s", false, 0},
		"it is deleted for a parent":        {stepOf(plan.Delete, "s", "p"), nil, []plan.Workload{workOf("p", "", nil)}, "p", false, 0},
		"a surplus copy":                    {surplus, nil, nil, "s", false, 0},
		"a stray of its name":               {stray, []plan.Step{stepOf(plan.Create, "s", "")}, nil, "s", false, 0},
		"what it was expanded from":         {stepOf(plan.Create, "s", "p"), nil, []plan.Workload{workOf("p", "", nil)}, "p", true, 0},
		"what that was expanded from":       {stepOf(plan.Create, "s", "p"), nil, []plan.Workload{workOf("p", "g", nil), workOf("g", "", nil)}, "g", true, 0},
		"that may have a step of its own":   {stepOf(plan.Create, "s", "p"), []plan.Step{stepOf(plan.Create, "g", "")}, []plan.Workload{workOf("p", "g", nil)}, "g", true, 0},
		"another part":                      {stepOf(plan.Create, "s", "p"), []plan.Step{stepOf(plan.Create, "q", "p")}, []plan.Workload{workOf("p", "", nil)}, "q", false, 0},
		"its data":                          {stepOf(plan.Create, "s", "", "text"), nil, text, "text", true, 0},
		"its data, made anew":               {stepOf(plan.Recreate, "s", "", "text"), nil, text, "text", true, 0},
		"what its data was expanded from":   {stepOf(plan.Create, "s", "", "text"), nil, text, "bundle", true, 0},
		"data that it writes":               {changed("spec.text"), nil, text, "text", true, 0},
		"data that it does not write":       {changed("spec.colour"), nil, text, "text", false, 0},
		"data that only has to exist":       {ordered, nil, text, "text", false, 0},
		"data, and nothing is written":      {stepOf(plan.Wait, "s", "", "text"), nil, text, "text", false, 0},
		"what it refers to":                 {stepOf(plan.Create, "s", "", "import"), []plan.Step{unmanaged}, nil, "import", false, 0},
		"what nobody knows that it uses":    {stepOf(plan.Create, "s", "", "lost"), nil, nil, "lost", false, 0},
		"workloads that stand for a circle": {stepOf(plan.Create, "s", "p"), nil, []plan.Workload{workOf("p", "g", nil), workOf("g", "p", nil), workOf("x", "", nil)}, "x", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plan.Plan{Steps: append([]plan.Step{c.step}, c.others...), Workloads: c.works}
			s := p.Apply(denying(c.deny)).Steps[0]
			if refused := s.Action == plan.Refuse && s.Error; refused != c.refused || !refused && s.Action != c.step.Action || len(s.Notes) != c.noted {
				t.Errorf("%s %s, with %v", s.Action, codes(s.Causes), s.Notes)
			}
		})
	}
}

// A warning is added behind the other notes of the object. A denial that refuses no step is added in the same way.
func TestVerdictsAreNoted(t *testing.T) {
	t.Parallel()
	noted := []kind.Note{{Field: "f", Text: "before"}}
	keep, made := stepOf(plan.Keep, "keep", ""), stepOf(plan.Create, "made", "")
	keep.Notes, made.Notes = noted, noted
	work := workOf("work", "", nil)
	work.Notes = noted
	p := plan.Plan{Steps: []plan.Step{keep, made, stepOf(plan.Create, "quiet", "")}, Workloads: []plan.Workload{work, {Key: keyOf("empty")}, workOf("still", "", nil)}}
	judged := p.Apply(Judge(func(string) bool { return true }, func(s Subject) (v Verdict) {
		if s.Key.Name == "keep" || s.Key.Name == "made" || s.Key.Name == "work" {
			v = Verdict{Deny: "no", Warn: []string{"mind"}}
		}
		return v
	}))
	texts := func(notes []kind.Note) (all []string) {
		for _, n := range notes {
			all = append(all, n.Field+": "+n.Text)
		}
		return all
	}
	for what, c := range map[string]struct {
		notes []kind.Note
		want  string
	}{
		"kept":                      {judged.Steps[0].Notes, "[f: before policy: mind policy: no]"},
		"refused":                   {judged.Steps[1].Notes, "[f: before policy: mind]"},
		"not judged":                {judged.Steps[2].Notes, "[]"},
		"a workload":                {judged.Workloads[0].Notes, "[f: before policy: mind policy: no]"},
		"a workload, before":        {p.Workloads[0].Notes, "[f: before]"},
		"a workload that is fine":   {judged.Workloads[2].Notes, "[]"},
		"a workload of no manifest": {judged.Workloads[1].Notes, "[]"},
	} {
		if got := fmt.Sprint(texts(c.notes)); got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}

// Policies get each object that exists after the plan, with the fields that change and with its manifest.
func TestWhatPoliciesSee(t *testing.T) {
	t.Parallel()
	fields := []string{"spec.a", "spec.b", "spec.c", "spec.d", "spec.e", "spec.f"}
	left := stepOf(plan.Keep, "left", "") // another step writes these fields of the object
	left.Want.Options.Entrusted = map[string]manifest.Key{"spec.x": keyOf("unchanged"), "spec.y": keyOf("unknown"), "spec.z": keyOf("made")}
	left.Want.Object = &manifest.Object{Annotations: map[string]string{"n": "v"}}
	changed, unchanged, made := stepOf(plan.Update, "changed", ""), stepOf(plan.Update, "unchanged", ""), stepOf(plan.Create, "made", "")
	for _, f := range fields {
		left.Want.Options.Entrusted[f] = keyOf("changed")
		changed.Changes = append(changed.Changes, kind.Change{Field: f})
	}
	made.Changes, made.Want.Spec = []kind.Change{{Field: "spec.z"}}, &struct {
		Colour string `json:"colour"`
	}{"red"}
	copied, dropped, gone := stepOf(plan.Delete, "copied", ""), stepOf(plan.Detach, "dropped", ""), stepOf(plan.Delete, "gone", "")
	copied.Surplus = true
	twin := stepOf(plan.Update, "left", "") // the step of a surplus copy is not about the object itself
	twin.Surplus = true
	twin.Want.Options.Entrusted = map[string]manifest.Key{"spec.a": keyOf("changed")}
	seen := map[string]string{}
	works := []plan.Workload{workOf("text", "", map[string]string{"a": "b"})}
	p := plan.Plan{Workloads: works, Steps: []plan.Step{stepOf(plan.Keep, "kept", ""), left, changed, unchanged, made, copied, dropped, gone, twin, {Key: keyOf("stray"), Action: plan.Refuse}, {Key: manifest.Key{Kind: "Other", Name: "o"}, Action: plan.Create, Object: plan.Object{Want: &kind.Desired{}}}}}
	p.Apply(Judge(func(kind string) bool { return kind == "Thing" }, func(s Subject) Verdict {
		seen[s.Key.Name] += fmt.Sprintf("%s %s %v %v", s.Action, s.Fields, s.Object["metadata"].(map[string]any)["annotations"], s.Object["spec"])
		return Verdict{}
	}))
	want := map[string]string{
		"left": fmt.Sprintf("update %s map[n:v] map[]", fields), "changed": fmt.Sprintf("update %s map[] map[]", fields), "unchanged": "update [] map[] map[]",
		"made": "create [spec.z] map[] map[colour:red]", "kept": "keep [] map[] map[]", "text": " [] map[] map[]",
	}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("seen are\n%v, want\n%v", seen, want)
	}
	for _, name := range []string{"changed", "made", "unchanged"} {
		at := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Key.Name == name })
		if refused := p.Apply(denying("left")).Steps[at].Action == plan.Refuse; refused != (name == "changed") {
			t.Errorf("%s is refused for the object whose fields it writes: %t", name, refused)
		}
	}
}

// The references of an object include those of its parts to objects that are no parts of it, even if a part has no
// manifest.
func TestReferencesOfWhatAnObjectStandsFor(t *testing.T) {
	t.Parallel()
	p := plan.Plan{
		Workloads: []plan.Workload{workOf("w", "", nil), {Key: keyOf("bare"), Parent: keyOf("w")}},
		Steps:     []plan.Step{stepOf(plan.Create, "a", "w", "b", "out"), stepOf(plan.Create, "b", "w", "out", "far"), stepOf(plan.Create, "c", "bare", "far", "last")},
	}
	var got []string
	p.Apply(Judge(func(string) bool { return true }, func(s Subject) (v Verdict) {
		for _, r := range s.Refs {
			if s.Key == keyOf("w") {
				got = append(got, r.Of.Name+" "+r.Key.Name)
			}
		}
		return v
	}))
	if want := []string{"a out", "b far", "c last"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
