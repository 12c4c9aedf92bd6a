package definition

import (
	"cmp"
	"slices"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// ordered is a mapping with ordered keys. CEL walks a mapping as Go does, in a different order each time. Then the
// result of an expression could be different each time.
type ordered struct {
	traits.Mapper
	keys func() traits.Lister // computed on first use, because most mappings are only used to get a field
}

func inOrder(m traits.Mapper) *ordered {
	return &ordered{m, sync.OnceValue(func() traits.Lister {
		var keys []ref.Val
		for it := m.Iterator(); it.HasNext() == types.True; {
			keys = append(keys, it.Next())
		}
		slices.SortFunc(keys, compareKeys)
		return types.NewRefValList(types.DefaultTypeAdapter, keys)
	})}
}

// Iterator implements [traits.Iterable].
func (m *ordered) Iterator() traits.Iterator { return m.keys().Iterator() }

// Fold implements [traits.Foldable].
func (m *ordered) Fold(f traits.Folder) {
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		if !f.FoldEntry(key, m.Get(key)) {
			return
		}
	}
}

// AggregateSize implements [types.AggregateSizeVisitor]. The mapping itself stores its size.
func (m *ordered) AggregateSize(sizer types.AggregateSizer) uint32 {
	if sized, ok := m.Mapper.(types.AggregateSizeVisitor); ok {
		return sized.AggregateSize(sizer)
	}
	return sizer.AggregateSize(m.Mapper)
}

// compareKeys compares numbers, strings and booleans with values of the same type. Values of different types are
// ordered by type.
func compareKeys(a, b ref.Val) int {
	if class := cmp.Compare(classOf(a), classOf(b)); class != 0 {
		return class
	}
	if c, ok := a.(traits.Comparer); ok {
		if n, ok := c.Compare(b).(types.Int); ok {
			return int(n)
		}
	}
	return 0
}

func classOf(key ref.Val) string {
	switch key.(type) {
	case types.Int, types.Uint, types.Double:
		return "number"
	}
	return key.Type().TypeName()
}

// orderedMaps also orders the mappings that an expression makes.
func orderedMaps() cel.ProgramOption {
	return cel.CustomDecoratorV2(func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		if c, ok := i.(interpreter.InterpretableConstructor); ok && c.Type() == types.MapType {
			return mapMaker{c}, nil
		}
		return i, nil
	})
}

type mapMaker struct {
	interpreter.InterpretableConstructor
}

// Exec implements [interpreter.InterpretableV2].
func (m mapMaker) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := m.InterpretableConstructor.Exec(frame)
	if made, ok := v.(traits.Mapper); ok {
		return inOrder(made)
	}
	return v
}

// Eval implements [interpreter.Interpretable].
func (m mapMaker) Eval(with interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(with, m.Exec)
}
