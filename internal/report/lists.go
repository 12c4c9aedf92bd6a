package report

import (
	"fmt"
	"strings"
)

// People see only the differences of a long list that changes. Terminals, comments, events and status show them in the form of this file;
// programs get both lists whole.

const (
	// longList is the largest number of added and removed items that is shown whole without -v.
	longList = 8
	// mostExamples is how many items of each sign are shown of a longer list.
	mostExamples = 3
)

// Listed is the change of a list.
type Listed struct {
	Gone, Come []string // the items that only the old list has, and only the new one
	Kept       int      // how many items both have
}

// Compared compares two lists without regard to their order.
func Compared(have, want []string) (l Listed) {
	left := map[string]int{}
	for _, item := range want {
		left[item]++
	}
	for _, item := range have {
		if left[item] > 0 {
			left[item]--
			l.Kept++
			continue
		}
		l.Gone = append(l.Gone, item)
	}
	for _, item := range want {
		if left[item] > 0 {
			left[item]--
			l.Come = append(l.Come, item)
		}
	}
	return l
}

// Same reports whether both lists have the same items.
func (l Listed) Same() bool { return len(l.Gone)+len(l.Come) == 0 }

// Sum counts the items that come and go, and the items before and after: "+270, -2 (32 -> 300)". It is "" when so few change that all of them
// are shown.
func (l Listed) Sum() string {
	if len(l.Gone)+len(l.Come) <= longList {
		return ""
	}
	var parts []string
	if n := len(l.Come); n > 0 {
		parts = append(parts, fmt.Sprintf("+%d", n))
	}
	if n := len(l.Gone); n > 0 {
		parts = append(parts, fmt.Sprintf("-%d", n))
	}
	return fmt.Sprintf("%s (%d -> %d)", strings.Join(parts, ", "), l.Kept+len(l.Gone), l.Kept+len(l.Come))
}

// Item is a line about a list.
type Item struct {
	Sign string // "-" for a removed item, "+" for an added one
	Text string
	More bool // it stands for the items that are not shown
}

// Items returns the removed items, then the added ones. Without all, it returns only the first ones of many.
func (l Listed) Items(all bool) []Item {
	all = all || l.Sum() == ""
	return append(signed("-", l.Gone, all), signed("+", l.Come, all)...)
}

func signed(sign string, texts []string, all bool) (items []Item) {
	for i, text := range texts {
		if more := len(texts) - i; i == mostExamples && more > 1 && !all {
			return append(items, Item{sign, fmt.Sprintf("%d more", more), true})
		}
		items = append(items, Item{sign, text, false})
	}
	return items
}

// words is the change in one line.
func (l Listed) words() string {
	if l.Same() {
		return "in another order"
	}
	var items []string
	for _, item := range l.Items(false) {
		items = append(items, item.Sign+item.Text)
	}
	text := strings.Join(items, ", ")
	if sum := l.Sum(); sum != "" {
		return sum + ": " + text
	}
	return text
}
