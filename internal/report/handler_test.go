package report

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A log in JSON contains durations as numbers of seconds, and the names of the fields that an update has
// changed.
func TestALogForPrograms(t *testing.T) {
	var b bytes.Buffer
	l := NewLog(slog.New(NewHandler(&b, true, slog.LevelInfo)))
	l.Finished(engine.Result{Step: plan.Step{Key: key("Server", "a"), Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "spec.tags"}, {Field: kind.MarkField}}}}, Took: 1500 * time.Millisecond})
	var line map[string]any
	if err := json.Unmarshal(b.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if took, fields := line["took"], line["fields"]; took != 1.5 || !reflect.DeepEqual(fields, []any{"spec.tags"}) {
		t.Errorf("took %v, fields %v", took, fields)
	}
}
