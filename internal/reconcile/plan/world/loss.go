package world

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Written reports whether people have written the manifest of an object, or the template that it was made from.
func (w *World) Written(key manifest.Key) bool {
	for d := w.ByKey[key]; d != nil && d.Parent != (manifest.Key{}); d = w.ByKey[d.Parent] {
		if w.ByKey[d.Parent].Defined() == nil {
			return false
		}
	}
	return true
}
