package redact

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"unicode"
)

// structured reports whether a secret has an inner structure: a configuration file, a script, JSON.
// Only some words of such a text are secret.
func structured(value string) bool {
	value = strings.TrimSpace(value)
	return strings.ContainsAny(value, "\n\r") || isJSON(value)
}

func isJSON(value string) bool {
	return strings.HasPrefix(value, "{") && json.Valid([]byte(value))
}

// parts yields the secret parts of a structured text:
//
//	the value of a key with the name of a secret         password: x, token = x, --api-key x
//	the block below such a key                           private_key: |
//	the password in an address                           postgres://app:x@db
//	a line that consists of one word
//	a word that looks random                             see [random]
func parts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if trimmed := strings.TrimSpace(text); isJSON(trimmed) {
			var tree any
			if json.Unmarshal([]byte(trimmed), &tree) == nil {
				inTree(tree, "", yield)
				return
			}
		}
		below := -1 // the indent of a key whose value is the block below it; -1 if there is none
		for line := range strings.Lines(text) {
			indent := len(line) - len(strings.TrimLeft(line, " \t"))
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			if below >= 0 && indent > below {
				if !yield(line) {
					return
				}
				continue
			}
			below = -1
			if name, value, _ := strings.Cut(line, ":"); secretName(name) && strings.Trim(value, " |>-+") == "" {
				below = indent
			}
			if !inLine(line, yield) {
				return
			}
		}
	}
}

// inTree yields the secrets of a JSON document. name is the key to which the tree belongs.
func inTree(tree any, name string, yield func(string) bool) bool {
	switch tree := tree.(type) {
	case string:
		switch {
		case secretName(name):
			return yield(tree)
		case strings.Contains(tree, "\n") || isJSON(tree):
			for part := range parts(tree) {
				if !yield(part) {
					return false
				}
			}
			return true
		}
		return identifies(name, tree) || inWords(strings.Fields(tree), yield)
	case []any:
		for _, item := range tree {
			if !inTree(item, name, yield) {
				return false
			}
		}
	case map[string]any:
		for key, item := range tree {
			if secretName(name) {
				key = name
			}
			if !inTree(item, key, yield) {
				return false
			}
		}
	}
	return true
}

// spaced changes assignments with blanks into the form of assignments without blanks.
var spaced = strings.NewReplacer(" = ", "= ", " : ", ": ", " := ", "= ")

// inLine yields the secrets of a line of a text.
func inLine(line string, yield func(string) bool) bool {
	words := strings.Fields(spaced.Replace(line))
	if len(words) == 1 && standsAlone(line) && !yield(line) {
		return false
	}
	for i, word := range words {
		name, value, assigned := cutName(word)
		option := strings.HasPrefix(word, "--") && !assigned
		if option {
			name, assigned = word, true
		}
		if !assigned {
			continue
		}
		rest := slices.Clone(words[i+1:])
		switch {
		case identifies(name, value), value == "" && len(rest) > 0 && identifies(name, rest[0]):
			words[i] = ""
			if value == "" {
				words[i+1] = ""
			}
		case !secretName(name):
		case value != "":
			if !yield(unquoted(value)) {
				return false
			}
		case len(rest) > 0 && (option || i > 0 && len(rest) > 1):
			if !yield(unquoted(rest[0])) {
				return false
			}
		default:
			if !yield(unquoted(strings.Join(rest, " "))) {
				return false
			}
		}
	}
	return inWords(words, yield)
}

// cutName splits name=value and name:value. It does not split an address.
func cutName(word string) (name, value string, ok bool) {
	i := strings.IndexAny(word, "=:")
	if i <= 0 || strings.HasPrefix(word[i:], "://") {
		return "", "", false
	}
	return word[:i], word[i+1:], true
}

func unquoted(text string) string { return strings.Trim(text, `"'`+"`,;") }

func inWords(words []string, yield func(string) bool) bool {
	for _, word := range words {
		if _, address, ok := strings.Cut(word, "://"); ok {
			if login, _, ok := strings.Cut(address, "@"); ok {
				if _, password, ok := strings.Cut(login, ":"); ok && !yield(password) {
					return false
				}
			}
		}
		if mixed(unquoted(word)) && !yield(unquoted(word)) {
			return false
		}
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return strings.ContainsRune("/?&=,:;|()[]{}<>\"'`", r) }) {
			if random(part) && !yield(part) {
				return false
			}
		}
	}
	return true
}

// standsAlone reports whether a word that is the only word of its line may be a value.
func standsAlone(word string) bool {
	if strings.ContainsAny(word[:1], "#[]{}<>-(\"'") || strings.HasSuffix(word, ":") || strings.Contains(word, "://") {
		return false
	}
	if _, _, assigned := cutName(word); assigned {
		return false
	}
	_, plain := plainWords[strings.ToLower(strings.Trim(word, "._-;"))]
	return !plain && (len(word) >= gram || strings.ContainsAny(word, "0123456789"))
}

// bare returns a name in lower case, without the characters that separate its words.
func bare(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name))
}

// secretName reports whether a key with this name contains a secret.
func secretName(name string) bool {
	name = bare(name)
	for _, end := range []string{"name", "file", "path", "ref", "url", "uri", "type", "length", "policy", "id", "public"} {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	for _, word := range []string{"password", "passwd", "passwort", "pwd", "passphrase", "secret", "token", "credential", "apikey", "accesskey", "privatekey", "authorization"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return name == "pass" || name == "auth" || name == "pin" || strings.HasSuffix(name, "key") && name != "key" && !strings.Contains(name, "public")
}

// identifies reports whether the value of a key is an identifier. An identifier is not a secret.
func identifies(name, value string) bool {
	name, value = bare(name), bare(unquoted(value))
	return strings.HasSuffix(name, "id") && len(value) == 32 && strings.Trim(value, "0123456789abcdef") == ""
}
