package reconcile

import (
	"reflect"
	"testing"
	"time"
)

// Everything that a kind says of a live object reaches the core, and comes back.
func TestLiveObjectsAreCarriedWhole(t *testing.T) {
	var l Live[*thing]
	v := reflect.ValueOf(&l).Elem()
	for i := range v.NumField() {
		fill := v.Field(i)
		switch fill.Kind() {
		case reflect.String:
			fill.SetString("x")
		case reflect.Bool:
			fill.SetBool(true)
		case reflect.Slice:
			fill.Set(reflect.MakeSlice(fill.Type(), 1, 1))
		case reflect.Map:
			fill.Set(reflect.MakeMap(fill.Type()))
		case reflect.Pointer:
			fill.Set(reflect.New(fill.Type().Elem()))
		case reflect.Struct:
			fill.Set(reflect.ValueOf(time.Unix(1, 0)))
		default:
			t.Fatalf("fill in %s", v.Type().Field(i).Name)
		}
	}
	there := erase(l)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if reflect.ValueOf(there).FieldByName(name).IsZero() {
			t.Errorf("%s is lost on the way to the core", name)
		}
		if back := unerase[thing](there); reflect.ValueOf(back).FieldByName(name).IsZero() {
			t.Errorf("%s is lost on the way back", name)
		}
	}
}
