// Package confidential finds the secrets in manifests, and the public words in them. With both, a [redact.Redactor] removes the secrets
// from texts and leaves the public words. The package does not use plans or the cloud.
package confidential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Values yields the secrets of revisions. These are the data of objects, unless declared as public, the fields with the rule
// "secret", encrypted values, and secret values of the stack.
func Values(revisions ...[]kind.Desired) iter.Seq[string] { return yieldAll(revisions, secretsIn) }

// Words yields the public words about the objects of revisions, such as names of objects and fields.
func Words(revisions ...[]kind.Desired) iter.Seq[string] {
	return func(yield func(string) bool) {
		words := map[string]bool{}
		for d := range yieldAll(revisions, wordsIn) {
			words[d] = true
		}
		for _, want := range revisions {
			vocabulary(want, words)
		}
		for word := range words {
			if !yield(word) {
				return
			}
		}
	}
}

// Redactor returns a redactor that removes the secrets of revisions from texts. It collects the secrets when it gets the first text.
func Redactor(revisions ...[]kind.Desired) *redact.Redactor {
	return redact.New(Values(revisions...), Words(revisions...))
}

// RedactorOf returns a redactor that removes these secrets from texts, except public words.
func RedactorOf(secrets []string, public ...string) *redact.Redactor {
	return redact.New(slices.Values(secrets), slices.Values(public))
}

func yieldAll(revisions [][]kind.Desired, of func(*kind.Desired, func(string) bool) bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, want := range revisions {
			for i := range want {
				if !of(&want[i], yield) {
					return
				}
			}
		}
	}
}

// wordsIn yields the public words about an object.
func wordsIn(d *kind.Desired, yield func(string) bool) bool {
	if !yield(d.Key.Name) || !yield(d.Key.Namespace) || !yield(d.Key.Kind) {
		return false
	}
	for name := range d.Data {
		if !yield(name) {
			return false
		}
	}
	return true
}

// vocabulary adds the names of all fields in the specs of objects, and the values of fields with a fixed choice of values.
func vocabulary(want []kind.Desired, into map[string]bool) {
	seen := map[manifest.Type]bool{}
	for i := range want {
		t := specType(&want[i])
		if seen[t] {
			continue
		}
		seen[t] = true
		for word := range t.Words {
			into[word] = true
		}
	}
}

// specType returns the type of the object's spec. If a definition makes the kind, it returns the type of the whole document.
func specType(d *kind.Desired) manifest.Type {
	if _, defined := d.Spec.(manifest.Fields); defined {
		return d.Body
	}
	return manifest.TypeOf(reflect.TypeOf(d.Spec))
}

func secretsIn(d *kind.Desired, yield func(string) bool) bool {
	if !d.PublicData {
		for _, name := range slices.Sorted(maps.Keys(d.Data)) {
			if !yield(d.Data[name]) {
				return false
			}
		}
	}
	if d.Object != nil {
		for _, value := range d.Object.Secrets() {
			if !yield(value) {
				return false
			}
		}
	}
	for _, value := range Encrypted(d) {
		if !yield(value) {
			return false
		}
	}
	return d.Public || secretFields(reflect.ValueOf(d.Spec), false, yield)
}

// importPath is the field that names an existing object of the cloud.
const importPath = "spec.import"

// Encrypted returns the values of an object that are encrypted in the repository, as texts.
func Encrypted(d *kind.Desired) (values []string) {
	if len(d.Encrypted) == 0 {
		return nil
	}
	for name, text := range d.Data {
		if slices.ContainsFunc(d.Encrypted, func(field string) bool { return slices.Contains(manifest.Steps(field), name) }) {
			values = append(values, text)
		}
	}
	slices.Sort(values)
	add := func(field, text string) {
		if d.Encrypts(field) {
			values = append(values, text)
		}
	}
	Leaves(d.Spec, d.SpecPath, add)
	if d.Import != nil {
		Leaves(d.Import.Filter, importPath+".filter", add)
		add(importPath+".id", d.Import.ID)
	}
	return values
}

// Leaves visits the scalars of a spec in the order of their fields. The argument below is the path of the spec.
func Leaves(spec any, below string, visit func(field, text string)) {
	text, err := json.Marshal(spec)
	if err != nil || spec == nil {
		return
	}
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&tree) == nil {
		leaves(tree, below, visit)
	}
}

func leaves(tree any, at string, visit func(field, text string)) {
	switch node := tree.(type) {
	case nil:
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(node)) {
			leaves(node[name], manifest.Below(at, name), visit)
		}
	case []any:
		for i, item := range node {
			leaves(item, at+"["+strconv.Itoa(i)+"]", visit)
		}
	default:
		visit(at, fmt.Sprint(node))
	}
}

// secretFields yields the values with the rule "secret" in a spec, in the order
// of its fields.
func secretFields(v reflect.Value, secret bool, yield func(string) bool) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || secretFields(v.Elem(), secret, yield)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && !secretFields(v.Field(i), secret || manifest.HasOption(f.Tag.Get("rule"), "secret"), yield) {
				return false
			}
		}
		return true
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
			if !secretFields(v.MapIndex(key), secret, yield) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return !secret || yield(string(v.Bytes()))
		}
		for i := range v.Len() {
			if !secretFields(v.Index(i), secret, yield) {
				return false
			}
		}
		return true
	}
	return !secret || yield(fmt.Sprint(v))
}
