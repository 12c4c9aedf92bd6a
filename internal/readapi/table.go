package readapi

import (
	"encoding/json"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

func column(name string, wide int) map[string]any {
	return map[string]any{"name": name, "type": "string", "format": "", "description": name, "priority": wide}
}

var (
	objectColumns    = []any{column("Name", 0), column("State", 0), column("Available", 0), column("ID", 0), column("Addresses", 0), column("Written", 1), column("Message", 1)}
	stackColumns     = []any{column("Name", 0), column("State", 0), column("Commit", 0), column("Last-Run", 0), column("Message", 1)}
	eventColumns     = []any{column("Last-Seen", 0), column("Type", 0), column("Reason", 0), column("Object", 0), column("Message", 0), column("Count", 1)}
	planColumns      = []any{column("Name", 0), column("State", 0), column("Hash", 0), column("Summary", 0)}
	passColumns      = []any{column("Started", 0), column("Outcome", 0), column("Commit", 0), column("Did", 0), column("Count", 0), column("Message", 1)}
	namespaceColumns = []any{column("Name", 0)}
)

func columnsOf(gvk manifest.GroupVersionKind) []any {
	switch gvk {
	case stackGVK:
		return stackColumns
	case eventGVK:
		return eventColumns
	case planGVK:
		return planColumns
	case passGVK:
		return passColumns
	case namespaceGVK:
		return namespaceColumns
	}
	return objectColumns
}

// row is an item in a table. What kubectl prints besides the cells is in the object: all of it, or its metadata.
func (i item) row(whole bool) map[string]any {
	var object any = map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": metadata{
		Name: i.name, Namespace: i.namespace, Labels: i.labels, ResourceVersion: strconv.Itoa(i.version),
	}}
	if whole {
		object = json.RawMessage(i.text)
	}
	return map[string]any{"cells": i.cells, "object": object}
}

func table(columns []any, version int, rows ...any) map[string]any {
	if rows == nil {
		rows = []any{}
	}
	return map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "Table", "metadata": listMetadata(version), "columnDefinitions": columns, "rows": rows}
}

func listMetadata(version int) map[string]any {
	return map[string]any{"resourceVersion": strconv.Itoa(version)}
}
