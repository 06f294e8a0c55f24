package main

import (
	"fmt"
	"net"
	"os/exec"
	"sync"
)

func double(n int) int { return n * 2 }

func main() {
	var group sync.WaitGroup
	results := make(chan int, 100)
	for n := 0; n < 100; n++ {
		group.Add(1)
		go func(n int) { defer group.Done(); results <- double(n) }(n)
	}
	group.Wait()
	close(results)
	sum := 0
	for result := range results {
		sum += result
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	listener.Close()
	child, err := exec.Command("echo", "child").Output()
	if err != nil {
		panic(err)
	}
	fmt.Print(sum, " ", string(child))
}
