import { MAX_CODE_RESULT, MAX_PRINTED, TURN_MS } from '../limits.js';
import type { CodeCall } from '../code.messages.js';
import { isFatal, QuickJsEngine } from './engine.js';

const FOLDER = new URL('../javascript/', import.meta.url);
/** What starting and finishing takes at most: the code, what waits for it, its result and what waits for that. */
const ROUNDS = 3;

let engine: QuickJsEngine | null = null;

/**
 * Inside a process of the sandbox: the outcomes of as many rows as fit into a turn, each as JSON, in one list. `begin` is called
 * once the interpreter is loaded.
 */
export async function runJavaScript(call: CodeCall, begin: () => void): Promise<string> {
  engine ??= await newEngine(call);
  begin();
  const end = Date.now() + TURN_MS;
  const outcomes: string[] = [];
  for (const data of call.rows) {
    outcomes.push(await runRow(call, data));
    if (Date.now() > end) break;
  }
  return `[${outcomes.join(',')}]`;
}

function newEngine({ memoryBytes }: CodeCall): Promise<QuickJsEngine> {
  return QuickJsEngine.create({ folder: FOLDER, warmUp: 'finish', memoryBytes });
}

async function runRow(call: CodeCall, data: string): Promise<string> {
  const { code, timeMs, form } = call;
  if (!engine || engine.isBloated) engine = await newEngine(call);
  engine.reset();
  const deadline = Date.now() + timeMs;
  engine.limit(deadline);
  try {
    const shape = form ? JSON.stringify({ ...form, maxPrinted: MAX_PRINTED }) : 'null';
    return fitting(run(engine, `{"code":${JSON.stringify(code)},"data":${data},"form":${shape}}`));
  } catch (error) {
    if (isFatal(error)) engine = null;
    if (form && Date.now() > deadline) return '{"stopped":"time"}';
    return failure(Date.now() > deadline ? `It took longer than ${timeMs / 1000} seconds and was stopped.` : error);
  }
}

function run(interpreter: QuickJsEngine, call: string): string {
  let outcome = interpreter.call('start', call);
  for (let round = 0; round < ROUNDS && !outcome; round++) {
    interpreter.drain();
    outcome = interpreter.call('finish', '');
  }
  if (outcome) return outcome;
  throw new Error('It has no outcome.');
}

function fitting(outcome: string): string {
  if (outcome.length <= MAX_CODE_RESULT) return outcome;
  return failure(`The result is longer than ${MAX_CODE_RESULT} characters.`);
}

function failure(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return JSON.stringify({ error: message });
}
