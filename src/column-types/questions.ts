import type { JsonValue } from '../platform/json.js';
import { tryReadJson } from '../platform/read-json.js';
import { asText } from '../grid/column-type/values.js';

/** Maximum number of questions of a cell: each is a call of a model. */
const MAX_QUESTIONS = 100;

/**
 * The questions of a prompt: a single one, a JSON list, or the text of one; without duplicates. Throws an Error that
 * describes the problem.
 */
export function questionsOf(prompt: JsonValue | undefined): string[] {
  const given = typeof prompt === 'string' ? listOr(prompt) : prompt;
  const questions = Array.isArray(given) ? given : [asText(given)];
  if (questions.length > MAX_QUESTIONS) throw new Error(`there can be ${MAX_QUESTIONS} questions at most.`);
  if (!questions.every(isQuestion)) throw new Error('every question has to be a text that is not blank.');
  if (questions.length === 0) throw new Error('there is no question.');
  return [...new Set(questions)];
}

const isQuestion = (item: JsonValue): item is string => typeof item === 'string' && item.trim() !== '';

/** A question may also begin with a bracket. */
function listOr(text: string): JsonValue {
  return /^\s*\[/.test(text) ? (tryReadJson(text) ?? text) : text;
}

/** Single braces. Double braces and JSON are no placeholders. */
const PLACEHOLDER = /(?<!\{)\{([^{}"'\n]+)\}(?!\})/gu;
/** Other texts in braces, such as `{2,3}`, are placeholders only where a variable has this very name. */
const NAME = /^[\p{L}_][\p{L}\p{N}_ .-]*$/u;

/** The placeholders of a text that need variables, without duplicates. */
export function placeholdersIn(text: string): string[] {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!.trim());
  return [...new Set(names.filter((name) => NAME.test(name)))];
}

/** Replaces placeholders by the values of variables. Placeholders inside the values are not replaced. */
export function withValues(text: string, values: ReadonlyMap<string, JsonValue>): string {
  return text.replace(PLACEHOLDER, (all, name: string) => {
    const key = values.has(name) ? name : name.trim();
    return values.has(key) ? asText(values.get(key)) : all;
  });
}
