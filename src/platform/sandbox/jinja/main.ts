import { parseWithBigints } from '../../parse-bigints.js';
import { renderTemplate } from './interpreter.js';
import { TemplateError } from './values.js';
import { findVariables } from './variables.js';

/**
 * The door of the engine inside the sandbox: JSON in, JSON out, nothing else (plain text would end at its first NUL). `isDamaged` says that something
 * other than the template's own mistake went wrong (no memory, no stack), so that the engine should not be used again.
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

/** What is thrown when memory is gone may be no Error at all. */
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
