package define

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
)

// TagFilter is the part of an import filter that every taggable kind has.
// (k-orc/openstack-resource-controller api/v1alpha1: FilterByNeutronTags)
type TagFilter struct {
	Tags       []string `json:"tags,omitempty" api:"-" doc:"All of these tags."`
	TagsAny    []string `json:"tagsAny,omitempty" doc:"At least one of these tags."`
	NotTags    []string `json:"notTags,omitempty" doc:"Not all of these tags."`
	NotTagsAny []string `json:"notTagsAny,omitempty" doc:"None of these tags."`
}

// MatchTags reports whether an object with these tags matches the filter.
func (f TagFilter) MatchTags(tags []string) bool {
	has := func(tag string) bool { return slices.Contains(tags, tag) }
	hasNot := func(tag string) bool { return !has(tag) }
	switch {
	case slices.ContainsFunc(f.Tags, hasNot):
		return false
	case len(f.TagsAny) > 0 && !slices.ContainsFunc(f.TagsAny, has):
		return false
	case len(f.NotTags) > 0 && !slices.ContainsFunc(f.NotTags, hasNot):
		return false
	}
	return !slices.ContainsFunc(f.NotTagsAny, has)
}

// NameFilter is the part of an import filter that every kind with a name has.
type NameFilter struct {
	Name        *string `json:"name,omitempty" doc:"Exact name."`
	Description *string `json:"description,omitempty" rule:"lines" doc:"Exact description."`
}

// FilterName returns the name that the filter selects; "" if it selects none.
func (f *NameFilter) FilterName() string { return table.Or(f.Name, "") }

// NameValue is a name and its value, in a list that stands for a map, as in K-ORC.
type NameValue struct {
	Name  string `json:"name" rule:"required,max=255" doc:"Name of the item."`
	Value string `json:"value" rule:"required,max=255" doc:"Its value."`
}
