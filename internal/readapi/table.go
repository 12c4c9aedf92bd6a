package readapi

import (
	"encoding/json"
	"strconv"
)

func column(name string, wide int) map[string]any {
	return map[string]any{"name": name, "type": "string", "format": "", "description": name, "priority": wide}
}

// objectColumns are those of every kind that manifests are of.
var objectColumns = []any{column("Name", 0), column("State", 0), column("Available", 0), column("ID", 0), column("Addresses", 0), column("Written", 1), column("Message", 1)}

// row is an item in a table. What kubectl prints besides the cells is in the object: all of it, or its metadata.
func (i item) row(whole bool) map[string]any {
	var object any = map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": i.metadata(i.version)}
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
