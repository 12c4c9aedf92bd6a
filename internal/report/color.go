package report

import "github.com/stackreeve/stackreeve/internal/reconcile"

type color string

// ECMA-48 select graphic rendition.
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

func colorOf(s reconcile.Step) color {
	switch s.Action {
	case reconcile.Create:
		return green
	case reconcile.Update, reconcile.Keep:
		return yellow
	case reconcile.Recreate, reconcile.Delete, reconcile.Refuse:
		return red
	case reconcile.Wait:
	}
	return cyan
}
