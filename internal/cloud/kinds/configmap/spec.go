// Package configmap is the kind ConfigMap of the core group: text that other
// objects refer to. A ConfigMap is no object of the cloud.
package configmap

import (
	"maps"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Body is the content of a ConfigMap without its metadata. (kubernetes
// api/core/v1 ConfigMap)
type Body struct {
	Data       map[string]string `json:"data,omitempty" rule:"raw" doc:"Texts by key."`
	BinaryData map[string][]byte `json:"binaryData,omitempty" doc:"Further contents by key, in base64."`
	Immutable  *bool             `json:"immutable,omitempty" doc:"Accepted, not used."`
}

// Kind returns the kind ConfigMap.
func Kind() *kind.Kind {
	return typed.Data(kind.Info{
		Version: "v1", Kind: "ConfigMap", Public: true,
		Doc: "Text that other objects refer to, such as a script for a machine's first boot.",
	}, read)
}

func read(b *Body, r *kind.Report) map[string]string {
	out := make(map[string]string, len(b.Data)+len(b.BinaryData))
	maps.Copy(out, b.Data)
	for key, content := range b.BinaryData {
		if _, twice := out[key]; twice {
			r.Problem("binaryData["+key+"]", "is in data too", "keep one of them")
		}
		out[key] = string(content)
	}
	return out
}
