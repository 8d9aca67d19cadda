import type { PromptReference } from '../llm/shared/prompt-reference.js';
import type { JsonObject } from '../platform/json.js';
import { type SpanAttributes, toNumber } from './attributes.js';
import { type Words, wordsOf } from './words.js';

const variableWords = ({ variables }: Words): string[] | undefined => variables;

/** The registry prompt that a span names by id or by name; null when it names none, or an invalid version. */
export function readPromptReference(attributes: SpanAttributes): PromptReference | null {
  const id = positiveInteger(attributes.number('promptlayer.prompt.id'));
  const name = attributes.text('promptlayer.prompt.name', 'prompt_name');
  if (id === null && name === null) return null;
  const version = attributes.text('promptlayer.prompt.version', 'prompt_version');
  return atVersion(version, { id, name, label: attributes.text('promptlayer.prompt.label') });
}

/** The prompt of a span that fetched one: the fetched version, else the requested one. */
export function readFetchedPrompt(attributes: SpanAttributes): PromptReference | null {
  const got = readPromptReference(attributes);
  const name = attributes.text('promptlayer.prompt.requested.name');
  if (got || name === null) return got;
  const version = attributes.text('promptlayer.prompt.requested.version');
  return atVersion(version, { id: null, name, label: attributes.text('promptlayer.prompt.requested.label') });
}

/** The values that were filled into the prompt. */
export function readInputVariables(attributes: SpanAttributes): JsonObject {
  return attributes.object(...attributes.present(wordsOf(variableWords)));
}

/** Without a version the latest is meant; an invalid version refers to none. */
function atVersion(given: string | null, prompt: Omit<PromptReference, 'version'>): PromptReference | null {
  const version = given === null ? null : positiveInteger(toNumber(given));
  if (given !== null && version === null) return null;
  return { id: prompt.id, name: prompt.name, version, label: prompt.label };
}

/** Ids and versions are PostgreSQL integers. */
function positiveInteger(value: number | null): number | null {
  return value !== null && Number.isInteger(value) && value > 0 && value < 2 ** 31 ? value : null;
}
