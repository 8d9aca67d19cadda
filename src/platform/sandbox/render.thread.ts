// Runs in a worker thread, started from its text: it may import packages of Node and types, but no neighbours.
import { parentPort, workerData } from 'node:worker_threads';
import type { QuickJSContext, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten';
import type { ThreadCall, ThreadData, ThreadResult } from './messages.js';

const data = workerData as ThreadData;
const { newQuickJSWASMModule } = (await import(data.quickjsUrl)) as typeof import('quickjs-emscripten');

const TIMED_OUT = 'The templates took too long.';
const TOO_LONG = 'The output becomes too long.';
/** Loading the engine is not the template's time. */
const LOADING_MS = 2_000;

/** A fresh interpreter with the template engine loaded. Used for one call, then thrown away. */
class Engine {
  private constructor(
    private readonly runtime: QuickJSRuntime,
    private readonly context: QuickJSContext,
  ) {}

  static load(quickjs: QuickJSWASMModule): Engine {
    const runtime = quickjs.newRuntime();
    runtime.setMemoryLimit(data.memoryBytes);
    runtime.setMaxStackSize(data.stackBytes);
    runtime.setModuleLoader(
      (name) => data.modules[name],
      (_, name) => name.replace(/^\.\//, ''),
    );
    const engine = new Engine(runtime, runtime.newContext());
    engine.limit(Date.now() + LOADING_MS);
    engine.context
      .unwrapResult(engine.context.evalCode(data.modules['main.js'], 'main.js', { type: 'module' }))
      .dispose();
    return engine;
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

  dispose(): void {
    this.context.dispose();
    this.runtime.dispose();
  }
}

let quickjs = await newQuickJSWASMModule();
/** Made while nobody waits: loading an engine (some 15 ms) takes longer than most templates. */
const spares: Engine[] = [];
const SPARES = 3;

function takeEngine(call: ThreadCall, deadline: number): Engine {
  const engine = spares.pop() ?? Engine.load(quickjs);
  engine.limit(deadline);
  if (call.work === 'render') engine.call('setVariables', call.variables);
  return engine;
}

/** An interpreter that was stopped in the middle may not even be disposable; then its memory goes as a whole. */
async function discard(engine: Engine | null, isBroken: boolean): Promise<void> {
  try {
    if (isBroken) throw new Error('The interpreter is broken.');
    engine?.dispose();
  } catch {
    spares.length = 0;
    quickjs = await newQuickJSWASMModule();
  }
}

async function answer(call: ThreadCall): Promise<ThreadResult[]> {
  const deadline = Date.now() + call.deadlineMs;
  const results: ThreadResult[] = [];
  let engine: Engine | null = null;
  let room = data.outputLimit;
  for (const template of call.templates) {
    if (Date.now() > deadline) {
      results.push(failure(TIMED_OUT));
      continue;
    }
    try {
      engine ??= takeEngine(call, deadline);
      const { result, isDamaged } = read(engine.call(call.work, JSON.stringify(template)));
      room -= result.text?.length ?? 0;
      results.push(room < 0 ? failure(TOO_LONG) : result);
      if (!isDamaged) continue;
      await discard(engine, false);
    } catch (error) {
      results.push(failure(Date.now() > deadline ? TIMED_OUT : describe(error)));
      await discard(engine, isFatal(error));
    }
    engine = null;
  }
  await discard(engine, false);
  return results;
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

/** One at a time, so that a call that comes meanwhile waits for one at most. */
function prepareSpares(): void {
  if (spares.length >= SPARES) return;
  try {
    spares.push(Engine.load(quickjs));
  } catch {
    return; // The next call tries again and reports what is wrong.
  }
  setImmediate(prepareSpares);
}

parentPort?.on('message', (call: ThreadCall) => {
  void answer(call).then((results) => {
    parentPort?.postMessage(results);
    setImmediate(prepareSpares);
  });
});
prepareSpares();
parentPort?.postMessage('ready');
