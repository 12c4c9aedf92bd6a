package readapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
)

func column(name string, wide int) map[string]any {
	return map[string]any{"name": name, "type": "string", "format": "", "description": name, "priority": wide}
}

// nameColumn returns the column for names. If kubectl shows several kinds, it writes the kind before each name.
func nameColumn(wide int) map[string]any {
	c := column("Name", wide)
	c["format"] = "name"
	return c
}

// objectColumns are the columns of all kinds that have manifests. The constants below are their indexes.
var objectColumns = []any{nameColumn(0), column("Ready", 0), column("State", 0), column("Addresses", 0), column("Age", 0), column("ID", 1), column("Written", 1), column("Message", 1)}

const (
	nameCell = iota
	readyCell
	stateCell
	addressesCell
	ageCell
	idCell
	writtenCell
	messageCell
)

// row returns the row of an item in a table. kubectl reads the remaining data from the object. whole selects the whole object; otherwise, the
// row contains only its metadata.
func (i item) row(whole bool, now time.Time) map[string]any {
	var object any = map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": i.metadata(i.version)}
	if whole {
		object = json.RawMessage(i.text)
	}
	cells := i.cells
	if !isOwn(i.gvk) && len(cells) > ageCell {
		cells = slices.Clone(cells)
		cells[ageCell] = age(i.created, now)
	}
	return map[string]any{"cells": cells, "object": object}
}

// age returns the age of an object in kubectl's format. The older the object is, the less precise is the text.
func age(created string, now time.Time) string {
	since, err := time.Parse(time.RFC3339, created)
	if err != nil {
		return "<unknown>"
	}
	old := max(now.Sub(since), 0)
	days := int(old / (24 * time.Hour))
	of := func(n int, unit string, rest int, part string) string {
		if rest == 0 {
			return fmt.Sprintf("%d%s", n, unit)
		}
		return fmt.Sprintf("%d%s%d%s", n, unit, rest, part)
	}
	seconds, minutes, hours := int(old.Seconds()), int(old.Minutes()), int(old.Hours())
	switch {
	case seconds < 120:
		return of(seconds, "s", 0, "")
	case minutes < 10:
		return of(minutes, "m", seconds%60, "s")
	case hours < 3:
		return of(minutes, "m", 0, "")
	case hours < 8:
		return of(hours, "h", minutes%60, "m")
	case hours < 48:
		return of(hours, "h", 0, "")
	case days < 8:
		return of(days, "d", hours%24, "h")
	case days < 2*365:
		return of(days, "d", 0, "")
	case days < 8*365:
		return of(days/365, "y", days%365, "d")
	}
	return of(days/365, "y", 0, "")
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
