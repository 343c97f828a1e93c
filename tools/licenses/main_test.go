package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	mit = `MIT License

Copyright (c) 2026 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`
	gpl = `This program is free software: you can redistribute it and/or modify it under the terms of the GNU General
Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any
later version.

This program is distributed in the hope that it will be useful, but WITHOUT ANY WARRANTY; without even the implied
warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE. See the GNU General Public License for more details.
`
)

func TestCheck(t *testing.T) {
	tests := []struct {
		name   string
		files  map[string]string // in the module
		dir    string            // of the package in use
		faulty int
		want   string // part of the output
	}{
		{"permissive", map[string]string{"LICENSE": mit}, "inner", 0, "1  MIT"},
		{"other spellings", map[string]string{"license.txt": mit}, "", 0, "1  MIT"},
		{"two licenses", map[string]string{"LICENSE-MIT": mit, "COPYING": gpl}, "", 1, "COPYING has the license GPL-3.0"},
		{"copyleft", map[string]string{"LICENSE": gpl}, "", 1, "has the license GPL-3.0"},
		{"copyleft in the package", map[string]string{"LICENSE": mit, "inner/COPYING": gpl}, "inner", 1, "inner/COPYING"},
		{"copyleft elsewhere", map[string]string{"LICENSE": mit, "other/COPYING": gpl}, "inner", 0, "1  MIT"},
		{"unknown", map[string]string{"LICENSE": "All rights reserved. Ask us."}, "", 1, "unknown license"},
		{"none", map[string]string{"README": mit}, "", 1, "no license file"},
		{"code about licenses", map[string]string{"license.go": "package x"}, "", 1, "no license file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for name, content := range tt.files {
				file := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
					t.Fatal(err)
				}

				if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			var out bytes.Buffer
			faulty := check([]pkg{{filepath.Join(root, tt.dir), "example.com/x@v1.0.0", root}}, &out)
			if faulty != tt.faulty || !strings.Contains(out.String(), tt.want) {
				t.Errorf("%d faults, want %d with %q:\n%s", faulty, tt.faulty, tt.want, &out)
			}
		})
	}
}
