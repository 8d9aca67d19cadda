import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { newQuickJSWASMModule, type QuickJSContext, type QuickJSRuntime } from 'quickjs-emscripten';
import { MemoryImage } from '../memory-image.js';

// V8 optimises WebAssembly after it has run for some time. By default that begins while an engine loads, which doubles
// the cost of a start.
setFlagsFromString('--wasm-tiering-budget=180000000');

export interface EngineOptions {
  /** Folder of the modules to load; the first is main.js. */
  folder: URL;
  /** One of their functions without side effects. */
  warmUp: string;
  /** Other modules that these import. */
  shared?: URL[];
  memoryBytes: number;
}

/** With more, deep recursion breaks the interpreter instead of raising an error. */
const STACK_BYTES = 128 << 10;
/** Twice the initial memory of an interpreter. */
const BLOATED = 32 << 20;
const neverLate = () => false;

/**
 * A JavaScript interpreter with our modules loaded. Between calls its memory is restored to the state after loading:
 * nothing passes from one call to another, and restoring takes a fraction of the time of loading.
 */
export class QuickJsEngine {
  private readonly pristine: MemoryImage;
  private isBroken = false;
  /** Calls are stopped when this is true. */
  private isLate = neverLate;

  private constructor(
    private readonly memory: { buffer: ArrayBuffer },
    private readonly runtime: QuickJSRuntime,
    private readonly context: QuickJSContext,
    private readonly options: EngineOptions,
  ) {
    this.load(options);
    // Objects that the binding creates at its first use must be part of the image.
    this.call(options.warmUp, '""');
    this.pristine = new MemoryImage(new Uint8Array(this.memory.buffer));
  }

  static async create(options: EngineOptions): Promise<QuickJsEngine> {
    const quickjs = await newQuickJSWASMModule();
    const runtime = quickjs.newRuntime();
    return new QuickJsEngine(quickjs.getWasmMemory(), runtime, runtime.newContext(), options);
  }

  /**
   * An interpreter in the state after loading, which is stopped when `isLate` is true. It is this one when it can
   * be restored.
   */
  async renewed(isLate = neverLate): Promise<QuickJsEngine> {
    // The memory only ever grows, and restoring all of it would slow every later call down.
    const isBloated = this.memory.buffer.byteLength > BLOATED;
    const engine = this.isBroken || isBloated ? await QuickJsEngine.create(this.options) : this;
    engine.pristine.restore(new Uint8Array(engine.memory.buffer));
    engine.isLate = isLate;
    return engine;
  }

  /** Calls one of the global functions of the modules with JSON. Throws when it was stopped. */
  call(name: string, argument: string): string {
    return this.guarded(() => this.callGlobal(name, argument));
  }

  /** Runs pending promises until none is left. Throws when it was stopped. */
  drain(): void {
    this.guarded(() => {
      const ran = this.runtime.executePendingJobs();
      if (ran.error) throw new Error(String(ran.error.context.dump(ran.error)));
      ran.dispose();
    });
  }

  /**
   * Notes when WebAssembly itself fails: such an interpreter has state besides its memory, so it cannot be restored.
   */
  private guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.isBroken ||= isFatal(error);
      throw error;
    }
  }

  private callGlobal(name: string, argument: string): string {
    const { context } = this;
    const text = context.newString(argument);
    const callee = context.getProp(context.global, name);
    try {
      const result = context.unwrapResult(context.callFunction(callee, context.undefined, text));
      const answer = context.typeof(result) === 'string' ? context.getString(result) : '';
      result.dispose();
      return answer;
    } finally {
      callee.dispose();
      text.dispose();
    }
  }

  private load({ folder, shared = [], memoryBytes }: EngineOptions): void {
    const { context, runtime } = this;
    const modules = readModules(folder, shared);
    runtime.setMemoryLimit(memoryBytes);
    runtime.setMaxStackSize(STACK_BYTES);
    // Set once and before the image is taken: the interpreter stores in its memory that it has to ask.
    runtime.setInterruptHandler(() => this.isLate());
    runtime.setModuleLoader(
      (name) => modules[name]!,
      (_, name) => name.replace(/^(?:\.\.?\/)+/, ''),
    );
    // The interpreter's own random numbers would repeat with every restored memory.
    const random = context.newFunction('random', () => context.newNumber(Math.random()));
    const math = context.getProp(context.global, 'Math');
    context.setProp(math, 'random', random);
    for (const handle of [random, math]) handle.dispose();
    context.unwrapResult(context.evalCode(modules['main.js']!, 'main.js', { type: 'module' })).dispose();
  }
}

/** Errors of WebAssembly itself, as opposed to those of the code inside. */
function isFatal(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.constructor.name === 'RuntimeError');
}

function readModules(folder: URL, shared: URL[]): Record<string, string> {
  const own = readdirSync(folder).filter((file) => /^[\w-]+\.js$/.test(file));
  const files = [...own.map((file) => new URL(file, folder)), ...shared];
  return Object.fromEntries(files.map((file) => [file.pathname.replace(/.*\//, ''), readFileSync(file, 'utf8')]));
}
