package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

type valuesSpec struct {
	Name    *string           `json:"name,omitempty"`
	Size    int               `json:"size" rule:"min=1,default=3"`
	Inner   *valuesInner      `json:"inner,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Rules   []valuesInner     `json:"rules,omitempty"`
	Token   string            `json:"token,omitempty" rule:"secret"`
	Comment string            `json:"comment,omitempty"`
}

type valuesInner struct {
	Port int    `json:"port,omitempty"`
	Key  string `json:"key,omitempty" rule:"secret"`
}

// The values that a creation sets are shown field by field. For a secret, only the existence is shown. That is also true if the secret
// appears in other fields.
func TestAttackValuesOfCreations(t *testing.T) {
	const secret = "Xk93-ffZ-geheim"
	name := "front"
	spec := &valuesSpec{Name: &name, Size: 3, Inner: &valuesInner{Port: 80, Key: secret}, Labels: map[string]string{secret: "a"},
		Rules: []valuesInner{{Port: 1, Key: secret}}, Token: secret, Comment: "it is " + secret}
	want := &kind.Desired{Spec: spec, SpecPath: "spec.resource"}
	var got []string
	for _, v := range Values(want, redact.New(slices.Values([]string{secret}), slices.Values([]string{}))) {
		got = append(got, fmt.Sprintf("%s=%v secret=%v default=%v", v.Field, v.Value, v.Secret, v.Default))
	}
	text := strings.Join(got, "\n")
	for _, line := range []string{"spec.resource.name=front secret=false default=false", "spec.resource.size=3 secret=false default=true", "spec.resource.inner.port=80 secret=false default=false",
		"spec.resource.inner.key=<nil> secret=true default=false", "spec.resource.token=<nil> secret=true default=false"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
	if strings.Contains(text, secret) || !strings.Contains(text, "spec.resource.comment=it is ") {
		t.Errorf("got\n%s", text)
	}
	for _, v := range Values(want, nil) { // a secret field is not shown, even if its value is not among the known secrets
		if v.Field == "spec.resource.token" && !v.Secret || strings.Contains(fmt.Sprint(v.Value), "Key:"+secret) {
			t.Errorf("%s is shown", v.Field)
		}
	}
}
