package secret_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/kinds/secret"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

func read(text string) ([]kind.Desired, error) {
	files := fstest.MapFS{"a.yaml": {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n" + text)}}
	want, _, err := resolve.Read(files, []*kind.Kind{secret.Kind()})
	return want, err
}

func TestData(t *testing.T) {
	want, err := read("type: Opaque\nimmutable: true\ndata: {a: aGVsbG8=, b: eA==}\nstringData: {b: plain, c: more}\n")
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range map[string]string{"a": "hello", "b": "plain", "c": "more"} {
		if have := want[0].Data[key]; have != text {
			t.Errorf("%s is %q, want %q", key, have, text)
		}
	}
}

func TestProblemsKeepTheSecret(t *testing.T) {
	for _, text := range []string{"data: {password: hunter2-}\n", "stringData: {password: [hunter2-]}\n", "data: {password: {a: hunter2-}}\n"} {
		_, err := read(text)
		if err == nil {
			t.Errorf("%s is accepted", text)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the problem shows the secret: %v", err)
		}
		if !strings.Contains(err.Error(), "a.yaml:4") {
			t.Errorf("the problem names no place: %v", err)
		}
	}
}
