package cloud

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"sync"

	"github.com/gophercloud/gophercloud/v2/pagination"
)

// decoded contains the objects of one answer, which are decoded only once for all clients that share the answer.
// Otherwise each of many stacks in a project would decode the objects of all the other stacks. A client must not
// change anything that an object refers to.
type decoded struct {
	known *lastRead
	mu    sync.Mutex
	lists map[listOf]func() (any, error)
}

// lastRead contains the objects of the last answer to one request. An object whose text is the same in the next
// answer is not decoded again. While many stacks start, each list has few new objects.
type lastRead struct {
	mu    sync.Mutex
	lists map[listOf]any // each is a map[string]written[T], by text
}

// listOf identifies a list of an answer, read as objects of one type by one reading.
type listOf struct {
	field string
	as    reflect.Type
	by    string
}

// contents is the content of a page.
type contents[T any] struct {
	members map[string]any // members of the answer, except the list
	objects []T
	last    json.RawMessage
	bytes   int64
}

// written is an object and its text.
type written[T any] struct {
	text   string
	object T
}

// after returns an empty decoded for a new answer. last is the previous answer to the same request, whose
// objects are used again; nil for the first answer.
func after(last *answer) *decoded {
	d := &decoded{known: &lastRead{lists: map[listOf]any{}}, lists: map[listOf]func() (any, error){}}
	if last != nil && last.shared != nil {
		d.known = last.shared.known
	}
	return d
}

// readShared does the same as readPage, for an answer that several clients share.
func readShared[Attributes, T any](l *listing, resp *http.Response, shared *decoded, as Reading[Attributes, T], take func(T) error) (page, error) {
	p := page{of: l}
	all, err := contentsOf(shared, l, resp.Body, as)
	p.PageResult, p.last = pagination.PageResultFromParsed(resp, all.members), all.last
	for _, object := range all.objects {
		if err == nil {
			err = l.took(all.bytes)
		}
		if err == nil {
			err = take(object)
		}
		if err != nil {
			return p, err
		}
		p.objects++
	}
	l.bytes += all.bytes
	return p, err
}

// contentsOf decodes an answer and reads its objects, unless another client has already done that.
func contentsOf[Attributes, T any](d *decoded, l *listing, text io.Reader, as Reading[Attributes, T]) (contents[T], error) {
	list := listOf{l.field, reflect.TypeFor[T](), as.As}
	d.mu.Lock()
	once := d.lists[list]
	if once == nil {
		once = sync.OnceValues(func() (any, error) { return readNew(d.known, list, l.way, text, as) })
		d.lists[list] = once
	}
	d.mu.Unlock()
	all, err := once()
	return all.(contents[T]), err
}

// readNew reads the objects of an answer that are not known yet, and remembers all objects of the answer.
func readNew[Attributes, T any](k *lastRead, list listOf, way paging, text io.Reader, as Reading[Attributes, T]) (c contents[T], err error) {
	k.mu.Lock()
	before, _ := k.lists[list].(map[string]written[T])
	k.mu.Unlock()
	now, alone := make(map[string]written[T], len(before)), page{of: &listing{field: list.field, way: way}}
	c.members, err = readText(&alone, text, func(raw json.RawMessage) error {
		w, ok := before[string(raw)]
		if !ok {
			var decoded Attributes
			if err := json.Unmarshal(raw, &decoded); err != nil {
				return err
			}
			if w.object, err = as.Read(decoded); err != nil {
				return err
			}
			w.text = string(raw)
		}
		now[w.text] = w
		c.objects = append(c.objects, w.object)
		return nil
	})
	c.last, c.bytes = alone.last, alone.of.bytes
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lists[list] = now
	return c, err
}
