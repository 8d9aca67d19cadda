import { MAX_RENDERED } from '../limits.js';
import { isFatal, QuickJsEngine } from './engine.js';
import type { TemplateResult, TemplatesCall } from './render-templates.messages.js';

const TIMED_OUT = 'The templates took too long.';
const TOO_LONG = 'The output becomes too long.';

const FOLDER = new URL('../jinja/', import.meta.url);
/** What the template engine needs of the platform. */
const SHARED = ['parse-bigints', 'exact-integers', 'json-limits'].map(
  (name) => new URL(`../../${name}.js`, import.meta.url),
);

let loaded: QuickJsEngine | null = null;

/**
 * Inside a process of the sandbox: what became of each template, in the order given. `begin` is called once the engine is
 * loaded: that is not the templates' time.
 */
export async function renderTemplates(call: TemplatesCall, begin: () => void): Promise<TemplateResult[]> {
  let engine = (loaded ??= await newEngine(call));
  begin();
  const deadline = Date.now() + call.timeMs;
  const results: TemplateResult[] = [];
  let room = MAX_RENDERED;
  let isReady = false;
  for (const template of call.templates) {
    if (Date.now() > deadline) {
      results.push(failure(TIMED_OUT));
      continue;
    }
    try {
      if (!isReady) engine = await prepared(engine, call, deadline);
      const { result, isDamaged } = read(engine.call(call.work, JSON.stringify(template)));
      room -= result.text?.length ?? 0;
      results.push(room < 0 ? failure(TOO_LONG) : result);
      isReady = !isDamaged;
    } catch (error) {
      results.push(failure(Date.now() > deadline ? TIMED_OUT : describe(error)));
      if (isFatal(error)) engine = await newEngine(call);
      isReady = false;
    }
  }
  loaded = engine;
  return results;
}

function newEngine({ memoryBytes }: TemplatesCall): Promise<QuickJsEngine> {
  return QuickJsEngine.create({ folder: FOLDER, shared: SHARED, warmUp: 'render', memoryBytes });
}

async function prepared(old: QuickJsEngine, call: TemplatesCall, deadline: number): Promise<QuickJsEngine> {
  const ready = old.isBloated ? await newEngine(call) : old;
  ready.reset();
  ready.limit(deadline);
  if (call.work === 'render') ready.call('setVariables', call.variables);
  return ready;
}

/** What the engine says of one template: names or text are not there when there is an error. */
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
