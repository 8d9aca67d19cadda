import type { JsonObject, JsonValue } from '../../platform/json.js';
import { uniqueNames } from '../../grid/column-type/unique-names.js';
import { asText } from '../../grid/column-type/values.js';
import type { EvidenceMode } from './scorecard-config.js';

/** Characters of an input and of the result in a summary, which is stored for every row. */
const SHOWN = 80;

/** The inputs and the result of a step in a row. */
export interface Observation {
  sources: { title: string; value: JsonValue }[];
  result: JsonValue;
  /** The explanation of the result by the column type. */
  explanation: JsonValue;
}

/** Returns the evidence of a score that is shown. */
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
  // Cut between characters, not within a surrogate pair.
  return text.length > SHOWN ? `${text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
