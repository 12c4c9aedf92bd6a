package report

import (
	"maps"
	"slices"
	"strings"
)

// Identified is what an ID stands for, with the beginning of the ID.
func Identified(name, id string) string {
	if strings.HasSuffix(name, "/"+id) || strings.HasSuffix(name, " "+id) {
		return name
	}
	return name + " (" + ShortID(id) + ")"
}

// Identify puts names before the IDs within a text.
func Identify(text string, names map[string]string) string {
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if len(id) >= fullID && strings.Contains(text, id) {
			text = strings.ReplaceAll(text, id, Identified(names[id], id))
		}
	}
	return text
}

const fullID = 36 // the length of a UUID

// ShortID is an ID as people compare them.
func ShortID(id string) string {
	const digits = 8
	if len(id) == fullID {
		return id[:digits] + "…"
	}
	return id
}
