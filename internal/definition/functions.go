package definition

import (
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// These functions are available in addition to those of CEL itself, under the names that kro and Kubernetes use. The
// result of each depends only on its arguments. Each function refuses to make a large result, and checks that before
// it makes the result.

// maxResult is the maximum number of bytes, and maxItems that of elements, which a function may make.
const (
	maxResult = 1 << 20
	maxItems  = 1000
)

var ownFunctions = []string{"lowerAscii", "upperAscii", "trim", "replace", "substring", "split", "join", "lists.range"}

var errLarge = types.NewErr("the result is too large")

func functions() []cel.EnvOption {
	text, number, texts := cel.StringType, cel.IntType, cel.ListType(cel.StringType)
	return []cel.EnvOption{
		method("lowerAscii", text, nil, func(a []ref.Val) ref.Val { return types.String(mapASCII(str(a[0]), 'A', 'Z', 'a'-'A')) }),
		method("upperAscii", text, nil, func(a []ref.Val) ref.Val { return types.String(mapASCII(str(a[0]), 'a', 'z', 'A'-'a')) }),
		method("trim", text, nil, func(a []ref.Val) ref.Val { return types.String(strings.TrimSpace(str(a[0]))) }),
		method("replace", text, []*cel.Type{text, text}, func(a []ref.Val) ref.Val { return replace(str(a[0]), str(a[1]), str(a[2])) }),
		method("substring", text, []*cel.Type{number, number}, func(a []ref.Val) ref.Val { return substring(str(a[0]), a[1].(types.Int), a[2].(types.Int)) }),
		method("split", texts, []*cel.Type{text}, func(a []ref.Val) ref.Val { return split(str(a[0]), str(a[1])) }),
		cel.Function("join", cel.MemberOverload("list_join", []*cel.Type{texts, text}, text,
			cel.FunctionBinding(func(a ...ref.Val) ref.Val { return join(a[0].(traits.Lister), str(a[1])) }))),
		cel.Function("lists.range", cel.Overload("lists_range", []*cel.Type{number}, cel.ListType(number),
			cel.UnaryBinding(func(n ref.Val) ref.Val { return numbers(n.(types.Int)) }))),
	}
}

// method returns a function that is called on a string.
func method(name string, result *cel.Type, args []*cel.Type, do func([]ref.Val) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload("string_"+name, append([]*cel.Type{cel.StringType}, args...), result,
		cel.FunctionBinding(func(a ...ref.Val) ref.Val { return do(a) })))
}

func str(v ref.Val) string {
	s, _ := v.(types.String)
	return string(s)
}

func mapASCII(s string, first, last, by rune) string {
	return strings.Map(func(r rune) rune {
		if r >= first && r <= last {
			return r + by
		}
		return r
	}, s)
}

func replace(s, old, with string) ref.Val {
	if len(s)+strings.Count(s, old)*len(with) > maxResult {
		return errLarge
	}
	return types.String(strings.ReplaceAll(s, old, with))
}

func substring(s string, from, to types.Int) ref.Val {
	runes := []rune(s)
	if from < 0 || to < from || int(to) > len(runes) {
		return types.NewErr("substring(%d, %d) of %d characters", from, to, len(runes))
	}
	return types.String(runes[from:to])
}

func split(s, sep string) ref.Val {
	if strings.Count(s, sep) >= maxItems {
		return errLarge
	}
	return types.DefaultTypeAdapter.NativeToValue(strings.Split(s, sep))
}

func join(list traits.Lister, sep string) ref.Val {
	var texts []string
	size := 0
	for it := list.Iterator(); it.HasNext() == types.True; {
		s, ok := it.Next().(types.String)
		if !ok {
			return types.NewErr("join of a list with an element that is not a string")
		}
		if size += len(s) + len(sep); size > maxResult {
			return errLarge
		}
		texts = append(texts, string(s))
	}
	return types.String(strings.Join(texts, sep))
}

func numbers(n types.Int) ref.Val {
	if n < 0 || n > maxItems {
		return types.NewErr("lists.range(%d): from 0 to %d is possible", n, maxItems)
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return types.DefaultTypeAdapter.NativeToValue(list)
}
