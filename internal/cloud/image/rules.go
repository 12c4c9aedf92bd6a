package image

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type state = define.PlainState[Spec, More]

const community = "community"

// match passes images that anybody can publish only where they are asked for.
func match(f *Filter, s *state) bool {
	return (f.Visibility != nil || table.Or(s.Spec.Visibility, "") != community) && define.TagFilter{Tags: f.Tags}.MatchTags(s.Spec.Tags)
}

// phases by Glance's status. (glance/common/utils.py, api-ref: image statuses)
var phases = map[string]kind.Phase{
	"active": kind.Ready, "queued": kind.Pending, "saving": kind.Pending, "uploading": kind.Pending,
	"importing": kind.Pending, "deleted": kind.Deleting, "pending_delete": kind.Deleting,
}

func observe(s *state, live *kind.Live[*state]) {
	if live.Phase = phases[s.More.Status]; live.Phase == "" {
		live.Phase = kind.Failed
	}
	if live.Phase != kind.Ready {
		live.Message = "is " + strings.ReplaceAll(s.More.Status, "_", " ")
	}
}
