import type { AnyErrorFactory } from './problem.js';

/** The message of an error for documents. Arguments are shown by their names in angle brackets. */
export function sampleMessage({ definition: { message } }: AnyErrorFactory): string {
  if (typeof message === 'string') return message;
  const names = /^\(?([^)=]*)\)?\s*=>/.exec(message.toString())?.[1]?.split(',') ?? [];
  const shown = names.map((name) => placeholder(name.trim()));
  return String((message as (...args: unknown[]) => unknown)(...shown));
}

/** The body of an answer with this error; undefined for errors with a body of their own. */
export function sampleBody(error: AnyErrorFactory): object | undefined {
  if (error.definition.body) return undefined;
  return { success: false, message: sampleMessage(error), error: error.code };
}

/** Replaces any argument: a text with the list methods that messages use. */
function placeholder(name: string): unknown {
  const text = `<${name}>`;
  return Object.assign([text], { toString: () => text });
}
