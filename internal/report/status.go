package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile"
)

// StatusList is the status of objects for programs, in the shape that kubectl
// prints.
type StatusList struct {
	APIVersion string                   `json:"apiVersion"`
	Kind       string                   `json:"kind"`
	Items      []reconcile.ObjectStatus `json:"items"`
}

// Statuses is the status of objects for programs.
func Statuses(list []reconcile.ObjectStatus) StatusList {
	if list == nil {
		list = []reconcile.ObjectStatus{}
	}
	return StatusList{APIVersion: "v1", Kind: "List", Items: list}
}

// YAML writes v with the field names of its JSON, safe to print.
func YAML(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(printable.YAML(text), &doc); err != nil { // JSON is YAML
		return fmt.Errorf("encode: %w", err)
	}
	restyle(&doc)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	if err := errors.Join(enc.Encode(&doc), enc.Close()); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err = w.Write(printable.YAML(b.Bytes()))
	return err
}

// restyle makes what was JSON look like YAML, fields in the order of their
// names. What is not safe to print otherwise stays in double quotes.
func restyle(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && !printable.Safe(n.Value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	if n.Kind == yaml.MappingNode {
		pairs := slices.Collect(slices.Chunk(n.Content, 2))
		slices.SortFunc(pairs, func(a, b []*yaml.Node) int { return strings.Compare(a[0].Value, b[0].Value) })
		n.Content = slices.Concat(pairs...)
	}
	for _, c := range n.Content {
		restyle(c)
	}
}

// Status writes objects as a table, what an object consists of below it.
func (t Text) Status(list []reconcile.ObjectStatus) error {
	parts := map[reconcile.StatusOwner][]reconcile.ObjectStatus{}
	var written []reconcile.ObjectStatus
	for _, o := range list {
		if owners := o.Metadata.OwnerReferences; len(owners) > 0 {
			parts[inNamespace(owners[0], o)] = append(parts[inNamespace(owners[0], o)], o)
			continue
		}
		written = append(written, o)
	}
	rows := [][]string{{"OBJECT", "AVAILABLE", "STATE", "ID", "MESSAGE"}}
	var row func(indent string, o reconcile.ObjectStatus)
	row = func(indent string, o reconcile.ObjectStatus) {
		rows = append(rows, append([]string{indent + nameOf(o)}, columns(o)...))
		self := reconcile.StatusOwner{APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Metadata.Name}
		for _, part := range parts[inNamespace(self, o)] {
			row(indent+"  ", part)
		}
	}
	for _, o := range written {
		row("", o)
	}
	_, err := io.WriteString(t.W, printable.Table(rows))
	return err
}

// inNamespace tells owners of the same name in different namespaces apart.
func inNamespace(owner reconcile.StatusOwner, o reconcile.ObjectStatus) reconcile.StatusOwner {
	owner.Name = o.Metadata.Namespace + "/" + owner.Name
	return owner
}

func nameOf(o reconcile.ObjectStatus) string {
	return manifest.Key{Kind: o.Kind, Namespace: o.Metadata.Namespace, Name: o.Metadata.Name}.String()
}

func columns(o reconcile.ObjectStatus) []string {
	can, going := o.Status.Conditions[0], o.Status.Conditions[1]
	state, message := "in sync", ""
	switch {
	case going.Status == "True":
		state, message = going.Reason, going.Message
	case going.Reason != "Success":
		state, message = going.Reason, going.Message
	case can.Status != "True":
		state, message = can.Reason, can.Message
	case going.Message != "as the manifest says":
		message = going.Message
	case can.Message != "ready in the cloud":
		message = can.Message
	}
	id := o.Status.ID
	if id == "" {
		id = "-"
	}
	return []string{Clean(can.Status), Clean(state), Clean(id), Clean(message)}
}
