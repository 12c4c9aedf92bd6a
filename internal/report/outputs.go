package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Outputs are the values of one object that scripts read: its ID, its addresses, the fields that the cloud reports, and the fields that a
// workload kind adds. Secrets are not among them, because a status has none.
type Outputs struct {
	Object string // Kind/name
	Fields map[string]any
}

// planFields are the fields of a status that say how the object is compared, and not what it is.
var planFields = []string{"state", "sync", "health", "waitsFor", "message", "action", "drift", "changedBy", "surplus", "ready", "changes", "leftAlone",
	"names", "notes", "origin", "lastChange", "conditions"}

// OutputsOf returns the values of an object, as JSON has them.
func OutputsOf(o status.Object) (Outputs, error) {
	out := Outputs{Object: nameOf(o)}
	text, err := json.Marshal(o.Status)
	if err != nil {
		return out, fmt.Errorf("encode: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&out.Fields); err != nil {
		return out, fmt.Errorf("decode: %w", err)
	}
	for _, name := range planFields {
		delete(out.Fields, name)
	}
	return out, nil
}

// Find returns the value of a field. The path consists of names and of indexes that begin at 0, as in addresses.0 or resource.fixedIPs.0.ip.
func (o Outputs) Find(path string) (any, bool) {
	var at any = o.Fields
	for _, name := range strings.Split(path, ".") {
		switch within := at.(type) {
		case map[string]any:
			at = within[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(within) {
				return nil, false
			}
			at = within[i]
		default:
			return nil, false
		}
	}
	return at, at != nil
}

// Output is one value, with the object and the path of its field.
type Output struct{ Object, Field, Value string }

// List returns the single values of the object, in the order of their paths. Fields with redacted parts are left out.
func (o Outputs) List() (list []Output) {
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.SortedFunc(maps.Keys(v), natural.Compare) {
				walk(strings.TrimPrefix(path+"."+name, "."), v[name])
			}
		case []any:
			for i, item := range v {
				walk(path+"."+strconv.Itoa(i), item)
			}
		case nil:
		default:
			if text := fmt.Sprint(v); !redact.In(text) {
				list = append(list, Output{o.Object, path, text})
			}
		}
	}
	walk("", o.Fields)
	return list
}

// OutputText writes a value for scripts: a text as it is, each element of a list on a line of its own, and anything else as JSON.
func OutputText(w io.Writer, v any) error {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			encoded, err := json.Marshal(item)
			if err != nil {
				return fmt.Errorf("encode: %w", err)
			}
			text = string(encoded)
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// variablePrefix begins the names of all variables, so that no name in a repository makes a variable that a program obeys.
const variablePrefix = "OUT_"

// Variable returns the name of the shell variable for the value, as in OUT_SERVER_WEB_1_ID.
func (o Output) Variable() string {
	return variablePrefix + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, o.Object+"_"+o.Field)
}

// OutputEnv writes values as assignments that a POSIX shell can evaluate. It refuses values whose variables have the same name, and values
// with control characters.
func OutputEnv(w io.Writer, list []Output) error {
	from := map[string]Output{}
	var b strings.Builder
	var problems []error
	for _, o := range list {
		name := o.Variable()
		if other, taken := from[name]; taken {
			problems = append(problems, fmt.Errorf("%s %s and %s %s would have the same variable %s; ask for one of them, or use -o json", other.Object, other.Field, o.Object, o.Field, name))
			continue
		}
		if printable.Line(o.Value) != o.Value {
			problems = append(problems, fmt.Errorf("%s %s has characters that no variable should have; use -o json", o.Object, o.Field))
			continue
		}
		from[name] = o
		fmt.Fprintf(&b, "%s='%s'\n", name, strings.ReplaceAll(o.Value, "'", `'\''`))
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
