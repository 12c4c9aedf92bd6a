package manifest

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/sops"
)

// leadingZero matches a number that YAML 1.1 reads as octal and YAML 1.2 as decimal.
var leadingZero = pattern.Of(`^[-+]?0[0-9_]+$`)

func (d *decoder) scalar(n *yaml.Node, s spot, v reflect.Value) {
	shape := shapeOf(v.Type())
	if n.Kind != yaml.ScalarNode {
		d.wants(s, wantedName(shape), n, "")
		return
	}
	switch shape {
	case stringShape, textual, bytesShape:
		d.text(n, s, v, shape)
	case boolShape:
		if typeOf(n) != tagBool {
			d.wants(s, "a boolean", n, boolFix(n.Value))
			return
		}
		v.SetBool(parseBool(n.Value))
	case intShape, uintShape:
		d.integer(n, s, v, shape == uintShape)
	case floatShape:
		f, ok := d.float(n, s)
		if !ok {
			return
		}
		if v.OverflowFloat(f) {
			d.wrong(s, "the number is too large", "")
			return
		}
		v.SetFloat(f)
		what, fix := s.rules.size(f, n.Value)
		d.wrong(s, what, fix)
	}
}

func (d *decoder) text(n *yaml.Node, s spot, v reflect.Value, shape shape) {
	if t := typeOf(n); t != tagString {
		fix := "quote it"
		if !s.rules.secret {
			fix += ": " + quote(n.Value)
		}
		d.wants(s, "a string", n, fix)
		return
	}
	what, fix := s.rules.text(n.Value)
	d.wrong(s, what, fix)
	switch shape {
	case textual:
		d.textual(n, s, v)
	case bytesShape:
		wrong, fix := checkBase64(n.Value)
		if wrong != "" {
			d.wrong(s, "the value "+wrong, fix)
			return
		}
		value, _ := base64.StdEncoding.DecodeString(n.Value)
		v.SetBytes(value)
	default:
		v.SetString(n.Value)
	}
}

func (d *decoder) integer(n *yaml.Node, s spot, v reflect.Value, unsigned bool) {
	switch t := typeOf(n); {
	case t == tagFloat && n.Style == 0 && !isDigits(n.Value):
		d.wants(s, "a whole number", n, wholeFix(n, s))
		return
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 && isDigits(n.Value):
		d.wants(s, "a number", n, "remove the quotes")
		return
	case t != tagInt && t != tagFloat:
		d.wants(s, "a number", n, unitFix(n, s))
		return
	case leadingZero.MatchString(n.Value):
		d.wrong(s, describe(n, s.rules.secret)+" has a leading zero", "some programs read such a number as octal: remove the zero")
		return
	}
	written := strings.ReplaceAll(n.Value, "_", "")
	if unsigned {
		u, err := strconv.ParseUint(strings.TrimPrefix(written, "+"), 0, 64)
		if err != nil || v.OverflowUint(u) {
			d.wants(s, "a number from 0 to "+strconv.FormatUint(math.MaxUint64>>(64-v.Type().Bits()), 10), n, "")
			return
		}
		v.SetUint(u)
		what, fix := s.rules.size(float64(u), n.Value)
		d.wrong(s, what, fix)
		return
	}
	i, err := strconv.ParseInt(written, 0, 64)
	if err != nil || v.OverflowInt(i) {
		d.wants(s, "a number of at most "+strconv.Itoa(v.Type().Bits())+" bits", n, "")
		return
	}
	v.SetInt(i)
	what, fix := s.rules.size(float64(i), n.Value)
	d.wrong(s, what, fix)
}

func (d *decoder) float(n *yaml.Node, s spot) (float64, bool) {
	t := typeOf(n)
	if t != tagInt && t != tagFloat {
		d.wants(s, "a number", n, "")
		return 0, false
	}
	written := strings.ReplaceAll(n.Value, "_", "")
	if i, err := strconv.ParseInt(written, 0, 64); err == nil && !leadingZero.MatchString(written) {
		return float64(i), true
	}
	f, err := strconv.ParseFloat(written, 64)
	if err != nil || leadingZero.MatchString(written) {
		d.wants(s, "a decimal number", n, "")
		return 0, false
	}
	return f, true
}

// free reads a node into plain Go values, for fields of any form.
func (d *decoder) free(n *yaml.Node, s spot) (any, bool) {
	switch n.Kind {
	case yaml.MappingNode:
		all := entries(n)
		m, good := make(map[string]any, len(all)), true
		for _, e := range all {
			value, ok := d.free(e.value, spot{s.at.field(e.key.Value), d.place(e.key), s.rules})
			m[e.key.Value], good = value, good && ok
		}
		return m, good
	case yaml.SequenceNode:
		list, good := make([]any, len(n.Content)), true
		for i, item := range n.Content {
			value, ok := d.free(follow(item), spot{s.at.item(i), d.place(item), s.rules})
			list[i], good = value, good && ok
		}
		return list, good
	}
	return d.freeScalar(n, s)
}

func (d *decoder) freeScalar(n *yaml.Node, s spot) (any, bool) {
	if sops.IsUnknown(n) {
		return nil, true
	}
	switch typeOf(n) {
	case tagNull:
		return nil, true
	case tagBool:
		return parseBool(n.Value), true
	case tagInt, tagFloat:
		if leadingZero.MatchString(n.Value) {
			d.wrong(s, describe(n, s.rules.secret)+" has a leading zero", "some programs read such a number as octal: remove the zero, or quote it")
			return nil, false
		}
		written := strings.ReplaceAll(n.Value, "_", "")
		if i, err := strconv.ParseInt(written, 0, 64); err == nil {
			return i, true
		}
		if isDigits(written) {
			return json.Number(written), true
		}
		return d.float(n, s)
	}
	return n.Value, true
}
