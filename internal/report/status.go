package report

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"

	"sigs.k8s.io/yaml"

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

// YAML writes v with the field names of its JSON.
func YAML(w io.Writer, v any) error {
	text, err := yaml.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err = w.Write(text)
	return err
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
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "OBJECT\tAVAILABLE\tSTATE\tID\tMESSAGE")
	var row func(indent string, o reconcile.ObjectStatus)
	row = func(indent string, o reconcile.ObjectStatus) {
		fmt.Fprintf(table, "%s%s\t%s\n", indent, Clean(nameOf(o)), columns(o))
		self := reconcile.StatusOwner{APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Metadata.Name}
		for _, part := range parts[inNamespace(self, o)] {
			row(indent+"  ", part)
		}
	}
	for _, o := range written {
		row("", o)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := t.W.Write(b.Bytes())
	return err
}

// inNamespace tells owners of the same name in different namespaces apart.
func inNamespace(owner reconcile.StatusOwner, o reconcile.ObjectStatus) reconcile.StatusOwner {
	owner.Name = o.Metadata.Namespace + "/" + owner.Name
	return owner
}

func nameOf(o reconcile.ObjectStatus) string {
	if ns := o.Metadata.Namespace; ns != "" && ns != "default" {
		return o.Kind + "/" + ns + "/" + o.Metadata.Name
	}
	return o.Kind + "/" + o.Metadata.Name
}

func columns(o reconcile.ObjectStatus) string {
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
	return Clean(can.Status) + "\t" + state + "\t" + Clean(id) + "\t" + Clean(message)
}
