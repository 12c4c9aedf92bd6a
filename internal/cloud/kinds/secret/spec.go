// Package secret is the kind Secret of the core group: text that other objects refer to
// and that no output shows. A Secret does not exist in the cloud.
package secret

import (
	"maps"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Body is the content of a Secret without its metadata. (kubernetes api/core/v1 Secret)
type Body struct {
	Data       map[string][]byte `json:"data,omitempty" rule:"secret" doc:"Contents by key, in base64."`
	StringData map[string]string `json:"stringData,omitempty" rule:"secret" doc:"Texts by key, without base64. A key here replaces the same key in data."`
	Type       string            `json:"type,omitempty" doc:"Accepted, not used."`
	Immutable  *bool             `json:"immutable,omitempty" doc:"Accepted, not used."`
}

// Kind returns the kind Secret.
func Kind() *kind.Kind {
	return typed.Data(kind.Info{
		Version: "v1", Kind: "Secret",
		Doc: "Text that other objects refer to and that never appears in a plan, log or report.",
	}, read)
}

func read(b *Body, _ *kind.Report) map[string]string {
	out := make(map[string]string, len(b.Data)+len(b.StringData))
	for key, content := range b.Data {
		out[key] = string(content)
	}
	maps.Copy(out, b.StringData)
	return out
}
