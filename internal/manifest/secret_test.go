package manifest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// TestAttackSecretInProblems uses Secrets with invalid YAML or with mistakes. No problem repeats their values.
func TestAttackSecretInProblems(t *testing.T) {
	const secret = "hunter2hunter2"
	head := "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n"
	for name, rest := range map[string]string{
		"tag":              "stringData:\n  password: !" + secret + "\n",
		"tag and text":     "stringData:\n  password: !" + secret + " more\n",
		"alias":            "stringData:\n  password: *" + secret + "\n",
		"directive":        "stringData:\n  password: %" + secret + "\n",
		"at":               "stringData:\n  password: @" + secret + "\n",
		"colon":            "stringData:\n  password: x: " + secret + "\n",
		"no colon":         "stringData:\n  password\n  " + secret + "\n",
		"quote":            "stringData:\n  password: \"" + secret + "\n",
		"escape":           "stringData:\n  password: \"\\q" + secret + "\"\n",
		"bracket":          "stringData:\n  password: [" + secret + "\n",
		"mapping":          "stringData:\n  password: {" + secret + ": x}\n",
		"block":            "stringData:\n  password: |" + secret + "\n",
		"a text for a map": "stringData: " + secret + "\n",
		"a list for a map": "stringData: [" + secret + "]\n",
		"not base64":       "data: {password: " + secret + "}\n",
		"a number":         "stringData: {password: 123456789012345678}\n",
		"another field":    "stringDta: {password: " + secret + "}\n",
		"merged":           "stringData:\n  <<: " + secret + "\n",
		"a key of two":     "stringData: {? [" + secret + "] : x}\n",
		"a template":       "stringData: {password: {{ " + secret + " }}}\n",
		"a control":        "stringData: {password: \"" + secret + "\x01\"}\n",
		"another kind":     "kind: Secrets\nstringData: {password: " + secret + "}\n",
		"written twice":    "stringData: {password: " + secret + ", password: " + secret + "}\n",
		"last applied":     "stringData: {password: " + secret + "}\nmetadata: {annotations: {stackreeve.dev/prun: " + secret + "}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := manifest.Load(fstest.MapFS{"a.yaml": {Data: []byte(head + rest)}}, manifest.Options{
				Kinds:       []manifest.GroupVersionKind{{Version: "v1", Kind: "Secret"}},
				Annotations: []string{"stackreeve.dev/prune"},
			})
			text := fmt.Sprint(err, loaded.Ignored)
			for _, o := range loaded.Objects {
				var body struct {
					Data       map[string][]byte `json:"data,omitempty" rule:"secret"`
					StringData map[string]string `json:"stringData,omitempty" rule:"secret"`
				}
				text += fmt.Sprint(manifest.Problems(o.Decode(&body)))
			}
			if strings.Contains(text, secret) || strings.Contains(text, "123456789") {
				t.Errorf("it says %s", text)
			}
		})
	}
}
