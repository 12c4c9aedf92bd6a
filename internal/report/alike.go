package report

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// fewest is how many equal objects are described together.
const fewest = 3

// placeholder stands for the name of each of several objects. formerly stands for the name that each had before.
const (
	placeholder = "NAME"
	formerly    = "FORMER"
)

// Named reports whether a text contains a placeholder by itself, so that it cannot be joined with another.
func Named(text string) bool {
	return strings.Contains(text, placeholder) || strings.Contains(text, formerly)
}

// Alike groups the elements with the same sign, at the place of the first. A sign is the text of an element, with its name replaced by
// [Standing]. An element with the sign "", or of a group smaller than three, stays alone.
func Alike[T any](list []T, sign func(T) string) (out [][]T) {
	at := map[string][]int{}
	signs := make([]string, len(list))
	for i, one := range list {
		if signs[i] = sign(one); signs[i] == "" {
			signs[i] = fmt.Sprint(i) // unique
		} else {
			sum := sha256.Sum256([]byte(signs[i])) // it may be long
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

// spoken replaces the placeholder in text for people.
const spoken = "‹name›"

// Spoken rewrites a text with placeholders for people.
func Spoken(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, placeholder, spoken), formerly, "‹former name›")
}

// After says which objects have to go first. Of several objects together, an object with the placeholder in its name is the predecessor of each.
func After(first []string, some func([]string) string) string {
	first, each := slices.Clone(first), ""
	for i, one := range first {
		if kind, name, _ := strings.Cut(one, "/"); strings.HasPrefix(name, placeholder) || strings.HasPrefix(name, spoken) {
			first[i], each = "its "+kind, "each "
		}
	}
	return each + "after " + some(slices.Compact(first))
}

// Standing replaces a name by a placeholder wherever it is a word of its own, or the beginning of one before a hyphen.
func Standing(text, name string) string { return standingAs(text, name, placeholder) }

// StandingBoth is Standing for an object that had another name before; "" for none.
func StandingBoth(text, name, former string) string {
	return standingAs(Standing(text, name), former, formerly)
}

func standingAs(text, name, placeholder string) string {
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
