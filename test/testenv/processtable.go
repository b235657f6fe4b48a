package testenv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// processInfo is what the process table says of one process.
type processInfo struct {
	parent int
	state  byte // T is stopped, Z is dead but not collected by its parent
}

// family returns a process and its children with their states. usher's servers are at most one level deep.
func family(pid int) (map[int]processInfo, error) {
	table, err := processTable()
	if err != nil {
		return nil, err
	}
	for id, info := range table {
		if id != pid && info.parent != pid {
			delete(table, id)
		}
	}
	return table, nil
}

// processTable reads all processes: from /proc where it exists, else from ps.
func processTable() (map[int]processInfo, error) {
	if runtime.GOOS == "linux" {
		return procTable("/proc")
	}
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,state=").Output() //nolint:noctx // answers at once
	if err != nil {
		return nil, fmt.Errorf("run ps: %w", err)
	}
	table := map[int]processInfo{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 3 {
			addProcess(table, fields[0], fields[1], fields[2])
		}
	}
	return table, nil
}

// procTable reads the stat file of every process. One that ends meanwhile is left out.
func procTable(root string) (map[int]processInfo, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	table := map[int]processInfo{}
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(root, entry.Name(), "stat"))
		if err != nil {
			continue
		}
		// The program's name stands in parentheses and may contain anything, so the fields are counted from the last one.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) >= 2 {
			addProcess(table, entry.Name(), fields[1], fields[0])
		}
	}
	return table, nil
}

func addProcess(table map[int]processInfo, pid, parent, state string) {
	id, err := strconv.Atoi(pid)
	if err != nil {
		return
	}
	parentID, err := strconv.Atoi(parent)
	if err != nil {
		return
	}
	table[id] = processInfo{parent: parentID, state: state[0]}
}
