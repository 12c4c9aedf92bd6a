package definition

import (
	"errors"
	"fmt"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// run evaluates the expressions of one object.
type run struct {
	kind  *defined
	spend func(cost int) bool
	left  int // the remaining cost for the object's expressions
	room  int // the remaining number of elements for the values of one made object
}

func (k *defined) run(spend func(cost int) bool) *run {
	return &run{k, spend, maxObjectCost, maxElements}
}

// These are the costs of a stored value, in units of evaluation cost: elementCost for each element, and one unit for
// textPerCost bytes of text.
const (
	elementCost = 8
	textPerCost = 4
)

// errEnough is the error that the cost limit of the revision is exceeded. That is reported elsewhere.
var errEnough = errors.New("enough")

// native returns the value of an expression as a plain Go value.
func (r *run) native(e *expression, variables map[string]any) (any, error) {
	if e == nil {
		return nil, &errEvaluation{"is not valid"}
	}
	v, cost, err := e.evaluate(variables)
	if spent := r.take(cost); spent != nil {
		return nil, spent
	}
	if err != nil {
		return nil, err
	}
	c := converter{left: r.room}
	out, err := c.value(v, 0)
	if spent := r.take(elementCost*(r.room-c.left) + c.text/textPerCost); spent != nil {
		return nil, spent
	}
	if err != nil {
		return nil, err
	}
	r.room = c.left
	return out, nil
}

// take adds a cost, and returns an error if a limit is exceeded.
func (r *run) take(cost int) error {
	if !r.spend(cost) {
		return errEnough
	}
	if r.left -= cost; r.left < 0 {
		return &errEvaluation{fmt.Sprintf("costs more than %d units together with the others of the object", maxObjectCost)}
	}
	return nil
}

// errorAt adds to an error the place of an expression that has no value.
func (r *run) errorAt(path string, e *expression, err error) error {
	what := &errEvaluation{}
	if !errors.As(err, &what) {
		return err
	}
	return &errAt{path, fmt.Sprintf("%s has no value: %s", quote("${"+e.source+"}"), clip(what.what))}
}

// errAt is a mistake at a place in the definition.
type errAt struct{ path, what string }

func (e *errAt) Error() string { return e.what }

// converter converts CEL values to values of a manifest. It returns an error if a manifest cannot contain the value.
type converter struct {
	left int // the remaining number of elements
	text int // the number of bytes of all strings so far
}

func (c *converter) value(v ref.Val, depth int) (any, error) {
	if c.left < 0 || depth > maxDepth {
		return nil, &errEvaluation{"makes a value that is too large, with the others of the object"}
	}
	switch v := v.(type) {
	case types.String:
		c.text += len(v)
		return string(v), nil
	case types.Int:
		return int64(v), nil
	case types.Uint:
		if v > 1<<63-1 {
			return nil, &errEvaluation{"makes a number that is too large"}
		}
		return int64(v), nil
	case types.Double:
		if !finite(float64(v)) {
			return nil, &errEvaluation{"makes a number that is not finite"}
		}
		return float64(v), nil
	case types.Bool:
		return bool(v), nil
	case types.Null:
		return nil, nil
	case traits.Mapper:
		m := map[string]any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			name, ok := key.(types.String)
			if !ok {
				return nil, &errEvaluation{"makes a mapping with a key that is not a string"}
			}
			c.left--
			c.text += len(name)
			item, err := c.value(v.Get(key), depth+1)
			if err != nil {
				return nil, err
			}
			m[string(name)] = item
		}
		return m, nil
	case traits.Lister:
		list := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			c.left--
			item, err := c.value(it.Next(), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		return list, nil
	}
	return nil, &errEvaluation{"makes a " + v.Type().TypeName() + ", which a manifest cannot contain"}
}
