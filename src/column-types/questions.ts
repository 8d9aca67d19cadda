import type { JsonValue } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import { asText } from '../grid/column-type/values.js';

/** Most questions of one cell: each of them is a call of a model. */
const MAX_QUESTIONS = 100;

/**
 * The questions of a prompt: one, or those of a JSON list or of the text of one; each of them once. Throws an Error that
 * says what is wrong.
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

/** A question may begin with a bracket all the same. */
function listOr(text: string): JsonValue {
  if (!/^\s*\[/.test(text)) return text;
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

/** Single braces: what is doubled, and what looks like JSON, is no placeholder. */
const PLACEHOLDER = /(?<!\{)\{([^{}"'\n]+)\}(?!\})/gu;
/** Other texts in braces, such as `{2,3}`, are placeholders only where a variable has this very name. */
const NAME = /^[\p{L}_][\p{L}\p{N}_ .-]*$/u;

/** The placeholders of a text, each once, that variables have to be given for. */
export function placeholdersIn(text: string): string[] {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!.trim());
  return [...new Set(names.filter((name) => NAME.test(name)))];
}

/** A text with the values of variables in place of their placeholders. What is put in is not looked at again. */
export function withValues(text: string, values: ReadonlyMap<string, JsonValue>): string {
  return text.replace(PLACEHOLDER, (all, name: string) => {
    const key = values.has(name) ? name : name.trim();
    return values.has(key) ? asText(values.get(key)) : all;
  });
}
