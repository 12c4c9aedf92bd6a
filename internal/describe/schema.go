package describe

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Schema returns the schema of the kind, with those annotations of Stackreeve that the kind accepts.
func (d Kind) Schema() (map[string]any, error) {
	schema, err := manifest.Schema(d.Body, d.GVK)
	if err == nil && schema["description"] == nil {
		schema["description"] = d.Doc
	}
	if err != nil || config.Holds(d.GVK) {
		return schema, err
	}
	values, ours := resolve.AnnotationValues(), map[string]any{}
	for name, doc := range resolve.Annotations() {
		property := map[string]any{"type": "string", "description": doc}
		if values[name] != nil {
			property["enum"] = values[name]
		}
		ours[name] = property
	}
	return schema, manifest.Annotate(schema, ours)
}

// Combined returns a schema that accepts a manifest of any of the kinds.
func Combined(kinds []Kind) (map[string]any, error) {
	var each []map[string]any
	for _, d := range kinds {
		schema, err := d.Schema()
		if err != nil {
			return nil, err
		}
		delete(schema, "$schema")
		each = append(each, schema)
	}
	return map[string]any{"$schema": "http://json-schema.org/draft-07/schema#", "title": "Stackreeve manifests", "anyOf": each}, nil
}

// WriteSchemas writes a file for each of the kinds. It writes only below dir, even if dir contains links.
func WriteSchemas(dir string, kinds []Kind) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // every written file is closed already
	for _, d := range kinds {
		schema, err := d.Schema()
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := report.JSON(&text, schema); err != nil {
			return err
		}
		file := filepath.Join(d.GVK.Group, fmt.Sprintf("%s_%s.json", strings.ToLower(d.GVK.Kind), d.GVK.Version))
		if err := root.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(file, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
