package report

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

type color string

// These are colors for the control sequence SGR (select graphic rendition) of ECMA-48.
const (
	red    color = "31"
	green  color = "32"
	yellow color = "33"
	cyan   color = "36"
)

func (t Text) paint(c color, text string) string {
	if !t.Color || c == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

func (t Text) bold(text string) string { return t.paint("1", text) }
func (t Text) dim(text string) string  { return t.paint("2", text) }

func colorOf(s plan.Step) color {
	switch s.Action {
	case plan.Create:
		return green
	case plan.Update, plan.Keep, plan.Detach:
		return yellow
	case plan.Recreate, plan.Delete, plan.Refuse:
		return red
	case plan.Wait:
	}
	return cyan
}
