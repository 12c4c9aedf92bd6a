package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
)

// change is one place of a package that a guard can change.
type change struct {
	number      int // the number of its guard, from 1
	where, what string
}

// changer adds guards to a package.
type changer struct {
	*source
	all []change
}

// change adds all changes to the source of the package, each behind a guard:
//
//	a == b         becomes a != b
//	a < b          becomes a <= b, and so on
//	a && b         becomes a || b, and the reverse
//	a + b          becomes a - b for numbers, and the reverse
//	if a, !a       is negated
//	continue       is removed; so are a return that ends a branch early, and a call whose results are not used
func (p *source) change() []change {
	c := &changer{source: p}
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				c.binary(n)
			case *ast.UnaryExpr:
				if n.Op == token.NOT {
					c.negate(n, "no negation")
				}
			case *ast.IfStmt:
				c.condition(n.Cond)
				if n.Else == nil {
					c.early(n.Body.List)
				}
			case *ast.SwitchStmt:
				c.cases(n)
			case *ast.BlockStmt:
				c.leaveOut(n.List)
			case *ast.CaseClause:
				c.leaveOut(n.Body)
			case *ast.CommClause:
				c.leaveOut(n.Body)
			}
			return true
		})
	}
	return c.all
}

// note gives a change its number, and finds the text to which it belongs.
func (c *changer) note(at token.Pos, what string) (guard string, t *text) {
	p := c.set.Position(at)
	n := len(c.all) + 1
	c.all = append(c.all, change{n, fmt.Sprintf("%s:%d:%d", filepath.Base(p.Filename), p.Line, p.Column), what})
	return fmt.Sprintf("mutantGuard(%d)", n), c.texts[p.Filename]
}

func (c *changer) offset(at token.Pos) int { return c.set.Position(at).Offset }

// opposite contains for each operator its replacement, and the function that is called instead of the operator
// if both sides are numbers or texts.
var opposite = map[token.Token]struct {
	by       token.Token
	function string
}{
	token.EQL: {by: token.NEQ}, token.NEQ: {by: token.EQL}, token.LAND: {by: token.LOR}, token.LOR: {by: token.LAND},
	token.LSS: {token.LEQ, "mutantLess"}, token.LEQ: {token.LSS, "mutantLessOrEqual"},
	token.GTR: {token.GEQ, "mutantMore"}, token.GEQ: {token.GTR, "mutantMoreOrEqual"},
	token.ADD: {token.SUB, "mutantSum"}, token.SUB: {token.ADD, "mutantDifference"},
}

func (c *changer) binary(n *ast.BinaryExpr) {
	op, ok := opposite[n.Op]
	if !ok || c.info.Types[n].Value != nil {
		return
	}
	what := fmt.Sprintf("%s for %s", op.by, n.Op)
	switch {
	case n.Op == token.EQL || n.Op == token.NEQ:
		c.negate(n, what)
	case n.Op == token.LAND || n.Op == token.LOR: // a || b is !(!a && !b)
		if c.isBool(n.X) && c.isBool(n.Y) && c.isBool(n) {
			guard, t := c.note(n.OpPos, what)
			t.wrap(c.offset(n.Pos()), c.offset(n.End()), "((", ") != "+guard+")")
			t.wrap(c.offset(n.X.Pos()), c.offset(n.X.End()), "(", ") != "+guard)
			t.wrap(c.offset(n.Y.Pos()), c.offset(n.Y.End()), "(", ") != "+guard)
		}
	case c.isBool(n) || c.isNumber(n):
		_, t := c.note(n.OpPos, what)
		t.wrap(c.offset(n.Pos()), c.offset(n.End()), fmt.Sprintf("%s(%d, ", op.function, len(c.all)), ")")
		t.replace(c.offset(n.OpPos), len(n.Op.String()), ",")
	}
}

func (c *changer) negate(e ast.Expr, what string) {
	if !c.isBool(e) {
		return
	}
	at := e.Pos()
	if b, ok := e.(*ast.BinaryExpr); ok {
		at = b.OpPos
	}
	guard, t := c.note(at, what)
	t.wrap(c.offset(e.Pos()), c.offset(e.End()), "((", ") != "+guard+")")
}

// condition negates a condition, unless the change of its operator has the same effect.
func (c *changer) condition(e ast.Expr) {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return
	case *ast.BinaryExpr:
		if e.Op == token.EQL || e.Op == token.NEQ {
			return
		}
	}
	c.negate(e, "negated condition")
}

// cases changes the conditions of a switch that has no tag. If the switch has no default, cases may also remove
// a return at the end of a case.
func (c *changer) cases(n *ast.SwitchStmt) {
	hasDefault := false
	for _, s := range n.Body.List {
		hasDefault = hasDefault || s.(*ast.CaseClause).List == nil
	}
	for _, s := range n.Body.List {
		clause := s.(*ast.CaseClause)
		if n.Tag == nil {
			for _, e := range clause.List {
				c.condition(e)
			}
		}
		if !hasDefault {
			c.early(clause.Body)
		}
	}
}

// early removes a return at the end of a branch, if the function can continue after the branch.
func (c *changer) early(branch []ast.Stmt) {
	if len(branch) > 0 {
		if s, ok := branch[len(branch)-1].(*ast.ReturnStmt); ok {
			c.skip(s, "no early return")
		}
	}
}

func (c *changer) leaveOut(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.BranchStmt:
			if s.Tok == token.CONTINUE {
				c.skip(s, "no continue")
			}
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && c.hasEffect(call) {
				c.skip(s, "no call")
			}
		}
	}
}

// hasEffect reports whether a test can see the effect of a call. It is false for a panic, which ends a function,
// and for locks, whose effect only the race detector can see.
func (c *changer) hasEffect(call *ast.CallExpr) bool {
	f := c.called(call)
	if b, ok := f.(*types.Builtin); ok {
		return b.Name() != "panic"
	}
	return f == nil || f.Pkg() == nil || f.Pkg().Path() != "sync"
}

func (c *changer) skip(s ast.Stmt, what string) {
	guard, t := c.note(s.Pos(), what)
	t.wrap(c.offset(s.Pos()), c.offset(s.End()), "if !"+guard+" { ", " }")
}
