package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Manifests are the documents of a revision as they are after layers were merged.
type Manifests struct {
	Want    []kind.Desired
	Origins bool // whether the place of each value follows it
	Secrets bool // whether secrets are shown
}

// YAML writes the documents, in the order of their keys.
func (m Manifests) YAML(w io.Writer) error {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	var failed error
	for _, doc := range m.documents() {
		failed = errors.Join(failed, enc.Encode(doc))
	}
	if err := errors.Join(failed, enc.Close()); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err := w.Write(printable.YAML(b.Bytes()))
	return err
}

// JSON writes a List of the documents.
func (m Manifests) JSON(w io.Writer) error {
	items := []any{}
	for _, doc := range m.documents() {
		var item any
		if err := doc.Decode(&item); err != nil {
			return fmt.Errorf("encode: %w", err)
		}
		items = append(items, item)
	}
	return JSON(w, map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

func (m Manifests) documents() (list []*yaml.Node) {
	how := manifest.Rendering{Origins: m.Origins, Secrets: m.Secrets, Hidden: redact.Hidden}
	if !m.Secrets {
		how.Text = confidential.Redactor(m.Want).Text
	}
	written := []*kind.Desired{}
	for i := range m.Want {
		if d := &m.Want[i]; d.Parent == (manifest.Key{}) && d.Object != nil {
			written = append(written, d)
		}
	}
	slices.SortFunc(written, func(a, b *kind.Desired) int { return a.Key.Compare(b.Key) })
	for _, d := range written {
		if doc := d.Object.Render(d.Body, how); doc != nil {
			list = append(list, doc)
		}
		d.Object.Release()
	}
	return list
}
