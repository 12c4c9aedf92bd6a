package redact

import (
	"strings"
	"unicode"
)

const (
	longestNumber = 9  // the maximum number of digits in a number that people write
	longestWord   = 23 // the maximum number of letters in a word of one case
)

// random reports whether a word looks randomly generated, and not like a word, a name, a version, an address or
// a number.
func random(word string) bool {
	if len(word) < gram {
		return false
	}
	changes := 0
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		n := classChanges(part)
		if changes += n; randomPart(part, n) {
			return true
		}
	}
	return changes >= 3 && len(word) >= 8
}

// randomPart checks consecutive letters and digits. changes is the number of changes between letters and digits.
func randomPart(part string, changes int) bool {
	digits := strings.IndexFunc(part, unicode.IsDigit) >= 0
	letters := strings.IndexFunc(part, unicode.IsLetter) >= 0
	switch {
	case digits && letters:
		end := len(strings.TrimRight(part, "0123456789"))
		named := changes == 1 && end >= 3 && len(part)-end <= 4 // ubuntu2204
		return len(part) >= gram && !named
	case digits:
		return len(part) > longestNumber
	}
	humps := humpsOf(part)
	return len(part) >= 8 && 2*len(part) < 5*humps || len(part)/max(1, humps) > longestWord
}

func classChanges(part string) (n int) {
	was := 0
	for _, r := range part {
		is := 1
		if unicode.IsDigit(r) {
			is = 2
		}
		if was != 0 && is != was {
			n++
		}
		was = is
	}
	return n
}

// humpsOf returns the number of words in an identifier such as projectID.
func humpsOf(part string) int {
	n, upper := 1, true
	for _, r := range part {
		is := unicode.IsUpper(r)
		if is && !upper {
			n++
		}
		upper = is
	}
	return n
}

// mixed reports whether a word has letters, digits and at least two kinds of other characters. Only
// passwords have all of these.
func mixed(word string) bool {
	if len(word) < gram || strings.Contains(word, "://") || strings.IndexFunc(word, unicode.IsDigit) < 0 || strings.IndexFunc(word, unicode.IsLetter) < 0 {
		return false
	}
	odd := 0
	for _, c := range `!@#$%^&*+~?<>"|\` {
		if strings.ContainsRune(strings.Trim(word, "()[]{}$"), c) {
			odd++
		}
	}
	return odd >= 2
}
