package document

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// sealed stands for a secret value. Equal secrets have equal seals. Nothing else can be found out from a seal.
type sealed [sha256.Size]byte

// Tree returns a value as the tree of its JSON, with unchanged numbers. It returns nil if the value has no JSON.
func Tree(v any) any {
	tree, err := treeOf(v)
	if err != nil {
		return nil
	}
	return tree
}

func treeOf(v any) (tree any, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if text[0] == '"' { // most values; a decoder would take a kilobyte for each
		var str string
		err = json.Unmarshal(text, &str)
		return str, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&tree)
	return tree, err
}

// read reads a document into the maps, lists and scalars of its type, with the
// values under the rule "secret" sealed.
func read(object *manifest.Object, body manifest.Type) map[string]any {
	value, _ := object.Read(body) // an error is impossible, because the object was decoded before
	encrypted := object.Plain()
	object.Release()
	tree, _ := Tree(value).(map[string]any)
	if tree == nil {
		tree = map[string]any{}
	}
	sealSecrets(tree, body.Go())
	for i, field := range object.Encrypted() {
		sealAt(tree, manifest.Steps(field), encrypted[i])
	}
	return tree
}

// sealAt seals the value at a path. If the value was not decrypted, its encrypted text is sealed in its place. It returns the
// new tree.
func sealAt(tree any, path []string, value string) any {
	if len(path) == 0 {
		return sealed(sha256.Sum256([]byte(value)))
	}
	switch node := tree.(type) {
	case map[string]any:
		node[path[0]] = sealAt(node[path[0]], path[1:], value)
		return node
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(node) {
			node[i] = sealAt(node[i], path[1:], value)
		}
		return node
	case nil:
		return map[string]any{path[0]: sealAt(nil, path[1:], value)}
	}
	return sealed(sha256.Sum256([]byte(value))) // the value is a part of a text
}

// sealedTree returns a value as a tree, with its secrets sealed.
func sealedTree(v any) any {
	tree := Tree(v)
	sealSecrets(tree, reflect.TypeOf(v))
	return tree
}

// sealSecrets replaces the secrets in a tree, without copying it. The argument of is the Go type of the tree; nil means that there are no secrets.
func sealSecrets(tree any, of reflect.Type) {
	if of == nil {
		return
	}
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Array {
		of = of.Elem()
	}
	switch node := tree.(type) {
	case []any:
		for _, item := range node {
			sealSecrets(item, of)
		}
	case map[string]any:
		switch of.Kind() {
		case reflect.Struct:
			sealFields(node, of)
		case reflect.Map:
			for _, value := range node {
				sealSecrets(value, of.Elem())
			}
		}
	}
}

func sealFields(node map[string]any, of reflect.Type) {
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch value, given := node[name]; {
		case f.Anonymous && name == "":
			sealSecrets(node, f.Type)
		case !given:
		case manifest.HasOption(f.Tag.Get("rule"), "secret"):
			node[name] = sealAll(value)
		default:
			sealSecrets(value, f.Type)
		}
	}
}

// sealAll seals a value. It does not change the keys of a map.
func sealAll(value any) any {
	if m, ok := value.(map[string]any); ok {
		for key, inner := range m {
			m[key] = sealAll(inner)
		}
		return m
	}
	return sealed(sha256.Sum256([]byte(resolve.Canonical(value))))
}
