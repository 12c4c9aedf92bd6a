package report

import (
	"maps"
	"slices"
	"strings"
)

// Identified returns a name, followed by the beginning of the object's ID.
func Identified(name, id string) string {
	if strings.HasSuffix(name, "/"+id) || strings.HasSuffix(name, " "+id) {
		return name
	}
	return name + " (" + ShortID(id) + ")"
}

// Identify writes the name of an object before its ID, for all IDs in a text.
func Identify(text string, names map[string]string) string {
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if len(id) >= fullID && strings.Contains(text, id) {
			text = strings.ReplaceAll(text, id, Identified(names[id], id))
		}
	}
	return text
}

const fullID = 36 // the length of a UUID

// ShortID returns the first digits of an ID, which people compare.
func ShortID(id string) string {
	const digits = 8
	if len(id) == fullID {
		return id[:digits] + "…"
	}
	return id
}
