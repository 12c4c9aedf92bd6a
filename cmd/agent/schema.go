package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
)

func (a *app) schema() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print JSON Schemas of manifests, for editors and checkers",
		Long: `Print JSON Schemas of manifests, for editors and checkers.

Without KIND one schema that accepts every kind; with --dir one file for each
kind, as DIR/GROUP/kind_version.json.`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: kindNames(),
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write one file for each kind to")
	definitions := definitionsFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		further, err := definedKinds(cmd, *definitions)
		if err != nil {
			return err
		}
		kinds := append(describedKinds(), further...)
		if len(args) == 1 {
			d, err := find(args[0], further)
			if err != nil {
				return err
			}
			kinds = []described{d}
		}
		switch {
		case dir != "":
			return writeSchemas(dir, kinds)
		case len(args) == 1:
			schema, err := kinds[0].schema()
			if err != nil {
				return err
			}
			return report.JSON(a.out, schema)
		}
		schema, err := combined(kinds)
		if err != nil {
			return err
		}
		return report.JSON(a.out, schema)
	}
	return cmd
}

// schema describes the kind, and the annotations of ours that it takes.
func (d described) schema() (map[string]any, error) {
	schema, err := manifest.Schema(d.body, d.gvk)
	if err == nil && schema["description"] == nil {
		schema["description"] = d.doc
	}
	if err != nil || config.Holds(d.gvk) {
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

// combined is a schema that accepts each of the kinds.
func combined(kinds []described) (map[string]any, error) {
	var each []map[string]any
	for _, d := range kinds {
		schema, err := d.schema()
		if err != nil {
			return nil, err
		}
		delete(schema, "$schema")
		each = append(each, schema)
	}
	return map[string]any{"$schema": "http://json-schema.org/draft-07/schema#", "title": "Stackreeve manifests", "anyOf": each}, nil
}

// writeSchemas writes below dir only: links in there lead nowhere else.
func writeSchemas(dir string, kinds []described) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // what was written is closed already
	for _, d := range kinds {
		schema, err := d.schema()
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := report.JSON(&text, schema); err != nil {
			return err
		}
		file := filepath.Join(d.gvk.Group, fmt.Sprintf("%s_%s.json", strings.ToLower(d.gvk.Kind), d.gvk.Version))
		if err := root.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(file, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
