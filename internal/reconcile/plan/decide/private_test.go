package decide

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// The author of a pull request in an administrator's stack reads its plan. The plan names no user or project of the cloud that the manifests do not
// name.
func TestAttackNamesOfTheWholeCloud(t *testing.T) {
	for _, scope := range []kind.Scope{kind.OfCloud, kind.OfProject} {
		w := thingtest.New()
		for _, name := range []string{"payroll", "payroll2"} {
			w.Put(thingtest.Thing{Name: name, Colour: "red", Mine: true})
		}
		info := w.Kind().Info
		info.Scope = scope
		kinds := []*kind.Kind{thingtest.Of(info, w)}
		for question, spec := range map[string]string{
			"nearest": "managementPolicy: unmanaged, import: {filter: {name: payrolI}}",
			"several": "managementPolicy: unmanaged, import: {filter: {colour: red}}",
			"adopted": "resource: {}, import: {filter: {colour: red}}",
		} {
			files := fstest.MapFS{"a.yaml": {Data: []byte("apiVersion: test/v1\nkind: Thing\nmetadata: {name: a}\nspec: {" + spec + "}\n")}}
			want, _, err := resolve.Read(files, kinds)
			if err != nil {
				t.Fatal(err)
			}
			step := Compute(world.Input{Stack: "s", Kinds: kinds, Want: want, Have: w.Snapshot()}).Steps[0]
			if !step.Error || strings.Contains(step.FullCause(), "payroll") == (scope == kind.OfCloud) {
				t.Errorf("%s of a kind of scope %d: %s", question, scope, step.FullCause())
			}
		}
	}
}
