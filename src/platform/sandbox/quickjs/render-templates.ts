import { MAX_RENDERED } from '../limits.js';
import { ownTimeLimit } from '../processor-time.js';
import { QuickJsEngine } from './engine.js';
import type { TemplateResult, TemplatesCall } from './render-templates.messages.js';

const TIMED_OUT = 'The templates took too long.';
const TOO_LONG = 'The output becomes too long.';

const FOLDER = new URL('../jinja/', import.meta.url);
/** Modules of the platform that the template engine needs. */
const SHARED = ['parse-bigints', 'exact-integers', 'json-limits'].map(
  (name) => new URL(`../../${name}.js`, import.meta.url),
);

/** Returns the results of the templates in their order. */
export async function loadTemplates(memoryBytes: number): Promise<(call: TemplatesCall) => Promise<TemplateResult[]>> {
  let engine = await QuickJsEngine.create({ folder: FOLDER, shared: SHARED, warmUp: 'render', memoryBytes });
  return async (call) => {
    const isLate = ownTimeLimit(call.timeMs);
    const results: TemplateResult[] = [];
    let room = MAX_RENDERED;
    let isReady = false;
    for (const template of call.templates) {
      if (isLate()) {
        results.push(failure(TIMED_OUT));
        continue;
      }
      try {
        if (!isReady) {
          engine = await engine.renewed(isLate);
          if (call.work === 'render') engine.call('setVariables', call.variables);
        }
        const { result, isDamaged } = read(engine.call(call.work, JSON.stringify(template)));
        room -= result.text?.length ?? 0;
        results.push(room < 0 ? failure(TOO_LONG) : result);
        isReady = !isDamaged;
      } catch (error) {
        results.push(failure(isLate() ? TIMED_OUT : describe(error)));
        isReady = false;
      }
    }
    return results;
  };
}

/** The answer of the engine for one template. After an error it has neither names nor text. */
type Answer = Partial<TemplateResult> & { error: string | null; isDamaged: boolean };

function read(json: string): { result: TemplateResult; isDamaged: boolean } {
  const { text = null, names = [], error, isDamaged } = JSON.parse(json) as Answer;
  return { result: { text, names, error }, isDamaged };
}

function failure(error: string): TemplateResult {
  return { text: null, names: [], error };
}

function describe(error: unknown): string {
  return `The template was stopped: ${error instanceof Error ? error.message : String(error)}`;
}
