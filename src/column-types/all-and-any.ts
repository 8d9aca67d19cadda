import type { JsonValue } from '../platform/json.js';
import type { InputColumn } from '../grid/column-type/column-type.js';
import { SourceColumns } from '../grid/column-type/source-fields.js';
import { requireBoolean } from '../grid/column-type/values.js';

export class BooleansConfig {
  @SourceColumns({
    minItems: 1,
    description: 'Columns of booleans, or of their texts: true, yes and 1, false, no and 0.',
  })
  sources: JsonValue[];
}

/**
 * A source that is `decisive` settles the matter. Without one the answer is open as long as a source is blank, and the
 * opposite once all are known: three-valued logic, as in SQL. Every source must be readable, also beside a decisive one.
 */
export function decide({ sources }: BooleansConfig, inputs: InputColumn[], decisive: boolean): boolean | null {
  const nameOf = (position: number) => {
    const title = inputs.find((input) => input.position === position)?.title;
    return title === undefined ? 'A source' : `"${title}"`;
  };
  const truths = sources.map((value, position) => (isBlank(value) ? null : requireBoolean(value, nameOf(position))));
  if (truths.includes(decisive)) return decisive;
  return truths.includes(null) ? null : !decisive;
}

const isBlank = (value: JsonValue): boolean => value === null || (typeof value === 'string' && value.trim() === '');
