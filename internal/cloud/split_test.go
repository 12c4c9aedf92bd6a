package cloud

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// FuzzReadNew reads two answers one after the other, so that the objects of the first are known to the second. The result must be the same
// as when a decoder reads the second answer alone, whatever both say.
func FuzzReadNew(f *testing.F) {
	for _, c := range [][3]string{
		{`{"a":[{"x":1},{"y":"]"}],"next":"b"}`, `{"a":[{"x":1},{"z":2},{"y":"]"}],"next":null}`, "a"},
		{`{"a":[1,2,3,4,5,6,7,8,9]}`, `{"a":[9,8,7,6,5,4,3,2,1,12]}`, "a"},
		{`[1,"a\"b",[],{}]`, ` [ 1 , "a\"b" , [] , {} ] `, ""},
		{`{"a":[1]}`, `{"a":[1}`, "a"}, {`{"a":[]}`, `{"b":[]}`, "a"}, {`{"a":[1]}`, `{"a":[12],"a":[]}`, "a"}, {`{"a":[]}`, `{"a":[1,]}`, "a"}, {`[]`, `[] x`, ""}, {`[]`, `{,}`, "a"},
		{`{"a":["\\"]}`, `{"a":["\\","\\\""],"b\"":[{"c":"}"}]}`, "a"},
	} {
		f.Add([]byte(c[0]), []byte(c[1]), c[2])
	}
	as := asDecoded[any]()
	f.Fuzz(func(t *testing.T, first, second []byte, field string) {
		k, list := &lastRead{lists: map[listOf]any{}}, listOf{field: field, as: reflect.TypeFor[any]()}
		for _, text := range [][]byte{first, second} {
			got, err := readNew(k, list, paging{last: true}, text, as)
			var want []any
			alone := page{of: &listing{field: field, way: paging{last: true}}}
			members, wrong := readText(&alone, bytes.NewReader(text), func(raw json.RawMessage) error {
				var object any
				err := json.Unmarshal(raw, &object)
				want = append(want, object)
				return err
			})
			if (err == nil) != (wrong == nil) {
				t.Fatalf("%q: %v, want %v", text, err, wrong)
			}
			if err != nil {
				continue
			}
			if len(got.objects) != len(want) || len(want) > 0 && !reflect.DeepEqual(got.objects, want) || !reflect.DeepEqual(got.members, members) || !bytes.Equal(got.last, alone.last) {
				t.Fatalf("%q after %q: %v, %v, last %s; want %v, %v, last %s", text, first, got.objects, got.members, got.last, want, members, alone.last)
			}
		}
	})
}

// Objects that an earlier answer had are not decoded again: whether some are gone, others are added between them, or all are in another order.
func TestKnownObjectsAreDecodedOnce(t *testing.T) {
	answer := func(ids ...int) []byte {
		var objects []string
		for _, id := range ids {
			objects = append(objects, fmt.Sprintf(`{"id": "%d", "text": "%s"}`, id, strings.Repeat("[\\\"", id)))
		}
		return []byte(`{"all": [` + strings.Join(objects, ", ") + `], "links": []}`)
	}
	var all, backwards []int
	for i := range 40 {
		all, backwards = append(all, i), append(backwards, 39-i)
	}
	for name, c := range map[string]struct {
		now  []int
		most int
	}{
		"the same":         {all, 0},
		"some are gone":    {append([]int{0, 1, 2, 6}, all[9:]...), 0},
		"one is new":       {append([]int{0, 1, 2, 99}, all[3:]...), 1},
		"in another order": {backwards, maxMisses},
		"no one is left":   {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			decoded := 0
			as := Reading[map[string]any, string]{Read: func(object map[string]any) (string, error) {
				decoded++
				return object["id"].(string), nil
			}}
			k, list := &lastRead{lists: map[listOf]any{}}, listOf{field: "all", as: reflect.TypeFor[string]()}
			if _, err := readNew(k, list, paging{}, answer(all...), as); err != nil || decoded != len(all) {
				t.Fatal(err, decoded)
			}
			decoded = 0
			c2, err := readNew(k, list, paging{}, answer(c.now...), as)
			if err != nil || len(c2.objects) != len(c.now) || decoded > c.most {
				t.Fatalf("%v: %d of %d objects, %d decoded, want %d at most", err, len(c2.objects), len(c.now), decoded, c.most)
			}
			for i, id := range c.now {
				if c2.objects[i] != fmt.Sprint(id) {
					t.Errorf("object %d is %s", id, c2.objects[i])
				}
			}
		})
	}
}

// An object whose text did not change takes no memory of its own when a list is read again.
func TestKnownObjectsTakeNoMemory(t *testing.T) {
	read := func(objects int) float64 {
		text := []byte(`{"all": [` + strings.TrimSuffix(strings.Repeat(`{"id": "a", "tags": ["b", "c"]},`, objects), ",") + `]}`)
		as := Reading[map[string]any, string]{Read: func(object map[string]any) (string, error) { return object["id"].(string), nil }}
		k, list := &lastRead{lists: map[listOf]any{}}, listOf{field: "all", as: reflect.TypeFor[string]()}
		return testing.AllocsPerRun(10, func() {
			if c, err := readNew(k, list, paging{}, text, as); err != nil || len(c.objects) != objects {
				t.Fatal(err, len(c.objects))
			}
		})
	}
	if few, many := read(100), read(10_000); many > few+10 { // a few are the runtime's, at random
		t.Errorf("%.0f allocations for 10,000 known objects, and %.0f for 100", many, few)
	}
}

// An answer that contains an object twice gives two objects in memory, also if the object was in the last answer.
func TestRepeatedObjectsAreTwo(t *testing.T) {
	as := Reading[map[string]any, *string]{Read: func(object map[string]any) (*string, error) {
		id := object["id"].(string)
		return &id, nil
	}}
	text := func(ids ...int) []byte {
		objects := make([]string, len(ids))
		for i, id := range ids {
			objects[i] = fmt.Sprintf(`{"id": "%d"}`, id)
		}
		return []byte(`{"all": [` + strings.Join(objects, ",") + `]}`)
	}
	k, list := &lastRead{lists: map[listOf]any{}}, listOf{field: "all", as: reflect.TypeFor[*string]()}
	if _, err := readNew(k, list, paging{}, text(100), as); err != nil {
		t.Fatal(err)
	}
	now := []int{100}
	for i := range maxMisses + 1 {
		now = append(now, i)
	}
	c, err := readNew(k, list, paging{}, text(append(now, 100, 99, 100)...), as)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[*string]bool{}
	for _, object := range c.objects {
		if seen[object] {
			t.Errorf("%s is the same object in memory twice", *object)
		}
		seen[object] = true
	}
}
