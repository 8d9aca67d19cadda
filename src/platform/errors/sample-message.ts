import type { AnyErrorFactory } from './problem.js';

/** The message of an error for documents. Arguments are shown by their names in angle brackets. */
export function sampleMessage({ definition: { message } }: AnyErrorFactory): string {
  if (typeof message === 'string') return message;
  const names = /^\(?([^)=]*)\)?\s*=>/.exec(message.toString())?.[1]?.split(',') ?? [];
  const shown = names.map((name) => placeholder(name.trim()));
  return String((message as (...args: unknown[]) => unknown)(...shown));
}

/** What an answer with this error looks like; undefined for errors with a body of their own. */
export function sampleBody(error: AnyErrorFactory): object | undefined {
  if (error.definition.body) return undefined;
  return { success: false, message: sampleMessage(error), error: error.code };
}

/** Stands for any argument: a text that also answers to the list methods messages use. */
function placeholder(name: string): unknown {
  const text = `<${name}>`;
  return Object.assign([text], { toString: () => text });
}
