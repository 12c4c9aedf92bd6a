package bind

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
)

const (
	// maxDepth and maxParts bound the sum of one object: how deep its values are nested, and how many there are.
	maxDepth = 64
	maxParts = 1 << 20
)

// summer sums objects, one after the other.
type summer struct {
	text   []byte // of the present object: all its values, one after the other
	parts  int
	failed bool // the object has a part without a sum, or is too large
}

// sumOf returns the sum of everything that the cloud shows of an object, except the time of its last change: that time alone changes no plan.
// ok is false for an object that has no sum. The sum depends on values, and not on their addresses or on the order of maps.
func (s *summer) sumOf(l *Live) (sum checksum.Sum, ok bool) {
	seen := *l
	seen.Updated = time.Time{}
	s.text, s.parts, s.failed = s.text[:0], 0, false
	s.add(reflect.ValueOf(&seen).Elem(), 0)
	return sha256.Sum256(s.text), !s.failed
}

var timeType = reflect.TypeFor[time.Time]()

func (s *summer) add(v reflect.Value, depth int) {
	if s.parts++; s.parts > maxParts || depth > maxDepth {
		s.failed = true
	}
	if s.failed {
		return
	}
	s.number(uint64(v.Kind()))
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			s.number(1)
			return
		}
		s.number(0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.number(uint64(v.Int())) //nolint:gosec // equal numbers stay equal
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		s.number(math.Float64bits(v.Float()))
	case reflect.String:
		s.string(v.String())
	case reflect.Slice, reflect.Array:
		s.list(v, depth)
	case reflect.Map:
		s.table(v, depth)
	case reflect.Struct:
		s.fields(v, depth)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			s.number(0)
			return
		}
		if v = v.Elem(); v.Kind() != reflect.Pointer {
			s.string(v.Type().String())
		}
		s.add(v, depth+1)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		s.failed = s.failed || !v.IsZero()
	case reflect.Invalid, reflect.Complex64, reflect.Complex128:
		s.failed = true
	}
}

func (s *summer) number(n uint64) { s.text = binary.BigEndian.AppendUint64(s.text, n) }

func (s *summer) string(t string) {
	s.number(uint64(len(t)))
	s.text = append(s.text, t...)
}

func (s *summer) list(v reflect.Value, depth int) {
	s.number(uint64(v.Len())) //nolint:gosec // a length is not negative
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		s.text = append(s.text, v.Bytes()...)
		return
	}
	for i := range v.Len() {
		s.add(v.Index(i), depth+1)
	}
}

// table adds the entries of a map in the order of their sums.
func (s *summer) table(v reflect.Value, depth int) {
	var sums []checksum.Sum
	for entries := v.MapRange(); entries.Next(); {
		start := len(s.text)
		s.add(entries.Key(), depth+1)
		s.add(entries.Value(), depth+1)
		sums = append(sums, sha256.Sum256(s.text[start:]))
		s.text = s.text[:start]
	}
	slices.SortFunc(sums, func(a, b checksum.Sum) int { return bytes.Compare(a[:], b[:]) })
	s.number(uint64(len(sums)))
	for _, sum := range sums {
		s.text = append(s.text, sum[:]...)
	}
}

func (s *summer) fields(v reflect.Value, depth int) {
	fields := v.NumField()
	if v.Type() == timeType {
		fields-- // the time zone, which is a pointer to a large table; the same moment has the same other fields
	}
	for i := range fields {
		s.add(v.Field(i), depth+1)
	}
}
