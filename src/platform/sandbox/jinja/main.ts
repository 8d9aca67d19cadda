import { parseWithBigints } from '../../parse-bigints.js';
import { renderTemplate } from './interpreter.js';
import { TemplateError } from './values.js';
import { findVariables } from './variables.js';

/**
 * Entry point of the engine inside the sandbox. It takes and returns JSON only, because plain text would end at its
 * first NUL. `isDamaged`: something other than a mistake of the template failed (no memory, no stack), so the engine
 * should not be used again.
 */
interface Answer {
  text?: string;
  names?: string[];
  error: string | null;
  isDamaged: boolean;
}

let variables: { [name: string]: unknown } = {};

function answer(work: () => Omit<Answer, 'error' | 'isDamaged'>): string {
  try {
    return JSON.stringify({ ...work(), error: null, isDamaged: false });
  } catch (error) {
    return JSON.stringify({ error: describe(error), isDamaged: !(error instanceof TemplateError) });
  }
}

/** A value that is thrown when memory is exhausted may be no Error. */
function describe(error: unknown): string {
  return error instanceof Error ? error.message : 'The template used up its memory.';
}

Object.assign(globalThis, {
  setVariables(json: string): void {
    variables = parseWithBigints(json) as { [name: string]: unknown };
  },
  render(json: string): string {
    return answer(() => {
      const { text, missing } = renderTemplate(JSON.parse(json) as string, variables);
      return { text, names: missing };
    });
  },
  variables(json: string): string {
    return answer(() => ({ names: findVariables(JSON.parse(json) as string) }));
  },
});
