package textcache

import (
	"strconv"
	"sync"
	"testing"
)

func TestCache_GetReturnsWhatWasPut(t *testing.T) {
	c := New[int](64)
	if v := c.Get("go"); v != nil {
		t.Errorf("Get of a text that was not put = %d, want nil", *v)
	}
	if v := c.Put("go", 1); *v != 1 {
		t.Errorf("Put returned %d, want 1", *v)
	}
	if v := c.Get("go"); v == nil || *v != 1 {
		t.Errorf("Get = %v, want 1", v)
	}
}

func TestCache_FullSlotsReplaceATextAndNeverConfuseTwo(t *testing.T) {
	c := New[string](8)
	for i := range 1000 {
		text := strconv.Itoa(i)
		c.Put(text, text)
		if v := c.Get(text); v == nil || *v != text {
			t.Fatalf("Get(%q) right after Put = %v", text, v)
		}
	}

	kept := 0
	for i := range 1000 {
		if v := c.Get(strconv.Itoa(i)); v != nil {
			kept++
			if *v != strconv.Itoa(i) {
				t.Errorf("Get(%d) = %q", i, *v)
			}
		}
	}

	if kept != 8 {
		t.Errorf("the cache has %d texts, want 8", kept)
	}
}

func TestCache_ConcurrentUse(t *testing.T) {
	c := New[string](16)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i := range 1000 {
				text := strconv.Itoa(i % 50)
				v := c.Get(text)
				if v == nil {
					v = c.Put(text, text)
				}
				if *v != text {
					t.Errorf("the value of %q is %q", text, *v)
				}
			}
		})
	}
	wait.Wait()
}
