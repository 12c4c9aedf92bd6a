package decide

import (
	"reflect"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

const uuid = "0b1d5f9e-3c1a-4c5e-9d7a-1f2e3d4c5b6a"

// A plan shows a name for each ID in a change, such as the ID of an object that the field refers to. The name is the key of the manifest that
// describes the object with this ID. Without such a manifest, it is the key in the stack's mark on the object, or else the name in the cloud.
func TestWhoIsMeantByAnID(t *testing.T) {
	ident := func(name, id string) func(*world.Input) {
		return func(in *world.Input) { item(in, name).ID = id }
	}
	for name, c := range map[string]struct {
		decision
		names map[string]string
	}{
		"an object of the stack":      {decision{repo: []string{"a", "user"}, cloud: []string{"a ours", "user stale near=id-001"}}, map[string]string{}},
		"what it refers to":           {decision{repo: []string{"a", "b", "user near=b"}, cloud: []string{"a ours", "b ours", "user stale near=id-001"}}, map[string]string{"id-001": "Thing/a", "id-002": "Thing/b"}},
		"an import":                   {decision{repo: []string{"b", "i import=x", "user near=b"}, cloud: []string{"x nobody", "b ours", "user stale near=id-001"}}, map[string]string{"id-001": "Thing/i", "id-002": "Thing/b"}},
		"two manifests, by the first": {decision{repo: []string{"z", "b import=z", "user near=b"}, cloud: []string{"x nobody", "z ours", "user stale near=id-001"}}, map[string]string{"id-001": "Thing x", "id-002": "Thing/b"}},
		"two imports, by the first":   {decision{repo: []string{"d import=z", "c import=z", "user near=d"}, cloud: []string{"x nobody", "z nobody", "user stale near=id-001"}}, map[string]string{"id-001": "Thing x", "id-002": "Thing/c"}},
		"what no manifest wants":      {decision{repo: []string{"b", "user near=b"}, cloud: []string{"o stale", "b ours", "user stale near=id-001"}}, map[string]string{"id-001": "Thing/o", "id-002": "Thing/b"}},
		"what has several owners":     {decision{repo: []string{"b", "user near=b"}, cloud: []string{"x stale as=o rival=other", "b ours", "user stale near=id-001"}}, map[string]string{"id-001": "Thing x", "id-002": "Thing/b"}},
		"a copy":                      {decision{repo: []string{"b", "user near=b"}, cloud: []string{"x stale as=o copied=c", "b ours", "user stale near=id-001"}}, map[string]string{"id-001": "Thing x", "id-002": "Thing/b"}},
		"another stack's":             {decision{repo: []string{"b", "user near=b"}, cloud: []string{"x other", "b ours", "user stale near=id-001"}}, map[string]string{"id-001": "Thing x", "id-002": "Thing/b"}},
		"a mark of another kind":      {decision{repo: []string{"b", "user near=b"}, cloud: []string{"x stale kind=Other", "b ours", "user stale near=id-001"}}, map[string]string{"id-001": "Thing x", "id-002": "Thing/b"}},
		"a mark in another project":   {decision{repo: []string{"b", "user near=b"}, cloud: []string{"x stale as=o", "b ours", "user stale near=id-001"}, alter: func(in *world.Input) { item(in, "x").InOwnProject = false }}, map[string]string{"id-001": "Thing x", "id-002": "Thing/b"}},
		"nothing that is there":       {decision{repo: []string{"b", "user near=b"}, cloud: []string{"b ours", "user stale near=id-009"}}, map[string]string{"id-001": "Thing/b"}},
		"a UUID as any value":         {decision{repo: []string{"a", "user colour=red"}, cloud: []string{"a ours", "user stale colour=" + uuid}, alter: ident("a", uuid)}, map[string]string{uuid: "Thing/a"}},
		"a UUID of nothing":           {decision{repo: []string{"a", "user colour=red"}, cloud: []string{"a ours", "user stale colour=" + uuid}}, map[string]string{}},
		"a UUID in a longer value":    {decision{repo: []string{"a", "user colour=red"}, cloud: []string{"a ours", "user stale colour=x" + uuid}, alter: ident("a", uuid)}, map[string]string{}},
		"a UUID within a reference":   {decision{repo: []string{"a", "user near=a"}, cloud: []string{"a ours", "user stale near=net:" + uuid}, alter: ident("a", uuid)}, map[string]string{uuid: "Thing/a"}},
		"an ID that is ignored":       {decision{repo: []string{"a", "b", "user near=b ignore-fields=spec.resource.near"}, cloud: []string{"a ours", "b ours", "user ours near=id-001"}}, map[string]string{"id-001": "Thing/a", "id-002": "Thing/b"}},
		"a part of what refers to it": {decision{repo: []string{"b", "user colour=red"}, cloud: []string{"b ours", "user stale colour=id-001"}, alter: alsoRefers("user", kind.RefSpec{Field: "spec.resource.colour[0]", Key: thingtest.Key("b")})}, map[string]string{"id-001": "Thing/b"}},
		"in what refers to it":        {decision{repo: []string{"b", "user colour=red"}, cloud: []string{"b ours", "user stale colour=id-001"}, alter: alsoRefers("user", kind.RefSpec{Field: "spec.resource", Key: thingtest.Key("b")})}, map[string]string{"id-001": "Thing/b"}},
	} {
		s := stepOf(t, Compute(c.input(t)), "user")
		if len(s.Names)+len(c.names) > 0 && !reflect.DeepEqual(s.Names, c.names) {
			t.Errorf("%s: %v, want %v", name, s.Names, c.names)
		}
	}
}
