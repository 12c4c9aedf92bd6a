package reconcile

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// secretsOf knows what must not be shown of a stack: the data of Secrets, and of
// every kind that is not said to be public, and each field with the rule
// "secret". It is worked out when a text is first looked at.
func secretsOf(revisions ...[]Desired) *redact.Redactor {
	return redact.New(values(revisions, secretsIn), values(revisions, wordsIn))
}

func (e *Engine) secretsOf(want []Desired) *redact.Redactor {
	if e.Secrets == nil {
		return secretsOf(want)
	}
	return redact.New(func(yield func(string) bool) {
		for _, value := range e.Secrets() {
			if !yield(value) {
				return
			}
		}
		values([][]Desired{want}, secretsIn)(yield)
	}, values([][]Desired{want}, wordsIn))
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
	return yield(d.Key.Name) && yield(d.Key.Namespace) && yield(d.Key.Kind)
}

func secretsIn(d *Desired, yield func(string) bool) bool {
	if !d.public {
		for _, value := range d.Data {
			if !yield(value) {
				return false
			}
		}
	}
	return secretFields(reflect.ValueOf(d.Spec), false, yield)
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
			rules := strings.Split(f.Tag.Get("rule"), ",")
			if f.IsExported() && !secretFields(v.Field(i), secret || slices.Contains(rules, "secret"), yield) {
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

// Unquoted is an error that repeats what somebody else said, and can be told
// without that.
type Unquoted interface {
	error
	// Unquoted is the error in our own words.
	Unquoted() string
}

// hide redacts an error and keeps its class.
func hide(r *redact.Redactor, err error) error {
	if err == nil || r.Clean(err.Error()) && r.Clean(private.Text(err)) {
		return err
	}
	out := &redacted{text: errorText(r, err)}
	for _, class := range []error{ErrBusy, ErrNotYet, ErrRejected, ErrUsedUp, ErrGone, ErrNoService} {
		if errors.Is(err, class) {
			out.class = append(out.class, class)
		}
	}
	var later *RetryAfterError
	if errors.As(err, &later) {
		out.class = append(out.class, &RetryAfterError{After: later.After, Err: errors.New(errorText(r, later.Err))})
	}
	return out
}

// errorText is the text of an error that may be shown: of one that is withheld what
// we have to say ourselves.
func errorText(r *redact.Redactor, err error) string {
	text := r.Text(err.Error())
	if text != redact.Withheld && text != redact.TooMany {
		return text
	}
	var own Unquoted
	if errors.As(err, &own) {
		if said := own.Unquoted(); text == redact.TooMany || r.Clean(said) {
			return said + ": " + text
		}
	}
	return text
}

// redacted is an error of whose text something was taken out. Only its classes
// can be unwrapped, so that nothing brings the text back.
type redacted struct {
	text  string
	class []error
}

// Error implements error.
func (e *redacted) Error() string { return e.text }

// Unwrap gives the classes.
func (e *redacted) Unwrap() []error { return e.class }
