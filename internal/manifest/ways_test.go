package manifest

import (
	"slices"
	"strings"
	"testing"
)

type chosenBody struct {
	Spec struct {
		Import   *struct{ ID string } `json:"import" rule:"immutable"`
		Resource *struct {
			Name      string `json:"name"`
			FlavorRef string `json:"flavorRef" rule:"immutable" ways:"resize=reboot|migrate=in-place"`
			Data      *struct {
				Value string `json:"value" rule:"immutable"`
			} `json:"data" alias:"script" rule:"immutable" ways:"rebuild=rebuild"`
			Hints struct {
				GroupRef string `json:"groupRef" rule:"immutable"`
			} `json:"hints"`
		} `json:"resource"`
	} `json:"spec"`
}

func TestChoices(t *testing.T) {
	var got []string
	for _, c := range Choices(TypeFor[chosenBody](), "spec.resource") {
		got = append(got, c.Path+" "+strings.Join(c.Names, ",")+" "+strings.Join(c.Ways, ","))
	}
	want := []string{
		"spec.resource.flavorRef flavorRef,flavor resize,migrate,replace,next,ignore",
		"spec.resource.data data,script rebuild,replace,next,ignore",
		"spec.resource.hints.groupRef hints.groupRef,hints.group replace,next,ignore",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, under := range []string{"spec.nothing", "x"} {
		if list := Choices(TypeFor[chosenBody](), under); list != nil {
			t.Errorf("below %s: %v", under, list)
		}
	}
}

func TestParseWays(t *testing.T) {
	for _, tag := range []string{"resize", "resize=", "=reboot", "resize=replace", "replace=reboot", "ignore=in-place", "a=reboot|"} {
		if ways, err := ParseWays(tag); err == nil {
			t.Errorf("%q: %v, want an error", tag, ways)
		}
	}
	said, err := Explain(TypeFor[chosenBody](), "spec.resource.flavorRef")
	if err != nil || !strings.Contains(said, "immutable; changed by resize (reboots it), migrate (in place), replace, next or ignore, as change-policy says") {
		t.Errorf("%v: %s", err, said)
	}
}
