package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// These limits apply to one expression.
const (
	maxExpression = 4 << 10   // the number of bytes of the source
	maxDepth      = 50        // the depth of the nesting
	maxNodes      = 10_000    // the number of nodes in the syntax tree, after macros are expanded
	maxCost       = 1_000_000 // the cost of one evaluation
	maxObjectCost = 10_000_000
	maxElements   = 100_000 // the number of elements of a value, at any depth
)

// standard contains the functions and operators of CEL that expressions may use. The omitted ones read time zones, or
// match regular expressions, whose cost is higher than CEL counts.
var standard = []string{
	"_?_:_", "_&&_", "_||_", "!_", "@not_strictly_false", "_==_", "_!=_", "_+_", "_-_", "_*_", "_/_", "_%_", "-_",
	"_<_", "_<=_", "_>_", "_>=_", "_[_]", "@in", "size", "bool", "double", "dyn", "int", "uint", "string",
	"contains", "startsWith", "endsWith",
}

// language compiles expressions that can use the same variables.
type language struct{ env *cel.Env }

// newLanguage returns CEL with the types of a kind and some variables.
func newLanguage(schema *shape, variables map[string]*cel.Type) (*language, error) {
	subset := env.NewLibrarySubset()
	for _, name := range standard {
		subset.AddIncludedFunctions(env.NewFunction(name))
	}
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	options := []cel.EnvOption{
		cel.StdLib(cel.StdLibSubset(subset)),
		cel.CustomTypeAdapter(registry),
		cel.CustomTypeProvider(provider{registry, structsOf(schema)}),
		cel.ParserExpressionSizeLimit(maxExpression),
		cel.ParserRecursionLimit(maxDepth),
		cel.ExpressionNodeLimit(maxNodes),
		cel.ParserErrorRecoveryLimit(1),
	}
	for name, typ := range variables {
		options = append(options, cel.Variable(name, typ))
	}
	made, err := cel.NewCustomEnv(append(options, functions()...)...)
	return &language{made}, err
}

// with returns the language with additional variables.
func (l *language) with(variables map[string]*cel.Type) (*language, error) {
	if len(variables) == 0 {
		return l, nil
	}
	var options []cel.EnvOption
	for name, typ := range variables {
		options = append(options, cel.Variable(name, typ))
	}
	made, err := l.env.Extend(options...)
	return &language{made}, err
}

// expression is a compiled expression.
type expression struct {
	source  string
	program cel.Program
	result  *cel.Type
	sees    map[string]bool // the variables that it uses
}

// compile compiles and checks an expression. The text of its error is for people.
func (l *language) compile(source string) (*expression, error) {
	if len(source) > maxExpression {
		return nil, errTooLong
	}
	ast, issues := l.env.Compile(source)
	if err := issues.Err(); err != nil {
		return nil, errors.New(firstIssue(issues))
	}
	// If a list grows in a loop, its size is not measured in each iteration, because that would need quadratic time.
	sizes := types.NewSizeCalculator(types.SizeCalculatorMaxDepth(maxDepth), types.SizeCalculatorMaxTraversal(maxElements))
	program, err := l.env.Program(ast, cel.CostLimit(maxCost), cel.CostTracking(costs{}), orderedMaps(),
		cel.MemoryLimit(maxElements), cel.MemoryTracking(types.MemoryTrackerSizeCalculator(sizes), types.MemoryTrackerSampleInterval(maxItems)))
	if err != nil {
		return nil, err
	}
	sees := map[string]bool{}
	for _, reference := range ast.NativeRep().ReferenceMap() {
		sees[reference.Name] = true // "" for a function
	}
	return &expression{source, program, ast.OutputType(), sees}, nil
}

// firstIssue returns the first mistake in an expression, on one line.
func firstIssue(issues *cel.Issues) string {
	list := issues.Errors()
	if len(list) == 0 {
		return "is not valid"
	}
	text := strings.Join(strings.Fields(list[0].Message), " ")
	text = strings.TrimPrefix(text, "Syntax error: ")
	return strings.TrimSuffix(text, " (in container '')")
}

// errEvaluation is the error that an expression has no value, with the reason.
type errEvaluation struct{ what string }

