// Package takeover reads which objects of a cloud other tools manage, and under which names. It reads
// Terraform's states, and lists of the resources of Heat's stacks.
//
// It uses only names and IDs from these files, because all other properties of the objects are read from the
// cloud. So other contents, such as passwords, are not used anywhere.
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

// Most is the maximum number of bytes that are read. A state of 2,000 machines has about 20 MB.
const Most = 64 << 20

// These are limits for a text. A larger text is a mistake or an attack.
const (
	maxObjects = 100_000
	maxText    = 32 << 20 // bytes of addresses and names
	longestID  = 1024     // bytes; the ID of a role assignment consists of five
)

// Declared is one resource of another tool.
type Declared struct {
	// Address is its name in the tool: module.net["a"].openstack_networking_port_v2.web[0].
	Address string
	// Name is the wanted name of its manifest. It need not be valid or unique.
	Name string
	// Kind and ID are those of the object in the cloud. If the object's ID is a path, ID may be its last part. If
	// the tool does not know the ID, Uses contains the IDs of all objects on which the object depends.
	Kind, ID string
	Uses     []string
	// Part is true for a part of that object, such as a rule of a security group.
	Part bool
	// Stays is the reason why the resource stays with the tool. It is "" if there is an object to adopt.
	Stays string

	resource string // the address of all its instances
	group    bool   // in Heat: the resource only contains other resources
}

// text is a string of JSON. Any other value becomes "", and so does a string that is too long for a name or an
// ID.
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

// each parses an array, and calls one for each element. It does not store the elements.
func each[T any](encoded []byte, one func(at int, element *T) error) error {
	if len(encoded) == 0 || string(encoded) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(encoded))
	if token, err := d.Token(); err != nil || token != json.Delim('[') {
		return errors.New("a list is expected")
	}
	for i := 0; d.More(); i++ {
		if i == maxObjects {
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

func tooMany() error { return fmt.Errorf("there are more than %d resources", maxObjects) }

// wrongShape returns a decoding error without the value, which may be secret.
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

// check refuses a text that none of these tools can have written.
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
