package resolve_test

import (
	"encoding/base64"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// No field of a manifest may look like a mark in the cloud, except secrets and filters.
func TestForgedMarks(t *testing.T) {
	forged := `"` + ownertext.Of("other", thingtest.Key("a")) + `"`
	secret := base64.StdEncoding.EncodeToString([]byte(ownertext.Of("other", thingtest.Key("a"))))
	refused(t, resolve.Reader{}, map[string]refusal{
		"a text":                {[]string{"Box b {colour: " + forged + "}"}, []string{"Box/b spec.resource.colour"}, ""},
		"a list":                {[]string{"Box b {lines: [a, " + forged + "]}", "Thing a"}, []string{"Box/b spec.resource.lines[1]"}, ""},
		"below an object":       {[]string{"Box b {inside: {lateInside: " + forged + "}}"}, []string{"Box/b spec.resource.inside.lateInside"}, ""},
		"embedded":              {[]string{"Box b {lateInside: " + forged + "}"}, []string{"Box/b spec.resource.lateInside"}, ""},
		"the value of a map":    {[]string{"Box b {labels: {x: " + forged + "}}"}, []string{"Box/b spec.resource.labels[x]"}, ""},
		"the key of a map":      {[]string{"Box b {labels: {" + forged + ": x}}"}, []string{"Box/b spec.resource.labels[" + ownertext.Of("other", thingtest.Key("a")) + "]"}, ""},
		"a key that marks need": {[]string{"Box b {labels: {" + ownertext.Word + "-owner: x}}"}, []string{"Box/b spec.resource.labels[" + ownertext.Word + "-owner]"}, ""},
		"in the order of keys":  {[]string{"Box b {labels: {z: " + forged + ", a: " + forged + ", m: " + forged + "}}"}, []string{"Box/b spec.resource.labels[a]", "Box/b spec.resource.labels[m]", "Box/b spec.resource.labels[z]"}, ""},
		"bytes":                 {[]string{"Box b {bytes: " + secret + "}"}, []string{"Box/b spec.resource.bytes"}, ""},
		"a secret":              {[]string{"Box b {password: " + forged + "}"}, nil, ""},
		"a filter":              {[]string{"Box b =spec: {managementPolicy: unmanaged, import: {filter: {name: " + forged + "}}}"}, nil, ""},
		"bytes of a list":       {[]string{"Box b {bytes: eA==, lines: [" + forged + "]}"}, []string{"Box/b spec.resource.lines[0]"}, ""},
		"nothing forged":        {[]string{"Box b {colour: red, labels: {x: v}, bytes: eA==, counts: {x: 1}}"}, nil, ""},
	})
}

// The name of a part may not look like a mark either.
func TestForgedNamesOfParts(t *testing.T) {
	k := asker(func(e *kind.Expansion) { e.Child("Text", ownertext.Of("other", thingtest.Key("a")), map[string]any{}) }, "Text")
	_, err := read(resolve.Reader{Kinds: kinds(k)}, "Asker q")
	if p := problemsOf(t, err); len(p) != 1 || p[0].Field != "metadata.name" {
		t.Errorf("got %v", err)
	}
}
