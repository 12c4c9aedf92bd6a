package kind

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

func TestAttackSecretInPrintedStructs(t *testing.T) {
	const token = "hunter2hunter2"
	d := Desired{Key: manifest.Key{Kind: "Secret", Namespace: "default", Name: "login"}, Virtual: true, Data: map[string]string{"script": "password: " + token}}
	for _, v := range []any{d, &d, []Desired{d}, struct{ D Desired }{d}, Ref{Key: d.Key, Data: d.Data}} {
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
		text, _ := json.Marshal(v)
		for _, out := range []string{fmt.Sprintf("%v %+v %#v %s", v, v, v, v), log.String(), string(text)} {
			if _, isRef := v.(Ref); strings.Contains(out, token) && !(isRef && out == string(text)) {
				t.Errorf("%T is printed as %s", v, out)
			}
		}
	}
}
