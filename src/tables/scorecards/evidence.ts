import type { JsonObject, JsonValue } from '../../platform/json.js';
import { uniqueNames } from '../../grid/column-type/unique-names.js';
import { asText } from '../../grid/column-type/values.js';
import type { EvidenceMode } from './scorecard-config.js';

/** Characters of an input and of the result in a summary: it is stored for every row. */
const SHOWN = 80;

/** What a step was computed from and what came of it. */
export interface Observation {
  sources: { title: string; value: JsonValue }[];
  result: JsonValue;
  /** What the column type says about how it came to the result. */
  explanation: JsonValue;
}

/** What is shown of why a step has its score. */
export function evidenceOf(mode: EvidenceMode, { sources, result, explanation }: Observation): JsonValue {
  if (mode === 'hidden') return null;
  if (mode === 'summary') {
    const inputs = sources.map(({ title, value }) => `${title}: ${shown(value)}`).join(', ');
    const why = explanation === null ? '' : ` (${shorten(asText(explanation))})`;
    return `${inputs === '' ? '' : `${inputs} → `}${shown(result)}${why}`;
  }
  const names = uniqueNames(sources.map(({ title }) => title));
  const inputs: JsonObject = Object.fromEntries(sources.map(({ value }, place) => [names[place]!, value]));
  return { inputs, result, ...(explanation !== null && { explanation }) };
}

function shown(value: JsonValue): string {
  return shorten(JSON.stringify(value));
}

function shorten(text: string): string {
  // Cut between characters, not in the middle of one.
  return text.length > SHOWN ? `${text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
