// Package takeover reads which objects of a cloud other tools manage, and what they call them:
// Terraform's states, and lists of the resources of Heat's stacks.
//
// It takes no more from there than names and IDs: what the objects are like is read in the
// cloud. So nothing that these texts hold besides, such as passwords, goes any further.
package takeover

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// Most is how many bytes of a text are read. A state of 2,000 machines has some 20 MB.
const Most = 64 << 20

// What a text may hold: more is a mistake or an attack.
const (
	mostObjects = 100_000
	mostText    = 32 << 20 // bytes of addresses and names
	longestID   = 1024     // bytes; that of a role assignment consists of five
)

// Declared is one resource of another tool.
type Declared struct {
	// Address is how the tool calls it: module.net["a"].openstack_networking_port_v2.web[0].
	Address string
	// Name is what its manifest is to be called like. It need not be a valid name, or unique.
	Name string
	// Kind and ID are those of the object in the cloud. Where that is a path, ID may be the last
	// part of it. Where the tool does not know the ID, Uses are those of all that the object depends on.
	Kind, ID string
	Uses     []string
	// Part is true for a part of that object, such as a rule of a security group.
	Part bool
	// Stays says why the resource stays with the tool; "" where there is an object to adopt.
	Stays string

	resource string // the address of all its instances
	group    bool   // Heat's: it only holds other resources
}

// text is a string of JSON. What is no string, or too long to be a name or an ID, is "".
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(encoded []byte) error {
	var s string
	if len(encoded) > 6*longestID || encoded[0] != '"' || json.Unmarshal(encoded, &s) != nil || len(s) > longestID {
		s = ""
	}
	*t = text(s)
	return nil
}

// each reads an array, an element at a time: what is not taken out of an element is not kept.
func each[T any](encoded []byte, one func(at int, element *T) error) error {
	if len(encoded) == 0 || string(encoded) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(encoded))
	if token, err := d.Token(); err != nil || token != json.Delim('[') {
		return errors.New("a list is expected")
	}
	for i := 0; d.More(); i++ {
		if i == mostObjects {
			return tooMany()
		}
		var element T
		if err := d.Decode(&element); err != nil {
			return fmt.Errorf("element %d: %w", i+1, wrongShape(err))
		}
		if err := one(i, &element); err != nil {
			return err
		}
	}
	return nil
}

func tooMany() error { return fmt.Errorf("there are more than %d resources", mostObjects) }

// wrongShape is an error of decoding without the value that it is about, which may be secret.
func wrongShape(err error) error {
	if typed := (*json.UnmarshalTypeError)(nil); errors.As(err, &typed) {
		kind, _, _ := strings.Cut(typed.Value, " ")
		return fmt.Errorf("%s cannot be of type %s", cmp.Or(printable.Clip(typed.Field, 100), "the value"), kind)
	}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Errorf("no valid JSON at byte %d", syntax.Offset)
	}
	return err
}

// check refuses what no tool that is meant here has written.
func check(encoded []byte) error {
	switch {
	case len(bytes.TrimSpace(encoded)) == 0:
		return errors.New("it is empty")
	case len(encoded) > Most:
		return fmt.Errorf("it is larger than %d MiB", Most>>20)
	case !utf8.Valid(encoded):
		return errors.New("it is not UTF-8")
	}
	return nil
}

// usable reports whether a text can be the ID of an object.
func usable(id string) bool {
	return id != "" && len(id) <= longestID && printable.Line(id) == id
}

func sorted(list []Declared) []Declared {
	slices.SortStableFunc(list, func(a, b Declared) int { return cmp.Compare(a.Address, b.Address) })
	return list
}
