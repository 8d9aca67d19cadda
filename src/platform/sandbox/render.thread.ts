// Runs in a worker thread, started from its text: it may import packages of Node and types, but no neighbours.
import { parentPort, workerData } from 'node:worker_threads';
import type { QuickJSContext, QuickJSRuntime } from 'quickjs-emscripten';
import type { ThreadCall, ThreadData, ThreadResult } from './messages.js';

const data = workerData as ThreadData;
const { newQuickJSWASMModule } = (await import(data.quickjsUrl)) as typeof import('quickjs-emscripten');

const TIMED_OUT = 'The templates took too long.';
const TOO_LONG = 'The output becomes too long.';
/** Loading the engine is not the template's time. */
const LOADING_MS = 2_000;
/** Twice what an interpreter starts with. */
const BLOATED = 32 << 20;

/**
 * An interpreter with the template engine loaded. Its memory is put back between calls to what it was after loading:
 * nothing passes from one call to another, and that takes a millisecond where loading takes fifteen.
 */
class Engine {
  private readonly pristine: Uint8Array;

  private constructor(
    private readonly memory: { buffer: ArrayBuffer },
    private readonly runtime: QuickJSRuntime,
    private readonly context: QuickJSContext,
  ) {
    this.load();
    // What the binding creates when it is first used must be part of the picture.
    this.call('render', '""');
    const bytes = new Uint8Array(this.memory.buffer);
    this.pristine = bytes.slice(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
  }

  static async create(): Promise<Engine> {
    const quickjs = await newQuickJSWASMModule();
    const runtime = quickjs.newRuntime();
    return new Engine(quickjs.getWasmMemory(), runtime, runtime.newContext());
  }

  /** The memory only ever grows, and putting all of it back would slow every later call down. */
  get isBloated(): boolean {
    return this.memory.buffer.byteLength > BLOATED;
  }

  /** As it was after loading. Not for an interpreter that WebAssembly has stopped: that has state besides its memory. */
  reset(): void {
    const bytes = new Uint8Array(this.memory.buffer);
    bytes.set(this.pristine);
    bytes.fill(0, this.pristine.length);
  }

  limit(deadline: number): void {
    this.runtime.setInterruptHandler(() => Date.now() > deadline);
  }

  /** Calls one of the functions the engine offers with JSON. Throws when it was stopped. */
  call(name: string, argument: string): string {
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

  private load(): void {
    this.runtime.setMemoryLimit(data.memoryBytes);
    this.runtime.setMaxStackSize(data.stackBytes);
    this.runtime.setModuleLoader(
      (name) => data.modules[name],
      (_, name) => name.replace(/^(?:\.\.?\/)+/, ''),
    );
    this.limit(Date.now() + LOADING_MS);
    const loaded = this.context.evalCode(data.modules['main.js'], 'main.js', { type: 'module' });
    this.context.unwrapResult(loaded).dispose();
  }
}

let engine = await Engine.create();

async function answer(call: ThreadCall): Promise<ThreadResult[]> {
  const deadline = Date.now() + call.deadlineMs;
  const results: ThreadResult[] = [];
  let room = data.outputLimit;
  let isReady = false;
  for (const template of call.templates) {
    if (Date.now() > deadline) {
      results.push(failure(TIMED_OUT));
      continue;
    }
    try {
      if (!isReady) await prepare(call, deadline);
      const { result, isDamaged } = read(engine.call(call.work, JSON.stringify(template)));
      room -= result.text?.length ?? 0;
      results.push(room < 0 ? failure(TOO_LONG) : result);
      isReady = !isDamaged;
    } catch (error) {
      results.push(failure(Date.now() > deadline ? TIMED_OUT : describe(error)));
      if (isFatal(error)) engine = await Engine.create();
      isReady = false;
    }
  }
  return results;
}

async function prepare(call: ThreadCall, deadline: number): Promise<void> {
  if (engine.isBloated) engine = await Engine.create();
  else engine.reset();
  engine.limit(deadline);
  if (call.work === 'render') engine.call('setVariables', call.variables);
}

/** What the engine says of one template: names or text are not there when there is an error. */
type Answer = Partial<ThreadResult> & { error: string | null; isDamaged: boolean };

function read(json: string): { result: ThreadResult; isDamaged: boolean } {
  const { text = null, names = [], error, isDamaged } = JSON.parse(json) as Answer;
  return { result: { text, names, error }, isDamaged };
}

function failure(error: string): ThreadResult {
  return { text: null, names: [], error };
}

/** Errors of WebAssembly itself, as opposed to those of the code inside. */
function isFatal(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.constructor.name === 'RuntimeError');
}

function describe(error: unknown): string {
  return `The template was stopped: ${error instanceof Error ? error.message : String(error)}`;
}

parentPort?.on('message', (call: ThreadCall) => {
  void answer(call).then((results) => parentPort?.postMessage(results));
});
parentPort?.postMessage('ready');
