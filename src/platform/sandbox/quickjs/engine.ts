import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { newQuickJSWASMModule, type QuickJSContext, type QuickJSRuntime } from 'quickjs-emscripten';
import { MemoryImage } from '../memory-image.js';

// V8 optimises WebAssembly once it has run for long. By default it begins while an engine loads, which doubles what a start costs.
setFlagsFromString('--wasm-tiering-budget=180000000');

export interface EngineOptions {
  /** The folder with the modules that are loaded into it; the first is main.js. */
  folder: URL;
  /** One of their functions that does no harm. */
  warmUp: string;
  /** More modules, which those import. */
  shared?: URL[];
  memoryBytes: number;
}

/** With more, deep recursion breaks the interpreter instead of ending what recurses. */
const STACK_BYTES = 128 << 10;
/** Twice what an interpreter starts with. */
const BLOATED = 32 << 20;

/**
 * A JavaScript interpreter with modules of ours loaded. Its memory is put back between calls to what it was after loading:
 * nothing passes from one call to another, and that takes a fraction of the time that loading takes.
 */
export class QuickJsEngine {
  private readonly pristine: MemoryImage;
  private isBroken = false;
  /** Calls are stopped then. */
  private deadline = Infinity;

  private constructor(
    private readonly memory: { buffer: ArrayBuffer },
    private readonly runtime: QuickJSRuntime,
    private readonly context: QuickJSContext,
    private readonly options: EngineOptions,
  ) {
    this.load(options);
    // What the binding creates when it is first used must be part of the picture.
    this.call(options.warmUp, '""');
    this.pristine = new MemoryImage(new Uint8Array(this.memory.buffer));
  }

  static async create(options: EngineOptions): Promise<QuickJsEngine> {
    const quickjs = await newQuickJSWASMModule();
    const runtime = quickjs.newRuntime();
    return new QuickJsEngine(quickjs.getWasmMemory(), runtime, runtime.newContext(), options);
  }

  /** An interpreter as it was after loading, which is stopped at the deadline. It is this one where it can be put back. */
  async renewed(deadline = Infinity): Promise<QuickJsEngine> {
    // The memory only ever grows, and putting all of it back would slow every later call down.
    const isBloated = this.memory.buffer.byteLength > BLOATED;
    const engine = this.isBroken || isBloated ? await QuickJsEngine.create(this.options) : this;
    engine.pristine.restore(new Uint8Array(engine.memory.buffer));
    engine.deadline = deadline;
    return engine;
  }

  /** Calls one of the functions that the modules have made global, with JSON. Throws when it was stopped. */
  call(name: string, argument: string): string {
    return this.guarded(() => this.callGlobal(name, argument));
  }

  /** Runs what waits for promises, until nothing is left. Throws when it was stopped. */
  drain(): void {
    this.guarded(() => {
      const ran = this.runtime.executePendingJobs();
      if (ran.error) throw new Error(String(ran.error.context.dump(ran.error)));
      ran.dispose();
    });
  }

  /** Notes when WebAssembly itself fails: such an interpreter has state besides its memory, so it cannot be put back. */
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
    // Set once and before the image is made: the interpreter keeps in its memory that it has to ask.
    runtime.setInterruptHandler(() => Date.now() > this.deadline);
    runtime.setModuleLoader(
      (name) => modules[name]!,
      (_, name) => name.replace(/^(?:\.\.?\/)+/, ''),
    );
    // Its own random numbers would begin anew with its memory.
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
