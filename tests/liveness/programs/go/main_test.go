package main

import "testing"

func TestDouble(t *testing.T) {
	if double(21) != 42 {
		t.Fatal("not 42")
	}
}
