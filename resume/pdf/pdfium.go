package pdf

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/emscripten"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

//go:generate sh -c "install -m 644 $(go list -m -f {{.Dir}} github.com/klippa-app/go-pdfium)/webassembly/pdfium.wasm ."

// pdfiumModule is pdfium compiled to WebAssembly, copied from go-pdfium, which embeds it without exporting it. To
// update pdfium, update go-pdfium in go.mod and run go generate. A test compares the two files. Modules of go-pdfium
// 1.20 and later use WebAssembly exceptions, which wazero 1.12 has as an experimental feature only, so 1.19.8 is the
// newest.
//
//go:embed pdfium.wasm
var pdfiumModule []byte

// errNoMemory is returned when the system has no memory for another sandbox.
var errNoMemory = errors.New("no memory for a sandbox")

// pdfium is the module compiled to machine code. It is safe for concurrent use.
type pdfium struct {
	cache   wazero.CompilationCache
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// compilePDFium compiles pdfium, or loads the compiled code from the cache. Each sandbox may use up to maxMemory
// bytes. The result takes ownership of the cache.
func compilePDFium(ctx context.Context, cache wazero.CompilationCache, maxMemory int) (*pdfium, error) {
	const pageSize = 1 << 16 // of WebAssembly's memory, in bytes
	p := &pdfium{cache: cache, runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithCompilationCache(cache).
		WithMemoryLimitPages(uint32(maxMemory/pageSize)).
		WithCloseOnContextDone(true))} // makes a context's deadline stop running code
	var err error
	if p.module, err = p.runtime.CompileModule(ctx, pdfiumModule); err == nil {
		err = p.linkImports(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// linkImports provides the functions that the module imports. WASI and Emscripten's runtime come from wazero. All
// others are callbacks that pdfium invokes only once a program has registered them. This package registers none, so a
// document that reaches one fails.
func (p *pdfium) linkImports(ctx context.Context) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, p.runtime); err != nil {
		return err
	}

	const environment = "env"
	builder := p.runtime.NewHostModuleBuilder(environment)
	for _, imported := range p.module.ImportedFunctions() {
		if module, name, _ := imported.Import(); module == environment {
			fail := api.GoFunc(func(context.Context, []uint64) { panic(fmt.Errorf("unexpected callback %s", name)) })
			builder.NewFunctionBuilder().
				WithGoFunction(fail, imported.ParamTypes(), imported.ResultTypes()).
				Export(name)
		}
	}

	runtimeFunctions, err := emscripten.NewFunctionExporterForModule(p.module)
	if err != nil {
		return err
	}

	runtimeFunctions.ExportFunctions(builder) // replaces those of the same name
	_, err = builder.Instantiate(ctx)

	return err
}

// newSandbox starts an instance of pdfium with memory of its own, for one document. Once ctx has ended, every call into
// the sandbox fails, also one that is running. The caller must close the sandbox.
func (p *pdfium) newSandbox(ctx context.Context) (*sandbox, error) {
	s := &sandbox{functions: map[function]api.Function{}}
	s.invoke = func(f api.Function, stack []uint64) error { return f.CallWithStack(ctx, stack) }
	allocator := experimental.MemoryAllocatorFunc(func(_, limit uint64) experimental.LinearMemory {
		s.memory = reserve(limit)
		return s.memory
	})

	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize") // and no file system
	var err error
	s.module, err = p.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, allocator), p.module, config)
	if err != nil {
		s.close()
		return nil, err
	}

	s.call(initialize)
	s.scratch = s.handle(allocate, scratchSize)
	if s.scratch == 0 {
		s.close()
		return nil, errors.Join(errNoMemory, s.err)
	}

	return s, nil
}

// close frees the compiled code. All sandboxes must be closed before.
func (p *pdfium) close() error {
	ctx := context.Background()
	return errors.Join(p.runtime.Close(ctx), p.cache.Close(ctx))
}
