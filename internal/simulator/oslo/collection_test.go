package oslo

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

type thing struct {
	ID    string  `json:"id"`
	Size  int     `json:"size"`
	Owner *string `json:"owner"`
	inner
}

type inner struct {
	Ready bool `json:"ready"`
}

func TestCollectionKeepsOrderThroughRemovals(t *testing.T) {
	c := NewCollection(func(t *thing) string { return t.ID })
	for i := range 200 {
		c.Add(&thing{ID: fmt.Sprint(i)})
	}
	var want []string
	for i := range 200 {
		if i%3 != 0 {
			if !c.Remove(fmt.Sprint(i)) {
				t.Fatalf("%d was not there", i)
			}
			continue
		}
		want = append(want, fmt.Sprint(i))
	}
	var got []string
	for rec := range c.All() {
		got = append(got, rec.ID)
	}
	if !slices.Equal(got, want) || c.Len() != len(want) {
		t.Errorf("got %v", got)
	}
	if c.Remove("1") {
		t.Error("removed twice")
	}
	if rec, ok := c.Get("198"); !ok || rec.ID != "198" {
		t.Errorf("198 is %v", rec)
	}
}

func TestFieldsByJSONName(t *testing.T) {
	f := FieldsOf[thing]()
	name := "me"
	rec := &thing{ID: "x", Size: 10, Owner: &name, inner: inner{Ready: true}}
	for attr, word := range map[string]string{"id": "x", "size": "10", "owner": "me", "ready": "True"} {
		if v, ok := f.Get(rec, attr); !ok || !Equal(v, word) {
			t.Errorf("%s is %v", attr, v)
		}
	}
	if _, ok := f.Get(rec, "nope"); ok {
		t.Error("an attribute that is not there was found")
	}
	small, _ := f.Get(&thing{Size: 9}, "size")
	big, _ := f.Get(rec, "size")
	if !Less(small, big) || Less(big, small) {
		t.Error("numbers are not compared as numbers")
	}
}

func TestPickKeepsOrderAndNames(t *testing.T) {
	v, err := Pick(thing{ID: "<x>", Size: 3}, []string{"size", "id", "none"})
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := json.Marshal(v); string(v.(json.RawMessage)) != `{"id":"<x>","size":3}` {
		t.Errorf("picked %s", b)
	}
}
