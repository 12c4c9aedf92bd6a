package cause

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// Every code has a text, no two constants have the same code, and every text has a code.
func TestEveryCodeHasWords(t *testing.T) {
	names := map[string]bool{}
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Type != nil && len(spec.Values) == 1 {
			code := Code(strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`))
			if words[code] == "" {
				t.Errorf("%s has no words", spec.Names[0].Name)
			}
			if names[string(code)] {
				t.Errorf("%s is the code of two", code)
			}
			names[string(code)] = true
		}
		return true
	})
	for code := range words {
		if !names[string(code)] {
			t.Errorf("%s has words and no constant", code)
		}
	}
}

func TestTextsOfOthersAreFoundInCauses(t *testing.T) {
	list := List{Of(CannotReplace, List{Of(Reported, "no host")}, "Server/web", Cause{}, Of(UseAnother))}.And(Cause{}, Of(NotThere))
	for text, want := range map[string]bool{"no host": true, "Server/web": true, "host": false} {
		if list.Names(text) != want {
			t.Errorf("%q: %v, want %v", text, !want, want)
		}
	}
	if !list.Has(UseAnother) || !list.Has(Reported) || list.Has(Gone) || len(list) != 2 || list.Is(NotThere) {
		t.Errorf("%v", list)
	}
}

// Map changes only the texts from outside the agent. The causes' own texts stay.
func TestMapLeavesOwnWords(t *testing.T) {
	list := List{Of(CannotDelete, "web", Of(UserBecause, List{Of(Reported, "uses")}))}
	got := list.Map(func(text string) string { return strings.ReplaceAll(text, "uses", "x") })
	if want := "cannot be deleted while web uses it (x); change that object so that it does not use this one, or restore this object's manifest"; got.String() != want {
		t.Errorf("%s, want %s", got, want)
	}
	if list.Has(Gone) || !list.Names("uses") {
		t.Errorf("the list itself was changed: %s", list)
	}
}

func TestInstead(t *testing.T) {
	for want, list := range map[string]List{
		"the stack ends":                                {Of(Gone)},
		"the stack ends; being":                         {Of(Gone), Of(Reported, "being")},
		"the stack ends, and cannot":                    {Of(GoneAnd, Of(Gone), Of(Reported, "cannot"))},
		"is being deleted; no longer in the repository": {Of(BeingDeleted), Of(Gone)},
		"": nil,
	} {
		if got := list.Instead(Gone, StackEnds).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
