package report

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// fewest is the smallest number of objects with the same text that are shown together.
const fewest = 3

// placeholder replaces the name of each object if several objects are shown together. formerly replaces the earlier name of each object.
const (
	placeholder = "NAME"
	formerly    = "FORMER"
)

// Named reports whether a text contains the words of a placeholder. Then it cannot be shown together with another text, because a reader could not
// see which of the two is the placeholder.
func Named(text string) bool {
	return strings.Contains(text, placeholder) || strings.Contains(text, formerly)
}

// Alike makes a group of all elements with the same sign. A group has the place of its first element. A sign is the text of an element after
// [WithPlaceholder] has replaced its name. If the sign is "", or if fewer than three elements have it, each element is a group of one.
func Alike[T any](list []T, sign func(T) string) (out [][]T) {
	at := map[string][]int{}
	signs := make([]string, len(list))
	for i, one := range list {
		if signs[i] = sign(one); signs[i] == "" {
			signs[i] = fmt.Sprint(i) // unique
		} else {
			sum := sha256.Sum256([]byte(signs[i])) // the sum replaces the sign, which may be long
			signs[i] = string(sum[:])
		}
		at[signs[i]] = append(at[signs[i]], i)
	}
	for i, one := range list {
		same := at[signs[i]]
		switch {
		case len(same) < fewest:
			out = append(out, []T{one})
		case same[0] == i:
			var group []T
			for _, j := range same {
				group = append(group, list[j])
			}
			out = append(out, group)
		}
	}
	return out
}

// spoken is the text that people see instead of placeholder.
const spoken = "‹name›"

// WithoutPlaceholders replaces the placeholders in a text by words for people.
func WithoutPlaceholders(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, placeholder, spoken), formerly, "‹former name›")
}

// After says which objects must be deleted first. If several objects are shown together, and the name of a predecessor contains the placeholder,
// each object has its own predecessor of that kind.
func After(first []string, some func([]string) string) string {
	first, each := slices.Clone(first), ""
	for i, one := range first {
		if kind, name, _ := strings.Cut(one, "/"); strings.HasPrefix(name, placeholder) || strings.HasPrefix(name, spoken) {
			first[i], each = "its "+kind, "each "
		}
	}
	return each + "after " + some(slices.Compact(first))
}

// WithPlaceholder replaces a name by the placeholder if the name is a whole word, or the part of a word before a hyphen.
func WithPlaceholder(text, name string) string { return replaceName(text, name, placeholder) }

// WithPlaceholders also replaces the former name of an object by a placeholder. The argument former is "" if the object had no other name.
func WithPlaceholders(text, name, former string) string {
	return replaceName(WithPlaceholder(text, name), former, formerly)
}

func replaceName(text, name, placeholder string) string {
	if name == "" {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return b.String() + text
		}
		end := i + len(name)
		before, after := i > 0 && partOfName(text[i-1]), end < len(text) && partOfName(text[end]) && text[end] != '-'
		b.WriteString(text[:i])
		if before || after {
			b.WriteString(name)
		} else {
			b.WriteString(placeholder)
		}
		text = text[end:]
		if before || after { // the rest of this word belongs to another name
			n := 0
			for n < len(text) && partOfName(text[n]) {
				n++
			}
			b.WriteString(text[:n])
			text = text[n:]
		}
	}
}

func partOfName(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