func (e *errEvaluation) Error() string { return e.what }

// evaluate returns the value of the expression and its cost.
func (e *expression) evaluate(variables map[string]any) (ref.Val, int, error) {
	value, details, err := e.program.Eval(variables)
	cost := 1
	if details != nil && details.ActualCost() != nil {
		cost += int(min(*details.ActualCost(), maxCost))
	}
	switch {
	case err != nil && strings.Contains(err.Error(), "limit exceeded"):
		return nil, maxCost, &errEvaluation{fmt.Sprintf("costs more than %d units, or makes values of more than %d elements", maxCost, maxElements)}
	case err != nil:
		return nil, cost, &errEvaluation{strings.Join(strings.Fields(err.Error()), " ")}
	}
	return value, cost, nil
}

// absent reports whether the error means that a field is not set.
func absent(err error) bool { return err != nil && strings.Contains(err.Error(), "no such key") }

// costs computes the cost of calls for which CEL counts only the number of elements, or nothing.
type costs struct{}

// CallCost implements [cost.ActualCostEstimator].
func (costs) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	n := uint64(1)
	switch function {
	case "_==_", "_!=_", "@in":
		for _, a := range args {
			n += weight(a, 0)
		}
	case "_+_":
		if text, ok := result.(types.String); !ok {
			return nil
		} else if n += uint64(len(text)) / 4; n == 1 {
			n = 2
		}
	default:
		if !slices.Contains(ownFunctions, function) {
			return nil
		}
		for _, v := range append(slices.Clip(args), result) {
			n += weight(v, 0)
		}
	}
	return &n
}

// weight returns the size of a value. The size of a value that an expression makes is limited by [maxElements].
func weight(v ref.Val, depth int) (n uint64) {
	if depth > maxDepth {
		return maxCost
	}
	switch v := v.(type) {
	case types.String:
		return uint64(len(v))/4 + 1
	case *ordered:
		return weight(v.Mapper, depth)
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True && n <= maxCost; {
			key := it.Next()
			n += weight(key, depth+1) + weight(v.Get(key), depth+1)
		}
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True && n <= maxCost; {
			n += weight(it.Next(), depth+1)
		}
	}
	return n + 1
}

// provider provides the struct types of a schema to CEL. Their values are maps.
type provider struct {
	types.Provider
	structs map[string]*shape
}

// FindStructType implements [types.Provider].
func (p provider) FindStructType(name string) (*types.Type, bool) {
	if p.structs[name] != nil {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return nil, false
}

// FindStructFieldNames implements [types.Provider].
func (p provider) FindStructFieldNames(name string) (names []string, ok bool) {
	s := p.structs[name]
	if s == nil {
		return nil, false
	}
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	return names, true
}

// FindStructFieldType implements [types.Provider].
func (p provider) FindStructFieldType(name, fieldName string) (*types.FieldType, bool) {
	if s := p.structs[name]; s != nil {
		for _, f := range s.fields {
			if f.name == fieldName {
				return &types.FieldType{Type: f.typ.celType()}, true
			}
		}
	}
	return nil, false
}

// structsOf finds the struct types in a schema, by their names.
func structsOf(s *shape) map[string]*shape {
	found := map[string]*shape{}
	var walk func(s *shape)
	walk = func(s *shape) {
		if s == nil {
			return
		}
		if s.what == "struct" {
			found[s.name] = s
		}
		walk(s.elem)
		for _, f := range s.fields {
			walk(f.typ)
		}
	}
	walk(s)
	return found
}

// celValue returns a value as expressions see it. Its size is computed only once.
func celValue(v any) ref.Val {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[ref.Val]ref.Val, len(v))
		for key := range v {
			m[types.String(key)] = celValue(v[key])
		}
		return inOrder(types.NewRefValMap(types.DefaultTypeAdapter, m))
	case []any:
		list := make([]ref.Val, len(v))
		for i := range v {
			list[i] = celValue(v[i])
		}
		return types.NewRefValList(types.DefaultTypeAdapter, list)
	case json.Number:
		return types.DefaultTypeAdapter.NativeToValue(plain(v))
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}
