package configmap_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/kinds/configmap"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

func TestData(t *testing.T) {
	tests := []struct{ name, text, key, want, problem string }{
		{"text", "data: {a: hello}", "a", "hello", ""},
		{"binary", "binaryData: {a: aGVsbG8=}", "a", "hello", ""},
		{"both", "data: {b: x}\nbinaryData: {a: aGVsbG8=}", "b", "x", ""},
		{"no base64", "binaryData: {a: '!'}", "", "", "binaryData"},
		{"twice", "data: {a: x}\nbinaryData: {a: eA==}", "", "", "is in data too"},
		{"number", "data: {a: 1}", "", "", "data"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := fstest.MapFS{"a.yaml": {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" + tt.text)}}
			want, _, err := resolve.Read(files, []*kind.Kind{configmap.Kind()})
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) {
					t.Errorf("error is %v, want one about %s", err, tt.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if have := want[0].Data[tt.key]; have != tt.want {
				t.Errorf("%s is %q, want %q", tt.key, have, tt.want)
			}
		})
	}
}
