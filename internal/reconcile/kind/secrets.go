package kind

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/redact"
)

// Secrets yields what must not be shown of revisions: the data of Secrets, and of
// every kind that is not said to be public, and each field with the rule "secret".
func Secrets(revisions ...[]Desired) iter.Seq[string] { return values(revisions, secretsIn) }

// Words yields what everybody knows of the objects of revisions.
func Words(revisions ...[]Desired) iter.Seq[string] {
	return func(yield func(string) bool) {
		words := map[string]bool{}
		for d := range values(revisions, wordsIn) {
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

// Redactor takes the secrets of revisions out of texts. It is worked out when a
// text is first looked at.
func Redactor(revisions ...[]Desired) *redact.Redactor {
	return redact.New(Secrets(revisions...), Words(revisions...))
}

func values(revisions [][]Desired, of func(*Desired, func(string) bool) bool) iter.Seq[string] {
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

// wordsIn yields what everybody knows of an object.
func wordsIn(d *Desired, yield func(string) bool) bool {
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

func secretsIn(d *Desired, yield func(string) bool) bool {
	if !d.PublicData {
		for _, value := range d.Data {
			if !yield(value) {
				return false
			}
		}
	}
	return d.Public || secretFields(reflect.ValueOf(d.Spec), false, yield)
}

// HasOption reports whether a list in a struct tag, which commas separate, has an option.
func HasOption(list, option string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one == option {
			return true
		}
	}
	return false
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
			if f.IsExported() && !secretFields(v.Field(i), secret || HasOption(f.Tag.Get("rule"), "secret"), yield) {
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
