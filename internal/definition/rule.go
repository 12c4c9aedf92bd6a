package definition

import (
	"errors"
	"fmt"

	"cel.dev/cel-go/cel"
)

// Rule is an expression that is true or false. Its language and limits are those of definitions.
type Rule struct{ expression *expression }

// NewRule compiles a rule about variables, whose values can have any type. The text of its error is for people.
func NewRule(source string, variables ...string) (*Rule, error) {
	types := map[string]*cel.Type{}
	for _, name := range variables {
		types[name] = cel.DynType
	}
	l, err := newLanguage(nil, types)
	if err != nil {
		return nil, err
	}
	e, err := l.compile(source)
	if err != nil {
		return nil, err
	}
	if e.result != cel.BoolType && e.result != cel.DynType {
		return nil, fmt.Errorf("is of type %s, and not true or false", e.result)
	}
	return &Rule{e}, nil
}

// String returns the source of the rule.
func (r *Rule) String() string { return r.expression.source }

// Sees reports whether the rule uses a variable.
func (r *Rule) Sees(variable string) bool { return r.expression.sees[variable] }

// Holds reports whether the rule is true. If it is neither true nor false, the error is the reason; its text is for
// people.
func (r *Rule) Holds(values map[string]any) (bool, error) {
	seen := make(map[string]any, len(values))
	for name, value := range values {
		seen[name] = celValue(value)
	}
	value, _, err := r.expression.evaluate(seen)
	switch {
	case absent(err):
		return false, fmt.Errorf("%w; use has() for a field that may be missing", err)
	case err != nil:
		return false, err
	}
	holds, ok := value.Value().(bool)
	if !ok {
		return false, errors.New("is neither true nor false, but of type " + value.Type().TypeName())
	}
	return holds, nil
}
