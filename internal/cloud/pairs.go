package cloud

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// ErrImportOnly is what drivers of kinds answer that can only be imported. Such
// a kind refuses managed manifests when they are read, so people never see it.
var ErrImportOnly = fmt.Errorf("%w: objects of this kind can only be imported", kind.ErrRejected)

// NameValue is an entry of a map in K-ORC's list form.
type NameValue struct {
	Name  string `json:"name" rule:"required,max=255" doc:"Name of the entry."`
	Value string `json:"value" rule:"required,max=255" doc:"Its value."`
}
