package cloud

import (
	"encoding/json"
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
	lists map[listOf]any // each is a []written[T], in the order of the answer
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
	index   *pageIndex // for readings that make live objects
}

// written is an object and its text.
type written[T any] struct {
	text   string
	object T
}

// after returns an empty decoded for a new answer. The argument last is the previous answer to the same request, whose
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
	all, err := contentsOf(shared, l, resp.Body.(wholeBody).text, as)
	p.PageResult, p.last = pagination.PageResultFromParsed(resp, all.members), all.last
	if take == nil {
		l.indexes = append(l.indexes, all.index)
	}
	for _, object := range all.objects {
		if err == nil {
			err = l.took(all.bytes)
		}
		if err == nil && take != nil {
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
func contentsOf[Attributes, T any](d *decoded, l *listing, text []byte, as Reading[Attributes, T]) (contents[T], error) {
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
func readNew[Attributes, T any](k *lastRead, list listOf, way paging, text []byte, as Reading[Attributes, T]) (c contents[T], err error) {
	k.mu.Lock()
	before, _ := k.lists[list].([]written[T])
	k.mu.Unlock()
	known, all := earlier[T]{list: before, used: make([]bool, len(before))}, &listing{field: list.field, way: way}
	now, check := make([]written[T], 0, len(before)+len(before)/16), idCheck[Attributes]()
	c.members, c.bytes, err = splitList(text, list.field, func(s *splitter) error {
		if err := all.took(int64(s.at)); err != nil {
			return err
		}
		w, ok := known.next(s)
		if !ok {
			raw, err := s.value()
			if err != nil {
				return err
			}
			if w, ok = known.find(raw); !ok {
				if w, err = readOne(raw, check, as); err != nil {
					return err
				}
			}
		}
		now = append(now, w)
		return nil
	})
	c.objects = make([]T, len(now))
	for i := range now {
		c.objects[i] = now[i].object
	}
	if way.last && len(now) > 0 {
		c.last = json.RawMessage(now[len(now)-1].text)
	}
	c.index = pageIndexOf(c.objects)
	if err != nil {
		return c, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lists[list] = now
	return c, nil
}

func readOne[Attributes, T any](raw []byte, check func(Attributes) error, as Reading[Attributes, T]) (w written[T], err error) {
	var decoded Attributes
	if err = json.Unmarshal(raw, &decoded); err == nil {
		err = check(decoded)
	}
	if err == nil {
		w.text = string(raw)
		w.object, err = as.Read(decoded)
	}
	return w, err
}

// earlier finds the objects of an earlier answer in the text of a new one. Most objects follow each other as before, so that comparing
// their texts is enough. An object that is not found is decoded again.
type earlier[T any] struct {
	list   []written[T]
	used   []bool // by index: the object was found. If the answer contains it again, it is decoded, as a second object in memory.
	at     int
	missed int
	byText map[string]int // nil until too many objects were not found
}

const (
	lookAhead = 4 // how many earlier objects the next text is compared with
	maxMisses = 8 // after so many, the objects are found by their texts
)

// next skips the next object in the text, if it equals one of the few that followed the last found object in the earlier answer.
func (e *earlier[T]) next(s *splitter) (w written[T], ok bool) {
	for i := e.at; i < min(e.at+lookAhead, len(e.list)); i++ {
		if !e.used[i] && s.known(e.list[i].text) {
			return e.use(i), true
		}
	}
	return w, false
}

// find finds an object that is at another place than before. It searches only after maxMisses objects were not found by next.
func (e *earlier[T]) find(raw []byte) (w written[T], ok bool) {
	if e.missed++; e.missed < maxMisses {
		return w, false
	}
	if e.byText == nil {
		e.byText = make(map[string]int, len(e.list))
		for i := range e.list {
			e.byText[e.list[i].text] = i
		}
	}
	if i, ok := e.byText[string(raw)]; ok && !e.used[i] {
		return e.use(i), true
	}
	return w, false
}

func (e *earlier[T]) use(i int) written[T] {
	e.at, e.used[i] = i+1, true
	return e.list[i]
}
