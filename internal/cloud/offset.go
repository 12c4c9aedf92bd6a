package cloud

import (
	"context"
	"fmt"
	"strings"
)

// ListByOffset reads a whole collection of the kind that gives no link to its
// next page: it asks on until a page is empty, because the cloud may have set
// its pages smaller than asked for. (nova/api/openstack/common.py: limited)
func ListByOffset[T any](ctx context.Context, c *Client, call Call, field string) ([]T, error) {
	var all []T
	path, join := call.Path, "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	r := new(reading)
	for {
		call.Path = fmt.Sprintf("%s%slimit=1000&offset=%d", path, join, len(all))
		page, err := list[T](ctx, c, call, field, r)
		switch {
		case err != nil:
			return nil, err
		case len(page) == 0:
			return all, nil
		}
		all = append(all, page...)
	}
}
