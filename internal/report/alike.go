package report

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// fewest is how many equal objects are said together.
const fewest = 3

// placeholder stands for the name of each of several objects.
const placeholder = "NAME"

// Named reports whether the placeholder stands in a text anyway, so that the text is to
// be joined with no other.
func Named(text string) bool { return strings.Contains(text, placeholder) }

// Alike puts together what has one sign, which is all that is read of it with
// [Standing] for its name, in the place of the first; what has the sign "", or is one
// of too few, stays alone.
func Alike[T any](list []T, sign func(T) string) (out [][]T) {
	at := map[string][]int{}
	signs := make([]string, len(list))
	for i, one := range list {
		if signs[i] = sign(one); signs[i] == "" {
			signs[i] = fmt.Sprint(i) // like no other
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

// Standing is text with a placeholder wherever a name, or one that begins with it
// and a hyphen, stands as a word of its own.
func Standing(text, name string) string {
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
		if before || after { // the rest of this word is of another name
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
