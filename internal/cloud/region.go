package cloud

import (
	"fmt"
	"slices"
	"strings"
)

// regionOf is the requested region, or the only one that exists.
func (l *loggedIn) regionOf(asked string) (string, error) {
	if l.catalog == nil {
		return asked, nil
	}
	var regions []string
	for _, service := range l.catalog.Entries {
		for _, e := range service.Endpoints {
			regions = append(regions, e.Region)
		}
	}
	slices.Sort(regions)
	regions = slices.Compact(regions)
	switch {
	case asked != "" && len(regions) > 0 && !slices.Contains(regions, asked):
		return "", fmt.Errorf("there is no region %s; set region_name (or $OS_REGION_NAME) to one of %s", asked, strings.Join(regions, ", "))
	case asked == "" && len(regions) > 1:
		return "", fmt.Errorf("there are several regions; set region_name (or $OS_REGION_NAME) to one of %s", strings.Join(regions, ", "))
	case asked == "" && len(regions) == 1:
		return regions[0], nil
	}
	return asked, nil
}
