package resolve_test

import (
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// If an object was renamed, its parts had other names, too. Parts with data, and imports, have no former names, because nothing in the
// cloud was made for them.
func TestFormerNames(t *testing.T) {
	k := asker(func(e *kind.Expansion) {
		for _, part := range [][2]string{{"Thing", "web"}, {"Thing", "web-part"}, {"Thing", "webby"}, {"Text", "web-text"}} {
			body := map[string]any{"data": map[string]any{"x": "words"}}
			if part[0] == "Thing" {
				body = map[string]any{"spec": map[string]any{"resource": map[string]any{}}}
			}
			e.Child(part[0], part[1], body)
		}
		e.Existing("Thing", "web-import", map[string]any{"spec": map[string]any{"managementPolicy": "unmanaged", "import": map[string]any{"id": "x"}}}, "")
	}, "Thing", "Text")
	reading, err := read(resolve.Reader{Kinds: kinds(k)}, "Asker web {} | moved-from=Asker/old,Asker/older", "Thing other")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"Asker/web": {"Asker/old", "Asker/older"}, "Thing/web": {"Thing/old", "Thing/older"}, "Thing/web-part": {"Thing/old-part", "Thing/older-part"},
		"Thing/webby": nil, "Text/web-text": nil, "Thing/web-import": nil, "Thing/other": nil,
	} {
		var got []string
		for _, key := range object(t, reading.Want, name).From {
			got = append(got, key.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s was called %q, want %q", name, got, want)
		}
	}
}

// Names that an object cannot have had are refused once, at the object that people wrote.
func TestFormerNamesThatAreRefused(t *testing.T) {
	at := []string{"Crowd/c metadata.annotations[stackreeve.dev/moved-from]"}
	refused(t, resolve.Reader{}, map[string]refusal{
		"of another kind":           {[]string{"Crowd c {count: 2} | moved-from=Thing/d"}, at, "Crowd/"},
		"no name":                   {[]string{"Crowd c {count: 2} | moved-from=Crowd/D_"}, at, "Crowd/"},
		"its own":                   {[]string{"Crowd c {count: 2} | moved-from=Crowd/c"}, at, ""},
		"still there":               {[]string{"Crowd c {count: 2} | moved-from=Crowd/d", "Crowd d {}"}, at, ""},
		"a part is still there":     {[]string{"Crowd c {count: 2} | moved-from=Crowd/d", "Thing d-1"}, []string{"Thing/c-1 metadata.annotations[stackreeve.dev/moved-from]"}, ""},
		"only used":                 {[]string{"Crowd c {count: 2} | moved-from=Crowd/d", "Thing d-1 =spec: {managementPolicy: unmanaged, import: {id: x}}"}, nil, ""},
		"twice the same":            {[]string{"Crowd c {count: 2} | moved-from=Crowd/d,Crowd/d"}, nil, ""},
		"still there, for two":      {[]string{"Crowd b {} | moved-from=Crowd/d", "Crowd c {} | moved-from=Crowd/d", "Crowd d {}"}, []string{"Crowd/b metadata.annotations[stackreeve.dev/moved-from]", at[0]}, ""},
		"of two objects":            {[]string{"Crowd b {} | moved-from=Crowd/d", "Crowd c {} | moved-from=Crowd/d"}, at, ""},
		"as many as there may be":   {[]string{"Crowd c {} | moved-from=Crowd/a,Crowd/b,Crowd/d,Crowd/e,Crowd/f,Crowd/g,Crowd/h,Crowd/i,Crowd/j,Crowd/k"}, nil, ""},
		"too many":                  {[]string{"Crowd c {count: 1} | moved-from=Crowd/a,Crowd/b,Crowd/d,Crowd/e,Crowd/f,Crowd/g,Crowd/h,Crowd/i,Crowd/j,Crowd/k,Other/l"}, at, "10"},
		"a broken object":           {[]string{"Thing a {shape: spiky} | moved-from=Other/x"}, []string{"Thing/a spec.resource.shape"}, ""},
		"of an object that is used": {[]string{"Thing a =spec: {managementPolicy: unmanaged, import: {id: x}} | moved-from=Other/x"}, []string{"Thing/a metadata.annotations[stackreeve.dev/moved-from]"}, ""},
	})
}
