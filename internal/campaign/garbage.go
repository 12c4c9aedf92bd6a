package campaign

import "encoding/json"

// wrongTypes returns a JSON text of the same shape, in which texts are numbers, numbers are texts, lists are objects and objects in lists are
// lists. The outermost two levels stay, so that the reader finds its fields.
func wrongTypes(text []byte) []byte { return remade(text, 0, swapped) }

// nulls returns a JSON text in which every value below the outermost object is null.
func nulls(text []byte) []byte { return remade(text, 0, func(any) any { return nil }) }

func remade(text []byte, depth int, swap func(any) any) []byte {
	var whole any
	if json.Unmarshal(text, &whole) != nil {
		return []byte("null")
	}
	out, err := json.Marshal(below(whole, depth, swap))
	if err != nil {
		return []byte("null")
	}
	return out
}

func below(v any, depth int, swap func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range v {
			out[name] = below(inner, depth+1, swap)
		}
		return out
	case []any:
		if depth > 1 {
			return swap(v)
		}
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = below(inner, depth+1, swap)
		}
		return out
	default:
		return swap(v)
	}
}

func swapped(v any) any {
	switch v.(type) {
	case string:
		return 7
	case float64:
		return "seven"
	case bool:
		return []any{}
	case nil:
		return map[string]any{"a": 1}
	default:
		return "a list"
	}
}
