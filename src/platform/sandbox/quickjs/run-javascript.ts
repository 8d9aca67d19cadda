import type { CodeCall } from '../code.messages.js';
import { MAX_CODE_RESULT, MAX_PRINTED } from '../limits.js';
import { rowsOfTurn } from '../rows-of-turn.js';
import { QuickJsEngine } from './engine.js';

const FOLDER = new URL('../javascript/', import.meta.url);
/** Maximum rounds to finish a call: the code, its promises, its result and the promises of that. */
const ROUNDS = 3;

/** Returns outcomes of as many rows as fit into a turn, each as JSON, in one list. */
export async function loadJavaScript(memoryBytes: number): Promise<(call: CodeCall) => Promise<string>> {
  let engine = await QuickJsEngine.create({ folder: FOLDER, warmUp: 'finish', memoryBytes });
  return async ({ code, rows, form }) => {
    const shape = form ? JSON.stringify({ ...form, maxPrinted: MAX_PRINTED }) : 'null';
    const outcomes: string[] = [];
    for (const data of rowsOfTurn(rows)) {
      engine = await engine.renewed();
      outcomes.push(runRow(engine, `{"code":${JSON.stringify(code)},"data":${data},"form":${shape}}`));
    }
    return `[${outcomes.join(',')}]`;
  };
}

function runRow(engine: QuickJsEngine, call: string): string {
  try {
    const outcome = run(engine, call);
    return outcome.length <= MAX_CODE_RESULT
      ? outcome
      : failure(`The result is longer than ${MAX_CODE_RESULT} characters.`);
  } catch (error) {
    return failure(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }
}

function run(engine: QuickJsEngine, call: string): string {
  let outcome = engine.call('start', call);
  for (let round = 0; round < ROUNDS && !outcome; round++) {
    engine.drain();
    outcome = engine.call('finish', '');
  }
  if (outcome) return outcome;
  throw new Error('It has no outcome.');
}

function failure(error: string): string {
  return JSON.stringify({ error });
}
