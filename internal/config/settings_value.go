package config

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// count converts a text to a number if it is one.
func count(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}

func asMap(spec Spec) (map[string]any, error) {
	encoded, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("encode the stack: %w", err)
	}
	m := map[string]any{}
	return m, json.Unmarshal(encoded, &m)
}

func put(m map[string]any, path []string, value any) {
	for _, step := range path[:len(path)-1] {
		next, ok := m[step].(map[string]any)
		if !ok {
			next = map[string]any{}
			m[step] = next
		}
		m = next
	}
	m[path[len(path)-1]] = value
}
