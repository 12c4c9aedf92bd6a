package report

import (
	"maps"
	"slices"
	"strings"
)

// Identified is a name, followed by the beginning of the ID that it belongs to.
func Identified(name, id string) string {
	if strings.HasSuffix(name, "/"+id) || strings.HasSuffix(name, " "+id) {
		return name
	}
	return name + " (" + ShortID(id) + ")"
}

// Identify puts names before the IDs in a text.
func Identify(text string, names map[string]string) string {
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if len(id) >= fullID && strings.Contains(text, id) {
			text = strings.ReplaceAll(text, id, Identified(names[id], id))
		}
	}
	return text
}

const fullID = 36 // the length of a UUID

// ShortID is an ID cut to the digits that people compare.
func ShortID(id string) string {
	const digits = 8
	if len(id) == fullID {
		return id[:digits] + "…"
	}
	return id
}
