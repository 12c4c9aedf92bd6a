package bind

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
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

// sumOf returns the sum of everything that the cloud shows of an object, except the time of its last change: that time alone changes no plan.
// ok is false for an object that has no sum. The sum depends on values, and not on their addresses or on the order of maps.
func sumOf(l *Live) (sum checksum.Sum, ok bool) {
	seen := *l
	seen.Updated = time.Time{}
	s := summer{hash: sha256.New()}
	s.add(reflect.ValueOf(seen), 0)
	s.hash.Sum(sum[:0])
	return sum, !s.failed
}

// summer sums a value.
type summer struct {
	hash   hash.Hash
	parts  int
	failed bool // the value has a part without a sum, or is too large
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
		s.text(v.String())
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
			s.text(v.Type().String())
		}
		s.add(v, depth+1)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		s.failed = s.failed || !v.IsZero()
	case reflect.Invalid, reflect.Complex64, reflect.Complex128:
		s.failed = true
	}
}

func (s *summer) number(n uint64) {
	_, _ = s.hash.Write(binary.BigEndian.AppendUint64(make([]byte, 0, 8), n)) // a hash accepts all bytes
}

func (s *summer) text(t string) {
	s.number(uint64(len(t)))
	_, _ = s.hash.Write([]byte(t))
}

func (s *summer) list(v reflect.Value, depth int) {
	s.number(uint64(v.Len())) //nolint:gosec // a length is not negative
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		s.text(string(v.Bytes()))
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
		one := summer{hash: sha256.New(), parts: s.parts}
		one.add(entries.Key(), depth+1)
		one.add(entries.Value(), depth+1)
		sums = append(sums, checksum.Sum(one.hash.Sum(nil)))
		s.parts, s.failed = one.parts, s.failed || one.failed
	}
	slices.SortFunc(sums, func(a, b checksum.Sum) int { return bytes.Compare(a[:], b[:]) })
	s.number(uint64(len(sums)))
	for _, sum := range sums {
		_, _ = s.hash.Write(sum[:])
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
