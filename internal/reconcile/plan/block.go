package plan

import (
	"cmp"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func LiveText(of string, l *kind.Live) string {
	return manifest.Key{Kind: of, Name: cmp.Or(l.Name, l.ID)}.String()
}
